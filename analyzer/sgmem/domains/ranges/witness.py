"""Finds realistic numbers at which a value is negative, and shows the arithmetic: `21.7 - 94 * (1 - 0.55) = -20.6`.

A witness counts only if the expression itself, evaluated exactly on the numbers, is negative, every number is allowed
by the facts, and every condition on the way that can be evaluated holds.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, product
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import truth_of, value_of
from sgmem.domains.algebra.forms import Ratio, Unsupported
from sgmem.domains.algebra.render import decimal_text, number_text
from sgmem.domains.algebra.solve import Threshold, derivative_sign, negative_when
from sgmem.domains.ranges.facts import CONTROL_ORDER, Fact, Facts
from sgmem.domains.ranges.proof import signs
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from sgmem.domains.algebra.branches import Branch
    from sgmem.domains.algebra.lift import SymbolOf

_MAX_STARTS = 32
_MAX_ADJUSTED = 4

Values = dict[str, Fraction]


class Witness(msgspec.Struct, frozen=True):
    """Numbers by name, the negative result, and one line that shows it."""

    values: tuple[tuple[str, Fraction], ...]
    result: Fraction
    text: str


def find_witness(branch: Branch, value: Ratio, symbol: SymbolOf, facts: Facts) -> Witness | None:
    """A witness for the alternative `branch`, whose ratio is `value` (rounding left out); None when none was found."""
    search = _Search(branch, symbol, facts)
    for values in search.candidates(value):
        result = search.judge(values)
        if result is not None:
            return Witness(tuple(values.items()), result, arithmetic_text(branch.expr, symbol, values, result))
    return None


def arithmetic_text(expr: ir.Expr, symbol: SymbolOf, values: Mapping[str, Fraction], result: Fraction) -> str:
    """`expr` with numbers for names, and its result: exact, or marked as rounded."""

    def shown(node: ir.Expr) -> str | None:
        if _is_arithmetic(node):
            return None
        known = _known(node, symbol, values)
        if known is None:
            return None
        text = number_text(known)
        return f"({text})" if known < 0 or " " in text else text

    text, exact = decimal_text(result)
    return f"{text_of(expr, shown)} {'=' if exact else '≈'} {text}"


class _Search:
    def __init__(self, branch: Branch, symbol: SymbolOf, facts: Facts) -> None:
        self.branch, self.symbol, self.facts = branch, symbol, facts
        roots = (branch.expr, *(choice.test for choice in branch.choices))
        named = dict.fromkeys(name for root in roots for name in _names(root, symbol))
        self.relations = [relation for relation in facts.nonnegative if named.keys() & set(relation.symbols)]
        for relation in self.relations:
            named.update(dict.fromkeys(relation.symbols))
        self.names = tuple(named)

    def judge(self, values: Values) -> Fraction | None:
        """The exact result at `values`, when they are a witness."""
        if not all(self.facts.fact(name).allows(value) for name, value in values.items()):
            return None

        def leaf(node: ir.Expr) -> Fraction | None:
            return _known(node, self.symbol, values)

        for choice in self.branch.choices:
            try:
                if truth_of(choice.test, leaf) != choice.holds:
                    return None
            except Unsupported:
                continue
        try:
            result = value_of(self.branch.expr, leaf)
            if any(relation.evaluated(values) < 0 for relation in self.relations):
                return None
        except Unsupported:
            return None
        return result if result < 0 else None

    def candidates(self, value: Ratio) -> Iterator[Values]:
        """Realistic values that push the result down, then the same with one name moved past its threshold."""
        starts = list(islice(self.starts(value), _MAX_STARTS))
        yield from starts
        order = sorted(self.names, key=lambda name: CONTROL_ORDER.index(self.facts.fact(name).control))
        for start in starts[:_MAX_ADJUSTED]:
            for name in order:
                others = {other: number for other, number in start.items() if other != name}
                for moved in self.moved(value, name, others):
                    yield {**start, name: moved}

    def starts(self, value: Ratio) -> Iterator[Values]:
        usual = signs(self.facts.as_usual())
        choices: list[tuple[Fraction, ...]] = []
        for name in self.names:
            small, large = self.facts.fact(name).realistic
            try:
                direction = derivative_sign(value, name, usual) if name in value.symbols else None
            except Unsupported:
                direction = None
            choices.append((small,) if direction == 1 else (large,) if direction == -1 else (small, large))
        for combination in product(*choices):
            yield dict(zip(self.names, combination, strict=True))

    def moved(self, value: Ratio, name: str, others: Values) -> Iterator[Fraction]:
        """Values of one name beyond the point where, all others fixed, the result turns negative."""
        try:
            threshold = negative_when(value.at(others), name, signs(self.facts))
        except Unsupported:
            return
        bound = threshold.bound.constant if threshold is not None else None
        if threshold is None or bound is None:
            return
        fact = self.facts.fact(name)
        for number in _beyond(threshold, bound, fact):
            if fact.allows(number) and (number < bound if threshold.relation == "<" else number > bound):
                yield number


def _beyond(threshold: Threshold, bound: Fraction, fact: Fact) -> Iterator[Fraction]:
    yield from fact.realistic
    step = abs(bound) / 10 or Fraction(1)
    end = fact.low if threshold.relation == "<" else fact.high
    outward = -1 if threshold.relation == "<" else 1
    raw = [bound + outward * step, bound + outward * 5 * step, bound + outward, bound + outward * 100]
    if end is not None:
        raw += [(bound + end) / 2, end]
    for number in raw:
        yield _tidy(number, fact.integer)
        yield number


def _tidy(value: Fraction, integer: bool) -> Fraction:
    """Three significant digits, whole where the name counts things."""
    if integer:
        return Fraction(round(value))
    if not value:
        return value
    digits = 2
    while abs(value) * Fraction(10) ** digits < 100 and digits < 12:
        digits += 1
    return Fraction(round(value, digits))


def _names(root: ir.Expr, symbol: SymbolOf) -> Iterator[str]:
    """The names of the leaves, in source order; what is below a named leaf belongs to it."""
    pending = [root]
    while pending:
        node = pending.pop()
        if not _is_arithmetic(node) and not isinstance(node, ir.Compare | ir.Boolean | ir.Conditional):
            named = symbol(node)
            if isinstance(named, str):
                yield named
            elif isinstance(named, Ratio):
                yield from named.symbols
            if named is not None:
                continue
        pending.extend(reversed(node.children()))


def _known(node: ir.Expr, symbol: SymbolOf, values: Mapping[str, Fraction]) -> Fraction | None:
    named = symbol(node)
    if isinstance(named, str):
        return values.get(named)
    if isinstance(named, Ratio):
        try:
            return named.evaluated(values)
        except (KeyError, Unsupported):
            return None
    return None if named is None else Fraction(named)


def _is_arithmetic(node: ir.Expr) -> bool:
    match node:
        case ir.Const():
            return arithmetic.constant(node) is not None
        case ir.Call():
            return arithmetic.function_name(node) is not None and arithmetic.operands(node) is not None
        case ir.Unary(operator=operator):
            return operator in ("-", "+")
        case ir.Collection() | ir.Walrus():
            return True
        case ir.Binary(operator=operator):
            return operator in ("+", "-", "*", "/", "//", "**", "<<", ">>")
    return False
