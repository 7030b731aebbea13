"""Counts of the whole model beside one rank's part of the same things, both asked of one object in one function: all query heads beside
the key heads of this rank.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.ranks.groups import spelled
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_SAYS_WHOLE = re.compile(r"total|global|all|orig|full|config|max|model")
"""Names that say themselves that they hold the whole."""
_KEPT = frozenset({"assign", "annotate", "expression"})


class WholeBesidePart(msgspec.Struct, frozen=True):
    """`whole` counts the `things` of all ranks and goes to `target`; `part`, in the same function, those of one."""

    whole: Location
    target: str
    things: str
    part: Location


def whole_beside_part(program: Program, groups: Groups, counts: Counts) -> Iterator[WholeBesidePart]:
    """Every count that is handed on whole where the same object was asked for one rank's part."""
    words = {p.rpartition(".")[2] for row in counts.models.counts.rows if row.ranks is not None for p in row.names}
    for path in dict.fromkeys(path for word in sorted(words) for path in program.files.tree.mentioning(word)):
        file = program.files.get(path)
        if file is None:
            continue
        parts: dict[tuple[int, str], tuple[Location, str]] = {}
        for word in words:
            for index in file.mentions(word):
                for node, things in _parts(file, index, word, groups, counts):
                    base = dotted(node.func.base) if isinstance(node.func, ir.Attribute) else None
                    if base is not None:
                        parts.setdefault((file.outline.statements[index].scope, base), (Location(file, index, node.span), things))
        for (scope, base), (part, things) in parts.items():
            yield from _wholes(file, scope, base, things, part, groups, counts)


def _parts(file: File, index: int, word: str, groups: Groups, counts: Counts) -> Iterator[tuple[ir.Call, str]]:
    """The calls of a statement that ask for the part of one of the ranks of a group."""
    if file.scope(file.outline.statements[index].scope).kind != "function" or f"{word}(" not in file.own_text(index):
        return
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and spelled(node) == word:
                ranks, row = counts.ranks_of(node), counts.named(word)
                if ranks is not None and row is not None and groups.size(ranks, file, index):
                    yield node, row.things


def _wholes(
    file: File, scope: int, base: str, things: str, part: Location, groups: Groups, counts: Counts
) -> Iterator[WholeBesidePart]:
    last = base.rpartition(".")[2]
    for index in file.mentions_in(scope, last):
        if file.outline.statements[index].kind not in _KEPT:
            continue
        lowered = file.statement(index)
        for root, target in (
            *((b.value, dotted(b.target) or "") for b in lowered.bindings if b.value),
            *((v, "") for v in lowered.values),
        ):
            for node, given in _handed(root, target):
                row = counts.of(node)
                whole = row is not None and row.whole and row.things == things and dotted(node.base) == base
                if (
                    whole
                    and not _SAYS_WHOLE.search(given.rpartition(".")[2])
                    and not (given == target and _is_divided(file, target, groups))
                ):
                    yield WholeBesidePart(Location(file, index, node.span), given, things, part)


def _handed(value: Expr, target: str) -> Iterator[tuple[ir.Attribute, str]]:
    """The attributes that a value is, or that it hands to a call as they are, each with the name that it goes to."""
    match value:
        case ir.Attribute():
            yield value, target
        case ir.Collection(items=items):
            for item in items:
                yield from _handed(item, target)
        case ir.Call(args=args):
            keeps = arithmetic.function_name(value) in ("min", "max", "int")
            for argument in args:
                if keeps or argument.keyword is not None or not isinstance(argument.value, ir.Attribute):
                    yield from _handed(argument.value, target if keeps else argument.keyword or "")


def _is_divided(file: File, target: str, groups: Groups) -> bool:
    """Whether a variable or field that keeps the count is divided where it is used, anywhere in the file."""
    for index in file.mentions(target.rpartition(".")[2]) if target else ():
        if "/" not in file.own_text(index) or file.outline.statements[index].kind in ("function", "class"):
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator in ("//", "/") and dotted(node.left) == target:
                    if groups.size(node.right, file, index):
                        return True
    return False
