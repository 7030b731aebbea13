"""Error messages that advise a number with which the check that raised them would raise again.

The check tests a value, the message shows a number that was calculated from the same inputs. Put in the place of the
option that it is meant for, that number must bring the value to the edge of the check. If other terms remain, the advice
left something out that the check counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra.forms import Ratio, Unsupported
from sgmem.domains.algebra.lift import lift
from sgmem.domains.algebra.render import render
from sgmem.domains.execution.context import Context
from sgmem.domains.execution.execute import Machine
from sgmem.flow.aside import is_aside
from sgmem.program.entities import Function
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.execution.execute import TestKey
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_TERMS = 12
MAX_FLIPS = 16
MAX_STEPS = 400


class ContradictingAdvice(msgspec.Struct, frozen=True):
    """The message of `raised` advises `advice` for `option`; with it the tested value would be `left`, in the case `when`."""

    value: str
    option: str
    advice: str
    left: str
    when: str | None
    computed: Location
    test: Location
    raised: Location


def contradicting_advice(facts: ProgramFacts) -> Iterator[ContradictingAdvice]:
    """Every check of an amount of memory whose message advises too little."""
    context = Context(facts)
    for function, check, raised in raising_checks(facts):
        yield from _in_check(context, function, check, raised)


def raising_checks(facts: ProgramFacts) -> Iterator[tuple[Function, int, int]]:
    """Every `if` that raises, with the raise, in functions that calculate with amounts of memory."""
    scopes = dict.fromkeys((file, file.outline.statements[index].scope) for file, index in facts.statements)
    for file, scope in scopes:
        if file.scope(scope).kind != "function":
            continue
        for index in file.own_statements(scope):
            row = file.outline.statements[index]
            if row.kind == "raise" and row.block == "body" and row.parent >= 0 and not is_aside(file, index):
                if file.outline.statements[row.parent].kind == "if":
                    yield Function(file, scope), row.parent, index


def _in_check(context: Context, function: Function, check: int, raised: int) -> Iterator[ContradictingAdvice]:
    file = function.file
    tested = _tested(file, check)
    if tested is None:
        return
    for name, at in _shown(context, file, raised, check):
        for assumed, when in _branches(context, function, check, tested):
            value = formula_of(context, function, tested, check, assumed)
            advice = formula_of(context, function, name, check, assumed)
            found = _disagreement(value, advice) if value is not None and advice is not None else None
            if found is not None:
                option, left = found
                yield ContradictingAdvice(
                    tested, option, name, render(left), when, of_statement(file, at), _place(file, check), of_statement(file, raised)
                )
                return


def _branches(context: Context, function: Function, check: int, tested: str) -> Iterator[tuple[dict[TestKey, bool], str | None]]:
    """The assumptions under which the check fires: as usual, and with one undecided test before it turned."""
    machine = Machine(context, {})
    machine.run(function, tested)
    own = {key: True for key, one in machine.decisions.items() if one.file is function.file and one.statement == check}
    if not own:
        return
    yield own, None
    for key, one in list(machine.decisions.items())[:MAX_FLIPS]:
        if key not in own:
            text = text_of(one.test.expr if not one.holds else negated(one.test.expr))
            yield {**own, key: not one.holds}, text


def negated(test: Expr) -> Expr:
    """The opposite of a test, as it is best read."""
    if isinstance(test, ir.Unary) and test.operator == "not":
        return test.operand
    return ir.Unary(test.span, "not", test)


def _disagreement(value: Ratio, advice: Ratio) -> tuple[str, Ratio] | None:
    """The input that the advice is for, and what is left of the value with the advice in its place."""
    if len(value.numerator.terms) > MAX_TERMS or not set(advice.symbols) <= set(value.symbols):
        return None
    for option in value.symbols:
        if option not in advice.symbols and advice.symbols:
            left = _left(value, option, advice)
            if left is not None:
                return option, left
    return None


def _left(value: Ratio, option: str, advice: Ratio) -> Ratio | None:
    """What the tested value is with the advice in place of the option, where that is below 0 and none of the advice's own
    inputs are left in it; else None.
    """
    try:
        left = value.substituted({option: advice})
    except Unsupported:
        return None
    if set(left.symbols) & set(advice.symbols) or not left.numerator or left.denominator.constant is None:
        return None
    sign = 1 if left.denominator.constant > 0 else -1
    return left if all(coefficient * sign < 0 for _, coefficient in left.numerator.terms) else None


def _tested(file: File, check: int) -> str | None:
    """The local that a test `x <= 0`, `x < 0` asks about."""
    test = file.test(check)
    if isinstance(test, ir.Compare) and len(test.operators) == 1 and test.operators[0] in ("<", "<="):
        left, right = test.operands
        if isinstance(left, ir.Name) and isinstance(right, ir.Const) and right.value == 0:
            return left.id
    return None


def _place(file: File, check: int) -> Location:
    test = file.test(check)
    return Location(file, check, test.span if test is not None else file.outline.statements[check].span)


def _shown(context: Context, file: File, raised: int, check: int) -> Iterator[tuple[str, int]]:
    """The locals that the body of a check calculates and its message shows."""
    scope = file.outline.statements[raised].scope
    for root in file.statement(raised).values:
        for node in ir.walk(root):
            if isinstance(node, ir.Name):
                for index in context.facts.order.reaching(file, scope, node.id, raised):
                    if index > check and file.outline.statements[index].parent == check:
                        yield node.id, index


def formula_of(context: Context, function: Function, name: str, check: int, assumed: dict[TestKey, bool]) -> Ratio | None:
    """The exact form of what a local holds where the check fires, over inputs; rounding left out."""
    machine = Machine(context, {}, assumed)
    frame, _ = machine.run(function, name)
    fires = {key: True for key, one in machine.decisions.items() if one.file is function.file and one.statement == check}
    if not all(assumed.get(key) for key in fires):
        # What the check says in terms of inputs depends on the other assumptions.
        machine = Machine(context, {}, {**assumed, **fires})
        frame, _ = machine.run(function, name)
    value = frame.locals.get(name)
    if value is None or len(machine.steps) > MAX_STEPS:
        return None
    try:
        return lift(value.expr, lambda leaf: leaf.id if isinstance(leaf, ir.Name) else None).value
    except Unsupported:
        return None
