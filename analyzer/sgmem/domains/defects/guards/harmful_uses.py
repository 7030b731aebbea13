"""Uses of a value that fail when it is zero, negative, None or empty: divisions, allocations, arithmetic, first elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.evaluation import expression_conditions
from sgmem.domains.accounting.location import Location, last_name
from sgmem.flow.naming import call_names
from sgmem.flow.order import ENTRY
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.conditions import Condition
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

Lack = Literal["zero", "negative", "none", "empty"]
"""What a value may be that a use of it does not stand."""

DIVISIONS = frozenset({"/", "//", "%"})
ARITHMETIC = frozenset({"+", "-", "*", "/", "//", "%", "<<", ">>"})
ORDERINGS = frozenset({"<", "<=", ">", ">="})
REDUCTIONS = frozenset({"min", "max", "mean", "median", "reduce"})
"""Functions of one sequence that raise where it is empty."""


class HarmfulUse(msgspec.Struct, frozen=True):
    """`place` is used at `location` in a way that `lack` does not allow; `word` says what happens there."""

    place: str
    lack: Lack
    word: str
    location: Location
    conditions: tuple[Condition, ...]
    through: Location | None = None
    """The call that leads there from the function that was asked about."""


def harmful_uses(facts: ProgramFacts, file: File, index: int, place: str, lacks: frozenset[Lack]) -> Iterator[HarmfulUse]:
    """The uses of a place, as `size` or `self.size`, in one statement, that some of the lacks make fail."""
    if place.rpartition(".")[2] not in file.own_text(index):
        return
    for root in file.statement(index).expressions():
        for node, above in ir.paths(root):
            if above and isinstance(node, ir.Name | ir.Attribute) and dotted(node) == place and above[-1].children():
                for lack, word in _harms(facts, file, index, node, above):
                    if lack in lacks:
                        conditions = (*facts.reaches.conditions.own(file, index), *expression_conditions(node, above, index))
                        yield HarmfulUse(place, lack, word, Location(file, index, above[-1].span), conditions)


def harmful_below(facts: ProgramFacts, file: File, index: int, place: str, lacks: frozenset[Lack]) -> Iterator[HarmfulUse]:
    """The same in functions that a statement calls with the value, or, for a field, in methods of the same object."""
    scope = file.outline.statements[index].scope
    for root in file.statement(index).expressions():
        for call in ir.walk(root):
            if not isinstance(call, ir.Call):
                continue
            for function, name in _entered(facts, call, file, index, scope, place):
                for inner in function.file.mentions_in(function.index, name.rpartition(".")[2]):
                    if _still(facts, function, name, inner):
                        for use in harmful_uses(facts, function.file, inner, name, lacks):
                            yield msgspec.structs.replace(use, through=Location(file, index, call.span))


def _still(facts: ProgramFacts, function: Function, name: str, at: int) -> bool:
    """Whether a parameter or field has the value there that it came in with."""
    reaching = facts.order.reaching_assignments if "." in name else facts.order.reaching
    return reaching(function.file, function.index, name, at) <= {ENTRY}


def _entered(facts: ProgramFacts, call: ir.Call, file: File, index: int, scope: int, place: str) -> Iterator[tuple[Function, str]]:
    """The functions that a call enters with the value, and what they call it."""
    passed = [argument for argument in call.args if dotted(argument.value) == place]
    receiver = dotted(call.func.base) if isinstance(call.func, ir.Attribute) else None
    owned = receiver is not None and place.startswith(f"{receiver}.") and place.count(".") == receiver.count(".") + 1
    if not passed and not owned:
        return
    for target, filled, certain in facts.program.calls.targets(call, file, scope):
        if not isinstance(target, Function) or not certain:
            continue
        for one in bind(CallSite(file, index, call, filled), target.parameters):
            if one.argument in passed and one.parameter is not None and one.key is None:
                yield target, one.parameter
        if owned and target.receiver is not None:
            yield target, f"{target.receiver}.{place.rpartition('.')[2]}"


def _harms(facts: ProgramFacts, file: File, index: int, node: Expr, above: tuple[Expr, ...]) -> Iterator[tuple[Lack, str]]:
    parent = above[-1]
    match parent:
        case ir.Binary(operator=operator) if operator in ARITHMETIC:
            if node is parent.right and operator in DIVISIONS and not isinstance(parent.left, ir.Format):
                yield "zero", "divides"
            if not isinstance(parent.left, ir.Format | ir.Collection) and not isinstance(parent.right, ir.Format | ir.Collection):
                yield "none", "is calculated with"
        case ir.Compare(operators=operators) if ORDERINGS & set(operators):
            yield "none", "is compared by size"
        case ir.Subscript(base=base, index=ir.Const(value=int()) | ir.Unary()) if node is base:
            yield "empty", "gives an element"
        case ir.Call():
            name = last_name(parent)
            if name in REDUCTIONS and len(parent.args) == 1 and parent.args[0].value is node and not parent.args[0].star:
                yield "empty", f"is given to {name}()"
    if _sizes_memory(facts, file, index, node, above):
        yield "negative", "sizes what is allocated"


def _sizes_memory(facts: ProgramFacts, file: File, index: int, node: Expr, above: tuple[Expr, ...]) -> bool:
    """Whether an expression is, bare or in a display, the size that an allocating call is given."""
    inner = node
    for parent in reversed(above):
        if isinstance(parent, ir.Collection):
            inner = parent
            continue
        if not isinstance(parent, ir.Call) or inner is parent.func:
            return False
        return _is_size(facts, parent, inner, file, file.outline.statements[index].scope)
    return False


def _is_size(facts: ProgramFacts, call: ir.Call, value: Expr, file: File, scope: int) -> bool:
    sinks = facts.models.sinks
    if not sinks.rows_for_name(last_name(call)):
        return False
    row = next((row for name in call_names(facts.program, call, file, scope) if (row := sinks.find(name)) is not None), None)
    if row is None:
        return False
    for position, argument in enumerate(call.args):
        if argument.value is value:
            return not row.sizes or argument.keyword in row.sizes or (argument.keyword is None and position in row.sizes)
    return False
