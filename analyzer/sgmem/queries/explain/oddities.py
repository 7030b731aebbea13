"""Given values that cannot be what they are given for, said in words: text where a number is needed, None, a negative amount."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError
from sgmem.queries.explain.run import names_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from sgmem.domains.units.unit import Unit
    from sgmem.queries.explain.given import Given
    from sgmem.queries.explain.run import Run


def refuse_text(run: Run, given: Mapping[str, Given]) -> None:
    """Raises UsageError where the formula calculates with something that was given as text."""
    operands = names_of(run.value.expr) if run.value is not None else ()
    for name in operands:
        one = given.get(name)
        if one is not None and isinstance(one.value, str):
            raise UsageError(f"--set {name}={one.text}: the formula calculates with {name}, and {one.text!r} is no number")


def given_none(run: Run, given: Mapping[str, Given]) -> tuple[str, ...]:
    """The operands that were given as None."""
    operands = names_of(run.value.expr) if run.value is not None else ()
    return tuple(name for name in operands if name in given and given[name].value is None)


def oddities(run: Run, given: Mapping[str, Given], unit_of: Callable[[str, Run], Unit | None]) -> Iterator[str]:
    """One sentence for every operand whose value is calculated with all the same."""
    operands = names_of(run.value.expr) if run.value is not None else ()
    for name in operands:
        one = given.get(name)
        if one is None:
            continue
        if isinstance(one.value, bool):
            yield f"{name} is {one.text}, which is calculated with as {int(one.value)}"
            continue
        if not isinstance(one.value, Fraction):
            continue
        unit = unit_of(name, run)
        if unit is None:
            continue
        if unit.fraction and not 0 <= one.value <= 1:
            yield f"{name} is {one.text}, which is no share between 0 and 1; what the source does with it is calculated all the same"
        elif (unit.is_amount or unit.is_count) and one.value < 0:
            yield f"{name} is {one.text}: there are no negative {unit}; it is calculated with all the same"
