"""Messages that advise the wrong way: to raise an option where the check that raised them wants it lower, or the other way round."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.forms import Ratio, Unsupported, number
from sgmem.domains.algebra.solve import derivative_sign
from sgmem.domains.defects.guards.advice import formula_of, raising_checks
from sgmem.domains.execution.context import Context
from sgmem.domains.ranges.facts import Fact, Facts
from sgmem.domains.ranges.proof import signs
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_SYMBOLS = 10
NEAR = 60
"""Characters between a verb and the flag that it is about."""
_FLAG = re.compile(r"--([a-z][a-z0-9]*(?:-[a-z0-9]+)+)|\b([a-z][a-z0-9]*(?:_[a-z0-9]+)+)\b")
_UP = re.compile(r"\b(?:increas(?:e|ing)|rais(?:e|ing)|enlarg(?:e|ing)|larger|higher|bigger|greater)\b", re.IGNORECASE)
_DOWN = re.compile(r"\b(?:decreas(?:e|ing)|reduc(?:e|ing)|lower(?:ing)?|smaller|shrink(?:ing)?)\b", re.IGNORECASE)


class WrongDirection(msgspec.Struct, frozen=True):
    """The message of `raised` says to move `option` up (or down), which makes `value` fail the check at `test` by more."""

    option: str
    up: bool
    value: str
    test: Location
    raised: Location


def wrong_directions(facts: ProgramFacts) -> Iterator[WrongDirection]:
    """Every check, in functions that calculate with amounts of memory, whose message leads away from passing it."""
    context = Context(facts)
    for function, check, raised in raising_checks(facts):
        text = function.file.own_text(raised)
        if _UP.search(text) or _DOWN.search(text):
            yield from _in_check(context, function, check, raised)


def _in_check(context: Context, function: Function, check: int, raised: int) -> Iterator[WrongDirection]:
    file = function.file
    test = file.test(check)
    advised = dict(_advised(_text(file, raised)))
    if not isinstance(test, ir.Compare) or len(test.operators) != 1 or test.operators[0] not in ("<", "<=", ">", ">=") or not advised:
        return
    margin = _margin(context, function, check, test)
    if margin is None or len(margin.symbols) > MAX_SYMBOLS:
        return
    known = signs(Facts({symbol: Fact(Fraction(0)) for symbol in margin.symbols}))
    for option, up in advised.items():
        symbol = next((one for one in margin.symbols if one.rpartition(".")[2] == option), None)
        try:
            sign = derivative_sign(margin, symbol, known) if symbol is not None else None
        except Unsupported:
            continue
        if sign == (-1 if up else 1):
            value = Location(file, check, test.operands[0].span).code
            yield WrongDirection(option, up, value, Location(file, check, test.span), of_statement(file, raised))


def _margin(context: Context, function: Function, check: int, test: ir.Compare) -> Ratio | None:
    """What must be above 0 for the check to pass."""
    sides = [_side(context, function, check, operand) for operand in test.operands]
    if sides[0] is None or sides[1] is None:
        return None
    difference = sides[0] - sides[1]
    return difference if test.operators[0] in ("<", "<=") else -difference


def _side(context: Context, function: Function, check: int, operand: Expr) -> Ratio | None:
    if isinstance(operand, ir.Name):
        return formula_of(context, function, operand.id, check, {})
    known = arithmetic.constant(operand) if isinstance(operand, ir.Const) else None
    return number(known) if known is not None else None


def _advised(text: str) -> Iterator[tuple[str, bool]]:
    """The options that a text names behind a word for up or down, and whether it is up; one that it names both ways is left out."""
    found: dict[str, set[bool]] = {}
    for flag in _FLAG.finditer(text):
        before = text[max(0, flag.start() - NEAR) : flag.start()].rpartition(".")[2].rpartition(";")[2]
        verbs = [(word.end(), True) for word in _UP.finditer(before)] + [(word.end(), False) for word in _DOWN.finditer(before)]
        if verbs:
            found.setdefault((flag[1] or flag[2]).replace("-", "_"), set()).add(max(verbs)[1])
    for option, ways in found.items():
        if len(ways) == 1:
            yield option, next(iter(ways))


def _text(file: File, raised: int) -> str:
    """The literal text of a message, `{}` for what it formats."""
    parts = [
        node.value if isinstance(node, ir.Const) else " {} "
        for root in file.statement(raised).values
        for node in ir.walk(root)
        if (isinstance(node, ir.Const) and isinstance(node.value, str)) or isinstance(node, ir.Name)
    ]
    return " ".join("".join(part for part in parts if isinstance(part, str)).split())
