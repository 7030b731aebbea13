"""Counts that every pipeline stage works out of its own layers, and that no minimum over the stages makes one.

Stages may hold different numbers of layers. The same budget then holds a different number of tokens on each, and what all stages
must agree on, how many tokens there are, is not the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.defects.ranks.mixed_extents import per_token
from sgmem.domains.ranks.groups import STAGES, factors, spelled
from sgmem.domains.ranks.lattice import worlds
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.extents import Extents
    from sgmem.domains.ranks.lattice import World
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_STAGES = ("start_layer", "effective_layers", "get_pp_indices")
_COUNT = re.compile(
    r"(?:^|[_.])(?:max|total|all|capacity|limit)\w*(?:tokens?|pages|blocks|slots)$|(?:tokens?|pages|blocks|slots)_(?:capacity|limit|budget)$|capacity$"
)
MAX_CALLERS = 4


class UnreducedCount(msgspec.Struct, frozen=True):
    """`quotient` divides a budget by what one token takes in `layers`, those of this stage. `kept` is where the count is last set."""

    per_token: str
    layers: Location
    quotient: Location
    kept: Location
    world: World


def unreduced_counts(program: Program, order: Order, extents: Extents, counts: Counts) -> Iterator[UnreducedCount]:
    """Such counts in a program that joins stages and nowhere takes the least of a count."""
    names = per_token(counts)
    paths = program.files.with_text("|".join(_STAGES), begins=_STAGES)
    files = [program.files.get(path) for path in paths if program.files.text_has(path, names)]
    found = [(file, *one) for file in files if file is not None for one in _estimates(file, extents, names)]
    if not found or _is_agreed(program, order):
        return
    world = next((one for one in worlds(program, extents.groups) if STAGES in one.of), None)
    seen: set[tuple[str, int]] = set()
    for file, statement, name, layers in found if world is not None else ():
        scope = file.outline.statements[statement].scope
        if file.scope(scope).kind != "function" or is_aside(file, statement) or (file.path, scope) in seen:
            continue
        quotient = next(_quotients(file, scope, name, statement), None)
        if quotient is not None and world is not None:
            seen.add((file.path, scope))
            yield UnreducedCount(name, layers, quotient, _kept(program, Function(file, scope), quotient), world)


def _estimates(file: File, extents: Extents, names: re.Pattern[str]) -> Iterator[tuple[int, str, Location]]:
    """The statements that work out what one token takes, with its name and the layers of this stage among the factors."""
    for index, row in enumerate(file.outline.statements):
        if row.kind not in ("assign", "annotate") or names.search(file.own_text(index)) is None:
            continue
        for binding in file.statement(index).bindings:
            if binding.value is None or names.search(spelled(binding.target)) is None:
                continue
            for factor in factors(binding.value):
                extent = extents.of(factor, file, index)
                if extent is not None and extent.things == "layers" and extent.of == "part":
                    yield index, spelled(binding.target), extent.at


def _quotients(file: File, scope: int, name: str, after: int) -> Iterator[Location]:
    """The quotients by what one token takes, in the same function."""
    for index in file.mentions_in(scope, name.rpartition(".")[2]):
        if index <= after:
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Binary) and node.operator in ("/", "//") and dotted(node.right) == name:
                    yield Location(file, index, node.span)


def _is_agreed(program: Program, order: Order) -> bool:
    """Whether a minimum over ranks is taken of a count of tokens anywhere."""
    for path in program.files.containing("all_reduce", "ReduceOp.MIN"):
        file = program.files.get(path)
        for index in file.mentions("all_reduce") if file is not None else ():
            if file is None or file.outline.statements[index].kind in ("function", "class", "import"):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call) and last_name(node) == "all_reduce" and node.args:
                        if any(_COUNT.search(text) for text in _made_of(file, index, node.args[0].value, order)):
                            return True
    return False


def _made_of(file: File, index: int, tensor: Expr, order: Order) -> Iterator[str]:
    """The names that a tensor is made of, its own first."""
    yield from (text for node in ir.walk(tensor) if (text := dotted(node)) is not None)
    name = dotted(tensor)
    if name is None or "." in name:
        return
    for at in order.reaching(file, file.outline.statements[index].scope, name, index) - {ENTRY}:
        for binding in file.statement(at).bindings:
            yield from (text for node in ir.walk(binding.value) if (text := dotted(node)) is not None) if binding.value else ()


def _kept(program: Program, function: Function, quotient: Location) -> Location:
    """Where a caller last sets the field in which it keeps the count; the quotient itself where that is not in sight."""
    for site in program.calls.callers(function)[:MAX_CALLERS]:
        for binding in site.file.statement(site.statement).bindings:
            field = dotted(binding.target)
            if field is None or "." not in field:
                continue
            scope = site.file.outline.statements[site.statement].scope
            name = field.rpartition(".")[2]
            for index in reversed([one for one in site.file.mentions_in(scope, name) if site.file.may_bind(one, name)]):
                for one in site.file.statement(index).bindings:
                    if dotted(one.target) == field:
                        return Location(site.file, index, one.target.span)
    return quotient
