"""Readings and counts that ranks must agree on, combined over fewer than there are, or only when a smaller group has several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.ranks.groups import ALL, STAGES, given
from sgmem.domains.ranks.lattice import lies_within, worlds
from sgmem.flow.order import ENTRY
from sgmem.models.patterns import last_name as last_name_of
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.ranks.groups import Groups
    from sgmem.domains.ranks.lattice import World
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_MORE_THAN_ONE = {(">", 1), ("!=", 1), (">=", 2)}
_REDUCES = "all_reduce"
_EXTREMES = frozenset({"MIN", "MAX"})
MAX_FILES = 80


class Reduction(msgspec.Struct, frozen=True):
    """`call` combines a value over the ranks of `over` when the group `guard` has more than one; `test` asks that."""

    call: Location
    test: Location | None
    guard: str | None
    over: str
    reading: bool


class NarrowReduction(msgspec.Struct, frozen=True):
    """A reduction that leaves out ranks, of which `world` says there are: those of `missing`."""

    reduction: Reduction
    missing: tuple[str, ...]
    world: World | None


def narrow_reductions(program: Program, models: Models, groups: Groups) -> Iterator[NarrowReduction]:
    """The reductions that do not happen, or leave out ranks, although the program has more."""
    found = [*_readings(program, models, groups), *_extremes(program, groups)]
    narrower = [one for one in found if one.guard not in (None, ALL) or one.over != ALL]
    world = max(worlds(program, groups), key=lambda one: len(one.of), default=None) if narrower else None
    for one in narrower:
        narrow = one.guard if one.guard is not None and one.guard != ALL else one.over
        if one.over == ALL or one.reading:
            missing = tuple(sorted(world.of - {narrow})) if world is not None and narrow in world.of else ()
            # Stages hold different layers; what the ranks of one stage compute they may have agreed on before.
            if missing and (one.reading or STAGES in missing):
                yield NarrowReduction(one, missing, world)
        elif one.guard is not None and lies_within(one.guard, one.over):
            yield NarrowReduction(one, (one.over,), None)


def _readings(program: Program, models: Models, groups: Groups) -> Iterator[Reduction]:
    """Measuring calls that are told when to take the minimum over ranks."""
    reductions = {last_name_of(name): row.reduction for row in models.measurements.rows if row.reduction for name in row.names}
    for word, reduction in sorted(reductions.items()):
        for file, statement, call in _calls(program, word):
            given_as = {argument.keyword: argument.value for argument in call.args if argument.keyword}
            when, group = given_as.get(reduction.when), given_as.get(reduction.group or "")
            if when is None or isinstance(when, ir.Const):
                continue
            guard = next(iter(_guards(when, file, statement, groups)), None)
            over = next(iter(groups.group(group, file, statement)), None) if group is not None else ALL
            if guard is not None and over is not None:
                yield Reduction(Location(file, statement, call.span), Location(file, statement, when.span), guard, over, True)


def _extremes(program: Program, groups: Groups) -> Iterator[Reduction]:
    """Minima and maxima over ranks under a test that asks for the size of a group."""
    for file, statement, call in _calls(program, _REDUCES):
        if not any(isinstance(node, ir.Attribute) and node.attr in _EXTREMES for one in call.args for node in ir.walk(one.value)):
            continue
        group = next((argument.value for argument in call.args if argument.keyword == "group"), None)
        of = groups.group(group, file, statement) if group is not None else frozenset({ALL})
        tested = next(_tested(file, statement, groups), None)
        if len(of) == 1 and tested is not None:
            yield Reduction(Location(file, statement, call.span), tested[1], tested[0], next(iter(of)), False)


def _tested(file: File, statement: int, groups: Groups) -> Iterator[tuple[str, Location]]:
    """The innermost test around a statement that asks whether a group has several ranks."""
    while (row := file.outline.statements[statement]).parent >= 0:
        test = file.test(row.parent) if row.block == "body" else None
        if test is not None:
            for group in _guards(test, file, row.parent, groups):
                yield group, Location(file, row.parent, test.span)
        statement = row.parent


def _guards(test: Expr, file: File, statement: int, groups: Groups) -> Iterator[str]:
    """The groups that a test requires to have more than one rank."""
    match test:
        case ir.Compare(operators=(operator,), operands=(size, ir.Const(value=int(number)))) if (operator, number) in _MORE_THAN_ONE:
            of = groups.size(size, file, statement)
            yield from of if len(of) == 1 else ()
        case ir.Boolean(operator="and", values=values):
            for value in values:
                yield from _guards(value, file, statement, groups)
        case ir.Name(id=name):
            scope = file.outline.statements[statement].scope
            for index in sorted(groups.order.reaching(file, scope, name, statement) - {ENTRY}):
                for value in given(name, file, index):
                    if not isinstance(value, ir.Name):
                        yield from _guards(value, file, index, groups)


def _calls(program: Program, word: str) -> Iterator[tuple[File, int, ir.Call]]:
    for path in program.files.focus_on(word):
        if len(program.files.tree.mentioning(word)) > MAX_FILES:
            return
        if not _may_decide(program.files.tree.read(path), word):
            continue
        file = program.files.get(path)
        for statement in file.mentions(word) if file is not None else ():
            if file is not None and file.outline.statements[statement].kind not in ("function", "class", "import"):
                for node in _nodes(file.statement(statement).expressions()):
                    if isinstance(node, ir.Call) and last_name(node) == word:
                        yield file, statement, node


def _may_decide(data: bytes, word: str) -> bool:
    """Whether the text may combine over ranks at all."""
    if word == _REDUCES:
        return b"ReduceOp.M" in data and b"_size" in data
    return b"distributed=" in data


def _nodes(roots: Iterable[Expr]) -> Iterator[Expr]:
    for root in roots:
        yield from ir.walk(root)
