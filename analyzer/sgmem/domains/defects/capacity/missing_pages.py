"""Tables with an entry for each page of a length of which the last, partial page has none: the length is divided and not rounded up."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.aside import is_aside
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program

_ALLOCATES = frozenset({"zeros", "ones", "empty", "full"})
_FLOORED = r"_len(?:gth)? *// *[\w.]*(?:page|block)_size\b"
_GRANULE = re.compile(r"(?:\w*_)?(?:page|block)_size")


class MissingPage(msgspec.Struct, frozen=True):
    """`floored` is a dimension, `length` divided by `granule`; `rounded` says elsewhere how many that are, rounded up."""

    length: str
    granule: str
    floored: Location
    rounded: Location


def missing_pages(program: Program) -> Iterator[MissingPage]:
    """Every such dimension of a tensor."""
    for path in program.files.with_text(_FLOORED, holds=("page_size", "block_size")):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind in ("function", "class") or "//" not in file.own_text(index) or is_aside(file, index):
                continue
            for node in _dimensions(file, index) if re.search(_FLOORED, file.own_text(index)) else ():
                length, granule = spelled(node.left), spelled(node.right)
                rounded = _rounded(program, length, granule) if _GRANULE.fullmatch(granule) else None
                if rounded is not None:
                    yield MissingPage(length, granule, Location(file, index, node.span), rounded)


def _dimensions(file: File, index: int) -> Iterator[ir.Binary]:
    """The dimensions of what a statement allocates that are quotients of two names."""
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and last_name(node) in _ALLOCATES and node.args:
                shape = node.args[0].value
                for one in shape.items if isinstance(shape, ir.Collection) else (shape,):
                    if isinstance(one, ir.Binary) and one.operator == "//" and spelled(one.left) and spelled(one.right):
                        yield one


def _rounded(program: Program, length: str, granule: str) -> Location | None:
    """Where a length of that name is rounded up to granules of that name."""
    wanted = re.compile(rf"\b{length}\s*\+\s*[\w.]*\b{granule}\s*-\s*1\b")
    for path in program.files.tree.mentioning(length):
        found = wanted.search(program.files.tree.read(path).decode(errors="replace"))
        file = program.files.get(path) if found is not None else None
        if file is None or found is None:
            continue
        text = file.source.text
        at = text.find(found[0])
        start = text.rfind("\n", 0, at) + 1
        index = file.statement_at(text.count("\n", 0, at) + 1, at - start + 1)
        if index >= 0 and not is_aside(file, index):
            return of_statement(file, index)
    return None
