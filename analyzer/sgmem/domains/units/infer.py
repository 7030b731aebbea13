"""Infers the unit of an expression from its parts, bottom-up.

The caller says what it knows of the leaves; this module knows what arithmetic does to units. Two rules keep it quiet: a
factor that is not a conversion keeps the unit but makes the claim weak, and a sum is only as good as its better side.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from fractions import Fraction

import msgspec

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.algebra.render import number_text
from sgmem.domains.units.evidence import Evidence, Mismatch, Strength, mismatch, stronger
from sgmem.domains.units.unit import BYTES, CONVERSIONS, Unit, joined_scope
from sgmem.syntax import ir

UnitOf = Callable[[ir.Expr], "Evidence | None"]
"""What is known of a leaf's unit."""

ConstantOf = Callable[[ir.Expr], "Fraction | None"]
"""The number that a name is bound to as a literal (`GB = 1024**3`), or None."""

_SILENT = frozenset({"==", "!=", "<", "<=", ">", ">="})
_ASSUMED_BYTES = frozenset({Fraction(1 << 20), Fraction(1 << 30), Fraction(1 << 40)})
"""Factors that say by themselves that memory is being converted."""


_LARGE = frozenset({Fraction(1 << 20), Fraction(1 << 30), Fraction(1 << 40), Fraction(10**9), Fraction(10**12)})
"""Factors that are conversions and nothing else where an amount of memory is multiplied or divided by them."""


class Checked(msgspec.Struct, frozen=True):
    """A sum, difference or comparison whose two sides disagree, at the operation."""

    operation: ir.Expr
    mismatch: Mismatch


class _Amount(msgspec.Struct, frozen=True):
    """What is known of a value: its unit, and its number when it is a constant. Nothing known: neither."""

    evidence: Evidence | None = None
    constant: Fraction | None = None


def infer(expr: ir.Expr, unit_of: UnitOf, constant_of: ConstantOf | None = None) -> Evidence | None:
    """The unit of `expr`, with its evidence; None when nothing is known or the value is a plain constant."""
    return _Inference(unit_of, constant_of).amount(expr, 0).evidence


def check(expr: ir.Expr, unit_of: UnitOf, constant_of: ConstantOf | None = None) -> tuple[Checked, ...]:
    """Every sum, difference, comparison, min or max below `expr` whose sides disagree, both with strong evidence."""
    inference = _Inference(unit_of, constant_of)
    found: list[Checked] = []
    for node in ir.walk(expr):
        for left, right in compared(node):
            wrong = mismatch(inference.amount(left, 0).evidence, inference.amount(right, 0).evidence)
            if wrong is not None:
                found.append(Checked(node, wrong))
                break
    return tuple(found)


def compared(node: ir.Expr) -> Iterator[tuple[ir.Expr, ir.Expr]]:
    """The pairs of values that `node` requires to be in one unit."""
    match node:
        case ir.Binary(operator="+" | "-", left=left, right=right):
            yield left, right
        case ir.Compare(operators=operators, operands=operands):
            for operator, left, right in zip(operators, operands, operands[1:], strict=False):
                if operator in _SILENT:
                    yield left, right
        case ir.Call() if arithmetic.function_name(node) in ("min", "max", "sum"):
            parts = arithmetic.operands(node) or ()
            yield from ((parts[0], part) for part in parts[1:])


