"""The budget of the pools as a formula with roles: free memory now, free memory before the weights, the fraction, other terms.

Whatever the source calls them: the fraction is the field that the models name, the rest is told by where each input was measured.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import msgspec

Role = Literal["available", "baseline", "fraction", "other"]


class Term(msgspec.Struct, frozen=True):
    """An input of the formula: its name in the source, what it is, and where it was born."""

    name: str
    role: Role
    path: str = ""
    line: int = 0
    frame: str = ""


class Product(msgspec.Struct, frozen=True):
    """`coefficient` times the inputs of these names."""

    coefficient: str
    names: tuple[str, ...]


class Scale(msgspec.Struct, frozen=True):
    """A place that multiplies the fraction after the user gave it."""

    factor: float
    text: str
    path: str = ""
    line: int = 0
    when: str = ""


class Default(msgspec.Struct, frozen=True):
    """A constant that the fraction gets where the user gave none."""

    value: float
    path: str = ""
    line: int = 0
    when: str = ""


class BudgetFormula(msgspec.Struct, frozen=True):
    """The budget in GiB. `late_communicators`: the baseline is combined over ranks by a collective of the device itself, which sets its
    buffers up after this rank has measured."""

    text: str
    target: str
    terms: tuple[Term, ...]
    products: tuple[Product, ...]
    path: str = ""
    line: int = 0
    symbol: str = ""
    scales: tuple[Scale, ...] = ()
    defaults: tuple[Default, ...] = ()
    late_communicators: bool = False
    approximate: bool = False
    """Whether the source bounds a part from below under some conditions, which is left out here."""

    def role(self, name: str) -> Role:
        return next((term.role for term in self.terms if term.name == name), "other")

    def name(self, role: Role) -> str:
        return next((term.name for term in self.terms if term.role == role), role)

    @property
    def others(self) -> tuple[Term, ...]:
        """The inputs that a log does not print."""
        return tuple(term for term in self.terms if term.role == "other")

    def value(self, available: float, baseline: float, fraction: float) -> float:
        """The budget in GiB, the other terms at zero."""
        known: dict[Role, float] = {"available": available, "baseline": baseline, "fraction": fraction, "other": 0.0}
        total = 0.0
        for product in self.products:
            part = float(Fraction(product.coefficient))
            for name in product.names:
                part *= known[self.role(name)]
            total += part
        return total

    def fraction(self, available: float, baseline: float, budget: float) -> float | None:
        """The fraction that gives this budget; None where the formula does not depend on it."""
        at_zero, at_one = self.value(available, baseline, 0.0), self.value(available, baseline, 1.0)
        return (budget - at_zero) / (at_one - at_zero) if at_one != at_zero else None

    def baseline(self, available: float, fraction: float, budget: float) -> float | None:
        """The baseline that gives this budget."""
        at_zero, at_one = self.value(available, 0.0, fraction), self.value(available, 1.0, fraction)
        return (budget - at_zero) / (at_one - at_zero) if at_one != at_zero else None


USUAL = BudgetFormula(
    text="available - baseline * (1 - mem_fraction_static)",
    target="budget",
    terms=(Term("available", "available"), Term("baseline", "baseline"), Term("mem_fraction_static", "fraction")),
    products=(
        Product("1", ("available",)),
        Product("-1", ("baseline",)),
        Product("1", ("baseline", "mem_fraction_static")),
    ),
)
"""What every release until now computes, for a log whose release is not known."""
