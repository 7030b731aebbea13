"""Counts of the whole model or server kept as one rank's, where siblings keep the same count divided by the ranks that share it.

A sibling keeps it under the same name in the same function, or as an attribute in one of several modules of the same folder.
"""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.ranks.count_hints import count_hints
from sgmem.domains.ranks.groups import spelled
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.defects.ranks.count_hints import CountHint
    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MIN_DIVIDED = 3
"""So many places must divide a count before one that keeps it whole is called odd, and twice as many as those."""
_WHOLE = re.compile(r"total|global|all|orig|full|config")
"""Names that say themselves that they hold the whole."""


class Kept(msgspec.Struct, frozen=True):
    """`value` is kept as `target`; `group` says over which ranks it was divided before, by `size`, None if over none. `of` is the name
    of the object whose count it is.
    """

    target: str
    of: str
    count: str
    things: str
    group: str | None
    value: Location
    size: Location | None
    owner: int
    """The outermost class or function around."""


class UndividedCount(msgspec.Struct, frozen=True):
    """`whole` keeps a count that `siblings` divide."""

    whole: Kept
    siblings: tuple[Kept, ...]


def undivided_counts(program: Program, groups: Groups, counts: Counts) -> Iterator[UndividedCount]:
    """The counts that are kept whole although their siblings are divided."""
    by_name: dict[tuple[str, str], list[CountHint]] = {}
    for hint in count_hints(program.files, counts.models):
        by_name.setdefault((_role(hint.target), hint.count), []).append(hint)
    for hints in by_name.values():
        divides = sum(hint.divides for hint in hints)
        if 0 < divides < len(hints):
            yield from _among(_near(hints), program, groups, counts)


def _role(target: str) -> str:
    """What is compared: attributes of the object with each other, variables with those of the same name."""
    return "self." if target.startswith("self.") else target


def _near(hints: list[CountHint]) -> list[CountHint]:
    """Those in files or folders where some are divided and some are not; in a folder those that are must be many."""
    by_file: dict[str, list[CountHint]] = {}
    by_folder: dict[str, list[CountHint]] = {}
    for hint in hints:
        by_file.setdefault(hint.path, []).append(hint)
        by_folder.setdefault(dirname(hint.path), []).append(hint)
    kept: dict[CountHint, None] = {}
    for places, many in ((by_file, False), (by_folder, True)):
        for here in places.values():
            divided = sum(hint.divides for hint in here)
            whole = len(here) - divided
            if divided and whole and (not many or divided >= max(MIN_DIVIDED, 2 * whole)):
                kept.update(dict.fromkeys(here))
    return list(kept)


def _among(hints: list[CountHint], program: Program, groups: Groups, counts: Counts) -> Iterator[UndividedCount]:
    kept: list[Kept] = []
    for hint in hints:
        file = program.files.get(hint.path)
        statement = file.statement_at(hint.line, hint.column) if file is not None else -1
        if file is not None and statement >= 0:
            kept += kept_counts(file, statement, hint, groups, counts)
    kept = [one for one in kept if one.group is not None or not _WHOLE.search(one.target.rpartition(".")[2])]
    for whole in dict.fromkeys(one for one in kept if one.group is None):
        siblings = [one for one in kept if one.group is not None and _are_siblings(one, whole)]
        near = [one for one in siblings if one.target == whole.target and _in_one_function(one, whole)]
        others = [one for one in kept if one.group is None and _are_siblings(one, whole)]
        enough = len(siblings) >= max(MIN_DIVIDED, 2 * len(others)) and whole.target.startswith("self.")
        if (near or enough) and not _divided_later(whole, groups):
            yield UndividedCount(whole, tuple(near or siblings))


def _are_siblings(one: Kept, other: Kept) -> bool:
    """In one function, or the same count of the same kind of object in modules of one folder."""
    same_folder = dirname(one.value.path) == dirname(other.value.path)
    return _in_one_function(one, other) or (same_folder and (one.of == other.of or one.target == other.target))


def _in_one_function(one: Kept, other: Kept) -> bool:
    return one.value.path == other.value.path and one.owner == other.owner


def kept_counts(file: File, statement: int, hint: CountHint, groups: Groups, counts: Counts) -> Iterator[Kept]:
    """What a statement keeps of the counts that a hint speaks of."""
    for binding in file.statement(statement).bindings:
        if binding.value is None or binding.how not in ("assign", "annotate") or dotted(binding.target) != hint.target:
            continue
        for leaf, divisor in _leaves(binding.value):
            row = counts.named(spelled(leaf))
            if row is None or spelled(leaf) != hint.count or not _is_foreign(leaf):
                continue
            of = groups.size(divisor, file, statement) if divisor is not None else frozenset()
            if divisor is not None and not of:
                continue
            group = next(iter(of), None)
            value, of_what = Location(file, statement, leaf.span), spelled(leaf.base) if isinstance(leaf, ir.Attribute) else ""
            size = Location(file, statement, divisor.span) if divisor is not None else None
            yield Kept(hint.target, of_what, hint.count, row.things, group, value, size, _owner(file, statement))


def _leaves(value: Expr, divisor: Expr | None = None) -> Iterator[tuple[Expr, Expr | None]]:
    """The attributes that a value consists of, through minima and alternatives, each with what it is divided by."""
    match value:
        case ir.Attribute():
            yield value, divisor
        case ir.Binary(operator="//" | "/", left=left, right=right):
            yield from _leaves(left, right)
        case ir.Call() if arithmetic.function_name(value) in ("min", "max", "int"):
            for argument in value.args:
                yield from _leaves(argument.value, divisor)
        case ir.Conditional(body=body, orelse=orelse):
            yield from _leaves(body, divisor)
            yield from _leaves(orelse, divisor)


def _is_foreign(leaf: Expr) -> bool:
    """Whether a count belongs to another object, such as the configuration: an object's own may be anything."""
    return isinstance(leaf, ir.Attribute) and (isinstance(leaf.base, ir.Attribute | ir.Call) or dotted(leaf.base) != "self")


def _owner(file: File, statement: int) -> int:
    scope = file.outline.statements[statement].scope
    while scope > 0 and file.scope(scope).kind != "function":
        scope = file.scope(scope).parent
    return scope


def _divided_later(whole: Kept, groups: Groups) -> bool:
    """Whether what keeps the count is divided where it is used, anywhere in the file."""
    file, last = whole.value.file, whole.target.rpartition(".")[2]
    for statement in file.mentions(last):
        if "/" not in file.own_text(statement) or file.outline.statements[statement].kind in ("function", "class"):
            continue
        for root in file.statement(statement).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator in ("//", "/") and dotted(node.left) == whole.target:
                    if groups.size(node.right, file, statement):
                        return True
    return False