class _Inference:
    def __init__(self, unit_of: UnitOf, constant_of: ConstantOf | None) -> None:
        self.unit_of = unit_of
        self.constant_of = constant_of or (lambda expr: None)
        self.known: dict[ir.Expr, _Amount] = {}

    def amount(self, expr: ir.Expr, depth: int) -> _Amount:
        if expr not in self.known:
            self.known[expr] = _Amount() if depth > arithmetic.MAX_DEPTH else self.compute(expr, depth + 1)
        return self.known[expr]

    def compute(self, expr: ir.Expr, depth: int) -> _Amount:
        literal = self.literal(expr)
        if literal is not None:
            return literal
        match expr:
            case ir.Binary(operator="+" | "-", left=left, right=right):
                return self.joined(expr, [self.amount(left, depth), self.amount(right, depth)])
            case ir.Binary(operator="*", left=left, right=right):
                return self.product(expr, self.amount(left, depth), self.amount(right, depth), depth)
            case ir.Binary(operator="/" | "//", left=left, right=right):
                return self.quotient(expr, self.amount(left, depth), self.amount(right, depth), depth)
            case ir.Binary(operator="<<" | ">>", left=left):
                factor = self.factor(expr, depth)
                return self.by_constant(expr, self.amount(left, depth), factor, depth) if factor else _Amount()
            case ir.Binary(operator="%", left=left):
                return self.amount(left, depth)
            case ir.Unary(operator="-" | "+", operand=operand):
                return self.amount(operand, depth)
            case ir.Walrus(value=value):
                return self.amount(value, depth)
            case ir.Conditional(body=body, orelse=orelse):
                return self.joined(expr, [self.amount(body, depth), self.amount(orelse, depth)])
            case ir.Boolean(values=values):
                return self.joined(expr, [self.amount(value, depth) for value in values])
            case ir.Call() if arithmetic.function_name(expr) is not None:
                return self.called(expr, depth)
        return _Amount(self.unit_of(expr))

    def literal(self, expr: ir.Expr) -> _Amount | None:
        """A constant: an expression of literals, or a name bound to one."""
        try:
            value = value_of(expr, self.constant_of)
        except Unsupported:
            return None
        if isinstance(expr, ir.Binary | ir.Unary) and any(self._is_unit_constant(leaf) for leaf in ir.walk(expr)):
            return None  # `WORKSPACE_MB * 1024` is more than a number
        named = None if isinstance(expr, ir.Const) else self.unit_of(expr)
        if named is None or not named.unit.is_amount or value in CONVERSIONS:
            return _Amount(constant=value)
        # `ten_gb = 10 * (1 << 30)` is a number of bytes whatever it is called; `WORKSPACE_MB = 512` is what it says.
        if any(value and (value / reading.scale).denominator == 1 for reading in named.unit.readings()):
            return _Amount(named.converted(BYTES, "bound to a literal number of bytes", expr.span), value)
        return _Amount(named, value)

    def _is_unit_constant(self, leaf: ir.Expr) -> bool:
        """Whether a name stands for a number of megabytes and the like, not for the size of a unit (`GB = 1 << 30`)."""
        if not isinstance(leaf, ir.Name | ir.Attribute):
            return False
        named, value = self.unit_of(leaf), self.constant_of(leaf)
        return named is not None and named.unit.is_amount and value is not None and value not in CONVERSIONS

    def called(self, expr: ir.Call, depth: int) -> _Amount:
        parts = arithmetic.operands(expr)
        if parts is None:
            each = _each(expr)
            return self.amount(each, depth) if each is not None else _Amount(self.unit_of(expr))
        if arithmetic.function_name(expr) in ("min", "max", "sum"):
            return self.joined(expr, [self.amount(part, depth) for part in parts])
        return self.amount(parts[0], depth)

    def joined(self, expr: ir.Expr, sides: list[_Amount]) -> _Amount:
        """Values in one unit: the best claim holds for all. Constants and unknown sides weaken it, zero does not."""
        best: Evidence | None = None
        for side in sides:
            best = stronger(best, side.evidence)
        if best is None:
            return _Amount()
        others = [side for side in sides if side.evidence is not best]
        if any(other.evidence is not None and mismatch(best, other.evidence) for other in others):
            return _Amount()
        scope = best.unit.scope
        for other in others:
            if other.evidence is not None:
                scope = joined_scope(scope, other.evidence.unit.scope)
        exact = next((side.evidence.unit for side in sides if side.evidence and _exact(side.evidence)), None)
        unit = exact if best.unit.loose and exact is not None and exact.powers == best.unit.powers else best.unit
        if unit is not best.unit or scope != unit.scope:
            best = best.converted(Unit(unit.powers, unit.scale, scope, unit.loose, unit.fraction), best.why, expr.span)
        # `1 - fraction` is a share as well; `available - 1` may be anything.
        harmless = best.unit.dimensionless
        if any(side.evidence is None and side.constant != 0 and not (harmless and side.constant) for side in others):
            return _Amount(best.weakened("combined with a value whose unit is not known"))
        return _Amount(best)

    def product(self, expr: ir.Expr, left: _Amount, right: _Amount, depth: int) -> _Amount:
        if left.evidence is not None and right.evidence is not None:
            whole = _elements(expr, left.evidence, right.evidence)
            if whole is not None:
                return _Amount(whole)
            return _combined(expr, left.evidence, right.evidence, left.evidence.unit * right.evidence.unit)
        known, other = (left, right) if left.evidence is not None else (right, left)
        if other.constant is not None:
            return self.by_constant(expr, known, other.constant, depth)
        if known.constant is not None:
            return self.by_constant(expr, other, known.constant, depth)
        if known.evidence is None:
            return _Amount()
        if not known.evidence.unit.memory_per:
            return _Amount()  # a share or a number of unknown things is a thing of their kind
        if _is_unit_name(expr):
            return _Amount(known.evidence.weakened("multiplied by what may be a conversion"))
        return _Amount(known.evidence.times_unknown("multiplied by a factor whose unit is not known"))

    def quotient(self, expr: ir.Expr, left: _Amount, right: _Amount, depth: int) -> _Amount:
        if right.constant:
            return self.by_constant(expr, left, 1 / right.constant, depth)
        if left.evidence is None or right.evidence is None:
            return _Amount()
        return _combined(expr, left.evidence, right.evidence, left.evidence.unit / right.evidence.unit)

    def by_constant(self, expr: ir.Expr, value: _Amount, factor: Fraction, depth: int) -> _Amount:
        """The same amount in another unit when `factor` converts, else the same unit with less certainty."""
        if not factor:
            return _Amount()
        step = factor if abs(factor) >= 1 else 1 / factor
        word = "*" if abs(factor) >= 1 else "/"
        base, total = self.chain(expr, depth)
        if self.amount(base, depth).evidence is None:
            assumed = _assumed(expr, total)
            if assumed is not None:
                return _Amount(assumed)
        if value.evidence is None:
            return _Amount()
        if factor == 1:
            return value
        converted = value.evidence.unit.scaled_by(factor) if step in CONVERSIONS else None
        if converted is None and step in _LARGE and value.evidence.scaled and not value.evidence.unit.dimensionless:
            unit = value.evidence.unit
            converted = unit.replaced(scale=unit.scale / factor, loose=False)  # no factor but a conversion is that large
        assumed = _assumed(expr, total) if value.evidence.weak else None
        sure = assumed is not None and (assumed.strong or value.evidence.unit.is_amount)  # 10**9 of bytes is no count of parameters
        if sure and assumed is not None and converted is not None and assumed.unit.agrees(converted):
            return _Amount(Evidence(converted, assumed.strength, assumed.why, expr.span, False, (value.evidence,)))
        if value.evidence.unit.fraction and 0 < factor <= 1:
            return value  # a part of a share is a share
        if converted is None or value.evidence.unit.dimensionless:
            return _Amount(value.evidence.weakened(f"{word} {number_text(step)} is not a conversion of {value.evidence.unit}"))
        return _Amount(value.evidence.converted(converted, f"{word} {number_text(step)} makes it {converted}", expr.span))

    def chain(self, expr: ir.Expr, depth: int) -> tuple[ir.Expr, Fraction]:
        """Strip constant factors: `x // 1024 // 1024` is x and 2**-20."""
        total = Fraction(1)
        while isinstance(expr, ir.Binary):
            factor = self.factor(expr, depth)
            if factor:
                total, expr = total * factor, expr.left
                continue
            factor = self.amount(expr.left, depth).constant if expr.operator == "*" else None
            if not factor:
                break
            total, expr = total * factor, expr.right
        return expr, total

    def factor(self, expr: ir.Binary, depth: int) -> Fraction | None:
        """The constant by which the left operand is multiplied or divided."""
        right = self.amount(expr.right, depth).constant
        if not right:
            return None
        match expr.operator:
            case "*":
                return right
            case "/" | "//":
                return 1 / right
            case "<<" | ">>" if right.denominator == 1 and 0 < right <= 64:
                return Fraction(2) ** int(right if expr.operator == "<<" else -right)
        return None


