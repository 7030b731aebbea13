"""Which argument of a call fills which parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.program.calls import CallSite
    from sgmem.program.entities import Function
    from sgmem.syntax import ir
    from sgmem.syntax.ir import Argument
    from sgmem.syntax.outline import ParameterOutline


@dataclass(frozen=True, slots=True)
class Filled:
    """An argument with the parameter that it fills: by name, as element `key` of a star parameter, or, for a spread (`*x`, `**x`),
    unknown (`parameter` None)."""

    argument: Argument
    parameter: str | None
    key: str | int | None = None


def bind(site: CallSite, parameters: tuple[ParameterOutline, ...]) -> list[Filled]:
    """Match a call's arguments with a function's parameters, as Python does. What fits nowhere, or stands after a `*spread` of
    unknown length, is left out."""
    filled: list[Filled] = []
    places = [p for p in parameters if p.kind in ("positional", "normal")]
    star = next((p.name for p in parameters if p.kind == "star"), None)
    rest = next((p.name for p in parameters if p.kind == "double-star"), None)
    by_name = {p.name for p in parameters if p.kind in ("normal", "keyword")}
    position: int | None = site.filled
    for argument in site.arguments:
        if argument.star == "**":
            filled.append(Filled(argument, None))
        elif argument.star == "*":
            filled.append(Filled(argument, None, position))
            position = None
        elif argument.keyword is not None:
            if argument.keyword in by_name:
                filled.append(Filled(argument, argument.keyword))
            elif rest is not None:
                filled.append(Filled(argument, rest, argument.keyword))
        elif position is not None:
            if position < len(places):
                filled.append(Filled(argument, places[position].name))
            elif star is not None:
                filled.append(Filled(argument, star, position - len(places)))
            position += 1
    return filled


def accepts(function: Function, call: ir.Call) -> bool:
    """Whether a call of a method fits its parameters in number and name, the receiver aside."""
    parameters = function.parameters[0 if function.is_static else 1 :]
    if any(argument.star for argument in call.args):
        return True
    places = [p for p in parameters if p.kind in ("positional", "normal")]
    given = sum(1 for argument in call.args if argument.keyword is None)
    if given > len(places) and not any(p.kind == "star" for p in parameters):
        return False
    named = {argument.keyword for argument in call.args if argument.keyword is not None}
    known = {p.name for p in parameters if p.kind in ("normal", "keyword")}
    if not named <= known and not any(p.kind == "double-star" for p in parameters):
        return False
    left = [*places[given:], *(p for p in parameters if p.kind == "keyword")]
    return all(p.default is not None or p.name in named for p in left)
