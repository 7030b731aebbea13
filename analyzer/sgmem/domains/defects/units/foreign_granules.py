"""Counts of tokens divided by the length of a window that is called a page's size, beside others rounded to real pages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.model_words import words_in
from sgmem.domains.ranks.groups import spelled
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.models.rows import CountRow
    from sgmem.program.entities import Function
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_STORES = re.compile(r"\s*(?:self\.)?(\w+)(?: *: *\w+)? *= *(?:[\w.]|\(\))*?(\w+)(?:\(\))?\s*$")
_TELLS = re.compile(rb"window\w*")
"""What one of the two granules is called, and the rarer word."""


class ForeignGranule(msgspec.Struct, frozen=True):
    """`division` divides by `granule`, which is called `name` and holds `held`; `rounding` rounds to what is called so rightly."""

    division: Location
    name: str
    called: str
    held: str
    stored: Location
    rounding: Location


def foreign_granules(program: Program, counts: Counts) -> Iterator[ForeignGranule]:
    """The divisions by a granule that holds something else than its name says."""
    granules = [word.encode() for word in words_in(counts.models, "tokens/page")]
    for path in program.files.focus:
        data = program.files.tree.read(path)
        if not any(word in data for word in granules):
            continue
        stores = (_STORES.match(line) for line in _lines(data))
        names = {found[1] for found in stores if found is not None and _differ(found[1], found[2], counts)}
        file = program.files.get(path) if names else None
        if file is not None:
            for name in sorted(names):
                yield from _of_name(program, counts, file, name)


def _lines(data: bytes) -> set[str]:
    """The lines that give a name to, or take a value of, the rarer granule."""
    found = set()
    for match in _TELLS.finditer(data):
        end = data.find(b"\n", match.end())
        line = data[data.rfind(b"\n", 0, match.start()) + 1 : end if end >= 0 else len(data)]
        if b"=" in line:
            found.add(line.decode(errors="replace"))
    return found


def _differ(name: str, value: str, counts: Counts) -> tuple[CountRow, CountRow] | None:
    """The rows of a name and of what it is given, where they are granules of different kinds."""
    called, held = counts.named(name), counts.named(value)
    if called is None or held is None or called.things == held.things:
        return None
    return (called, held) if all(row.things.startswith("tokens of") for row in (called, held)) else None


def _of_name(program: Program, counts: Counts, file: File, name: str) -> Iterator[ForeignGranule]:
    stored = None
    for statement in file.mentions(name):
        for binding in file.statement(statement).bindings if file.outline.statements[statement].kind == "assign" else ():
            rows = _differ(spelled(binding.target), spelled(binding.value), counts) if binding.value is not None else None
            if spelled(binding.target) == name and rows is not None:
                stored = (Location(file, statement, file.statement(statement).span), *rows)
    if stored is None:
        return
    at, called, held = stored
    for statement in file.mentions(name):
        if file.outline.statements[statement].kind in ("function", "class"):
            continue
        function = program.calls.inside(file, statement)
        for node in _divided_by(file, statement, name):
            rounding = _rounding(file, function, name, called, counts) if function is not None else None
            if rounding is not None:
                yield ForeignGranule(Location(file, statement, node.span), name, called.things, held.things, at, rounding)


def _divided_by(file: File, statement: int, name: str) -> Iterator[ir.Binary]:
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Binary) and node.operator in ("//", "/") and spelled(node.right) == name:
                yield node


def _rounding(file: File, function: Function, name: str, called: CountRow, counts: Counts) -> Location | None:
    """Where the function rounds to another granule of the kind that the name says: `tokens // page_size * page_size`."""
    for statement in file.own_statements(function.index):
        if "//" not in file.own_text(statement) or file.outline.statements[statement].kind in ("function", "class"):
            continue
        for root in file.statement(statement).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator == "*" and (granule := _rounded(node)) is not None:
                    row = counts.named(spelled(granule))
                    if spelled(granule) != name and row is not None and row.things == called.things:
                        return Location(file, statement, node.span)
    return None


def _rounded(node: ir.Binary) -> Expr | None:
    """The granule to which a product rounds down."""
    inner, granule = node.left, node.right
    if isinstance(inner, ir.Binary) and inner.operator == "//" and spelled(granule) and spelled(inner.right) == spelled(granule):
        return granule
    return None