def _assumed(expr: ir.Expr, total: Fraction) -> Evidence | None:
    """A conversion of a value of unknown unit shows what it was: `x / (1 << 30)` is GiB, `y * (1 << 30)` bytes."""
    step = total if abs(total) >= 1 else 1 / total
    # Counts of parameters and nanoseconds are divided by 1e9 as well.
    weak = step == 10**9
    if step not in _ASSUMED_BYTES and not weak:
        return None
    unit = BYTES if total > 1 else BYTES.replaced(scale=step)
    return Evidence(unit, Strength.CONVERSION, f"converted by {number_text(step)}", expr.span, weak)


_UNIT_NAME = re.compile(r"(?:^|_)(?:[kmgt]i?b|unit|scale|factor|conversion)(?:_bytes)?$", re.IGNORECASE)


def _is_unit_name(product: ir.Expr) -> bool:
    """Whether a factor is named like a conversion: `size * GB`, `size * unit`."""
    names = (
        leaf.id if isinstance(leaf, ir.Name) else leaf.attr for leaf in ir.walk(product) if isinstance(leaf, ir.Name | ir.Attribute)
    )
    return any(_UNIT_NAME.search(name) for name in names)


def _each(call: ir.Call) -> ir.Expr | None:
    """What `sum`, `min` or `max` takes from a comprehension: `x.nbytes` of `sum(x.nbytes for x in all)`."""
    if len(call.args) == 1 and arithmetic.function_name(call) in ("min", "max", "sum"):
        given = call.args[0].value
        if isinstance(given, ir.Comprehension) and given.kind in ("list", "generator"):
            return given.element
    return None


def _elements(expr: ir.Expr, left: Evidence, right: Evidence) -> Evidence | None:
    """A number of elements times the bytes of one is sure to be bytes, however loosely elements are counted."""
    for count, size in ((left, right), (right, left)):
        if count.unit.powers == (("elements", 1),) and size.strong and dict(size.unit.powers) == {"bytes": 1, "elements": -1}:
            return Evidence(count.unit * size.unit, size.strength, "elements times the bytes of one", expr.span, False, (count, size))
    return None


def _exact(evidence: Evidence) -> bool:
    return evidence.strong and not evidence.unit.loose


def _combined(expr: ir.Expr, left: Evidence, right: Evidence, unit: Unit) -> _Amount:
    """A product or quotient of two known units: as sure as the less sure of them."""
    weaker, better = sorted((left, right), key=lambda evidence: evidence.rank)
    # A loosely named count beside an amount that is sure leaves the scale as it is.
    counted = better.scaled and (weaker.scaled or not weaker.unit.memory_per)
    why = f"{left.unit} and {right.unit} give {unit}"
    strength = better.strength if weaker.weak and counted else weaker.strength
    return _Amount(Evidence(unit, strength, why, expr.span, weaker.weak, (left, right), weaker.weak and counted))
