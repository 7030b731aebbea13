"""Counts divided by the size of a group over which they are not split: heads by the number of data parallel replicas."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups, Of
    from sgmem.models.rows import CountRow
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_DIVIDES = re.compile(rb"/\s*\(?\s*((?:[A-Za-z_]\w*(?:\(\))?\.)*[A-Za-z_]\w*)")
_ENDS_IN_SIZE = re.compile(rb"_size(?:\(\))?\n")
_IS_SIZE = re.compile(rb"[ \t]*(\w+) *(?::[^=\n]*)?= *(?:[\w.]|\(\))*?(\w+_size)(?:\(\))?\n")
_WORD = re.compile(rb"[A-Za-z_]\w*")
_LOOK_BACK = 120
"""How much text before a division is searched for what is divided, and which statement it is in decides later."""


class ForeignGroup(msgspec.Struct, frozen=True):
    """`division` divides a count of `things` by the size of `group`, none of the groups over which they are split."""

    division: Location
    things: str
    group: str
    by: tuple[str, ...]
    count: Location
    size: Location


def foreign_groups(program: Program, groups: Groups, counts: Counts) -> Iterator[ForeignGroup]:
    """The divisions of known counts by the size of a group that does not split them."""
    for path in program.files.focus:
        offsets = _candidates(program.files.tree.read(path), groups, counts)
        file = program.files.get(path) if offsets else None
        if file is not None:
            for statement in sorted({file.statement_at(line, column) for line, column in offsets} - {-1}):
                yield from _in_statement(file, statement, groups, counts)


def _candidates(data: bytes, groups: Groups, counts: Counts) -> list[tuple[int, int]]:
    """Where the text divides what may be a count by what may be the size of another group: lines and columns."""
    if b"_size" not in data:
        return []
    aliases = _aliases(data, groups)
    found: list[tuple[int, int]] = []
    for match in _DIVIDES.finditer(data):
        last = match[1].rpartition(b".")[2]
        sizes = groups.named(last.decode(), "size") | aliases.get(last, frozenset())
        if sizes and _may_count(data[max(0, match.start() - _LOOK_BACK) : match.start() + 1], sizes, counts):
            start = data.rfind(b"\n", 0, match.start(1)) + 1
            found.append((data.count(b"\n", 0, start) + 1, len(data[start : match.start(1)].decode(errors="replace")) + 1))
    return found


def _aliases(data: bytes, groups: Groups) -> dict[bytes, Of]:
    """The variables that are given the size of a group, by the text."""
    lines = (_IS_SIZE.match(data, data.rfind(b"\n", 0, end.start()) + 1) for end in _ENDS_IN_SIZE.finditer(data))
    return {found[1]: groups.named(found[2].decode(), "size") for found in lines if found is not None}


def _may_count(before: bytes, sizes: Of, counts: Counts) -> bool:
    rows = (counts.named(word.decode()) for word in _WORD.findall(before))
    return any(row is not None and row.by and not sizes <= set(row.by) for row in rows)


def _in_statement(file: File, statement: int, groups: Groups, counts: Counts) -> Iterator[ForeignGroup]:
    for node, row, size in divisions(_expressions(file, statement), counts):
        of = groups.size(size, file, statement)
        foreign = sorted(of - set(row.by)) if row.by else []
        if foreign and not _says_so(file, statement, foreign[0]):
            yield ForeignGroup(
                Location(file, statement, node.span),
                row.things,
                foreign[0],
                row.by,
                Location(file, statement, node.left.span),
                Location(file, statement, size.span),
            )


def _expressions(file: File, statement: int) -> Iterator[Expr]:
    lowered = file.statement(statement)
    yield from lowered.expressions()
    for binding in lowered.bindings:
        if binding.how == "augment" and binding.operator in ("//", "/") and binding.value is not None:
            yield ir.Binary(lowered.span, binding.operator, binding.target, binding.value)


def divisions(roots: Iterable[Expr], counts: Counts) -> Iterator[tuple[ir.Binary, CountRow, Expr]]:
    """Every division of a known count, with the count's row and what it is divided by."""
    for root in roots:
        for node in ir.walk(root):
            if isinstance(node, ir.Binary) and node.operator in ("//", "/"):
                row = counts.of(node.left)
                if row is not None:
                    yield node, row, node.right


_WORDS = {"data parallel group": "dp|replica", "pipeline group": "pp|micro|stage", "expert parallel group": "ep|expert"}


def _says_so(file: File, statement: int, group: str) -> bool:
    """Whether a name in the statement, a test around it or the function's is called after the group: `pp_max_batch`."""
    word = re.compile(rf"(?:\b|_)(?:{_WORDS.get(group, 'tp')})(?:\b|_)(?!size|world|rank)")
    if word.search(file.scope(file.outline.statements[statement].scope).name) is not None:
        return True
    while statement >= 0:
        if word.search(file.own_text(statement)) is not None:
            return True
        statement = file.outline.statements[statement].parent
        if statement >= 0 and file.outline.statements[statement].kind not in ("if", "while"):
            return False
    return False
