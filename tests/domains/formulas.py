"""Random formulas for property tests: the text of an expression together with an independent way to compute it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import NamedTuple

from hypothesis import strategies as st

NAMES = ("available", "total", "fraction", "reserved")

Values = Mapping[str, Fraction]


class Formula(NamedTuple):
    """`compute` raises ZeroDivisionError where Python would."""

    text: str
    compute: Callable[[Values], Fraction]


def _constant(text: str) -> Formula:
    value = Fraction(1 << 30) if text == "(1 << 30)" else Fraction(text)
    return Formula(text, lambda values: value)


def _name(name: str) -> Formula:
    return Formula(name, lambda values: values[name])


def leaves(names: tuple[str, ...] = NAMES) -> st.SearchStrategy[Formula]:
    constants = st.sampled_from(["0", "1", "2", "0.5", "1.25", "1024", "(1 << 30)"])
    return st.one_of(st.sampled_from(names).map(_name), constants.map(_constant))


def binary(operator: str, left: Formula, right: Formula) -> Formula:
    operations: dict[str, Callable[[Fraction, Fraction], Fraction]] = {
        "+": lambda a, b: a + b,
        "-": lambda a, b: a - b,
        "*": lambda a, b: a * b,
        "/": lambda a, b: a / b,
        "//": lambda a, b: Fraction(math.floor(a / b)),
    }
    apply = operations[operator]
    return Formula(f"({left.text} {operator} {right.text})", lambda v: apply(left.compute(v), right.compute(v)))


def _negated(inner: Formula) -> Formula:
    return Formula(f"-{inner.text}" if inner.text[0] != "-" else f"-({inner.text})", lambda v: -inner.compute(v))


def call(name: str, inner: Formula) -> Formula:
    functions: dict[str, Callable[[Fraction], Fraction]] = {
        "int": lambda a: Fraction(math.trunc(a)),
        "float": lambda a: a,
        "round": lambda a: Fraction(round(a)),
        "abs": abs,
    }
    return Formula(f"{name}({inner.text})", lambda v: functions[name](inner.compute(v)))


def _extreme(name: str, left: Formula, right: Formula) -> Formula:
    choose = min if name == "min" else max
    return Formula(f"{name}({left.text}, {right.text})", lambda v: choose(left.compute(v), right.compute(v)))


def _conditional(left: Formula, a: Formula, b: Formula, orelse: Formula) -> Formula:
    return Formula(
        f"({left.text} if {a.text} < {b.text} else {orelse.text})",
        lambda v: left.compute(v) if a.compute(v) < b.compute(v) else orelse.compute(v),
    )


def _either(left: Formula, right: Formula) -> Formula:
    return Formula(f"({left.text} or {right.text})", lambda v: left.compute(v) or right.compute(v))


def _rational(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(st.builds(binary, st.sampled_from("+-*/"), inner, inner), st.builds(_negated, inner))


def _everything(inner: st.SearchStrategy[Formula]) -> st.SearchStrategy[Formula]:
    return st.one_of(
        _rational(inner),
        st.builds(binary, st.just("//"), inner, inner),
        st.builds(call, st.sampled_from(["int", "float", "round", "abs"]), inner),
        st.builds(_extreme, st.sampled_from(["min", "max"]), inner, inner),
        st.builds(_conditional, inner, inner, inner, inner),
        st.builds(_either, inner, inner),
    )


def rational_in(names: tuple[str, ...]) -> st.SearchStrategy[Formula]:
    return st.recursive(leaves(names), _rational, max_leaves=6)


def _linear(slope: Formula, rest: Formula, bottom: Formula) -> Formula:
    return binary("/", binary("+", binary("*", slope, _name("fraction")), rest), bottom)


_OTHERS = ("available", "total", "reserved")
linear = st.builds(_linear, rational_in(_OTHERS), rational_in(_OTHERS), rational_in(_OTHERS))
"""Formulas that are linear in `fraction`."""

rational = st.recursive(leaves(), _rational, max_leaves=8)
"""Formulas of + - * / only."""

anything = st.recursive(leaves(), _everything, max_leaves=7)
"""Formulas with floors, rounding, min, max, abs, conditionals and `or` as well."""

numbers = st.fractions(min_value=-200, max_value=200, max_denominator=50)

assignments = st.fixed_dictionaries(dict.fromkeys(NAMES, numbers))
