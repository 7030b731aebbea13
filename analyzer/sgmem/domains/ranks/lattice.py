"""How groups of ranks lie within each other, and of which groups all ranks of a program are made."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.ranks.groups import ALL, ATTENTION, DATA, STAGES, TENSOR, factors
from sgmem.program.contexts import multiplied
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.groups import Groups, Of
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_WITHIN = {
    TENSOR: frozenset({ALL}),
    ATTENTION: frozenset({TENSOR, ALL}),
    "expert parallel group": frozenset({TENSOR, ALL}),
    "expert tensor parallel group": frozenset({TENSOR, ALL}),
    "context parallel group": frozenset({TENSOR, ALL}),
    STAGES: frozenset({ALL}),
    DATA: frozenset({ALL}),
}
_WORLD = re.compile(rb"\bworld_size\s*=\s*(?:[\w.]|\(\))+_size\s*\*")


class World(msgspec.Struct, frozen=True):
    """All ranks: the groups whose sizes are multiplied at `at`, where the processes are joined."""

    of: frozenset[str]
    at: Location


def lies_within(inner: str, outer: str) -> bool:
    """Whether every rank of a group is in the other, which has more."""
    return outer in _WITHIN.get(inner, ())


def worlds(program: Program, groups: Groups) -> Iterator[World]:
    """What the program says its ranks are, `world_size = tp_size * pp_size`, wherever it does."""
    for path in program.files.holding("world_size", multiplied):
        data = program.files.tree.read(path)
        found = list(_WORLD.finditer(data))
        file = program.files.get(path) if found else None
        if file is None:
            continue
        for match in found:
            statement = file.statement_at(data.count(b"\n", 0, match.start()) + 1, match.start() - data.rfind(b"\n", 0, match.start()))
            for value in _world_sizes(file, statement) if statement >= 0 else ():
                of = _multiplied(value, file, statement, groups)
                if len(of) > 1:
                    yield World(of, Location(file, statement, value.span))


def _multiplied(value: Expr, file: File, statement: int, groups: Groups) -> Of:
    return frozenset[str]().union(*(groups.size(factor, file, statement) for factor in factors(value)))


def _world_sizes(file: File, statement: int) -> Iterator[Expr]:
    lowered = file.statement(statement)
    for binding in lowered.bindings:
        if isinstance(binding.target, ir.Name) and binding.target.id == "world_size" and binding.value is not None:
            yield binding.value
    for root in lowered.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call):
                yield from (argument.value for argument in node.args if argument.keyword == "world_size")
