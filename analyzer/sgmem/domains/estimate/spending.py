"""Who spends an amount of memory: parameters that a division turns into a count, and the calls that hand an amount to one,
undivided, directly or through functions that build.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs
from sgmem.program.calls import bind
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.estimate.divisions import Divisions
    from sgmem.program.calls import CallSite
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

MAX_LEVELS = 4
_SAME = frozenset({"int", "float", "round", "abs"})


class Amount(msgspec.Struct, frozen=True):
    """What is spent, as the spending function spells it; `unless` is the parameter that takes its place where it is given."""

    text: str
    node: Expr
    unless: str | None = None

    @property
    def name(self) -> str:
        return self.text.rpartition(".")[2]


class Spending(msgspec.Struct, frozen=True):
    """A call in `function` that spends an amount in full. `sink` is the call that hands it to what divides it, itself if direct."""

    function: Function
    statement: int
    call: ir.Call
    amount: Amount
    sink: Spending | None = None

    @property
    def file(self) -> File:
        return self.function.file

    @property
    def last(self) -> Spending:
        return self if self.sink is None else self.sink.last


class Spenders:
    """The spendings of one program."""

    def __init__(self, program: Program, divisions: Divisions) -> None:
        self.program = program
        self._divisions = divisions

    @cached_property
    def parameters(self) -> frozenset[tuple[Function, str]]:
        """The parameters that are divided by the bytes of one thing in their own function, as they came."""
        found: set[tuple[Function, str]] = set()
        for one in self._divisions.found:
            function = Function(one.file, one.scope)
            for leaf in inputs(one.node.left):
                if isinstance(leaf, ir.Name) and function.parameter(leaf.id) is not None:
                    found.add((function, leaf.id))
        return frozenset(found)

    @cached_property
    def all(self) -> tuple[Spending, ...]:
        """Every call that spends an amount that its own function names, in source order by file."""
        found: dict[tuple[str, int, ir.Span, str], Spending] = {}
        asked: set[tuple[Function, str]] = set()
        pending = sorted(self.parameters, key=lambda one: (one[0].qualified, one[1]))
        for _ in range(MAX_LEVELS):
            fresh: list[Spending] = []
            for function, parameter in pending:
                if (function, parameter) not in asked:
                    asked.add((function, parameter))
                    fresh += self._given_to(function, parameter)
            for one in fresh:
                found.setdefault((one.file.path, one.statement, one.call.span, one.amount.text), one)
            pending = [(one.function, one.amount.text) for one in fresh if one.function.parameter(one.amount.text) is not None]
        for one in list(found.values()):
            for outer in self._through(one, 0):
                found.setdefault((outer.file.path, outer.statement, outer.call.span, outer.amount.text), outer)
        return tuple(sorted(found.values(), key=lambda one: (one.file.path, one.statement, one.call.span)))

    def _given_to(self, function: Function, parameter: str) -> Iterator[Spending]:
        """The calls that give a spending parameter an amount as it is."""
        for site in self.program.calls.callers(function):
            inside = self.program.calls.inside(site.file, site.statement)
            value = _argument(site, function, parameter)
            if inside is None or value is None or not site.certain:
                continue
            for amount in _amounts(value):
                yield Spending(inside, site.statement, site.call, amount)

    def _through(self, inner: Spending, depth: int) -> Iterator[Spending]:
        """The calls of functions that spend a field of what they are handed: each of them spends it again."""
        if depth >= MAX_LEVELS or inner.function.name == "__init__" or "." not in inner.amount.text:
            return
        root, _, rest = inner.amount.text.partition(".")
        if inner.function.parameter(root) is None or root == inner.function.receiver:
            return
        for site in self.program.calls.callers(inner.function):
            outside = self.program.calls.inside(site.file, site.statement)
            value = _argument(site, inner.function, root)
            text = dotted(value) if value is not None else None
            if outside is None or value is None or text is None:
                continue
            replaced = _argument(site, inner.function, inner.amount.unless) if inner.amount.unless is not None else None
            if replaced is not None and not (isinstance(replaced, ir.Const) and replaced.value is None):
                continue
            outer = Spending(outside, site.statement, site.call, Amount(f"{text}.{rest}", value), inner)
            yield outer
            yield from self._through(outer, depth + 1)


def _argument(site: CallSite, function: Function, parameter: str | None) -> Expr | None:
    return next((one.argument.value for one in bind(site, function.parameters) if one.parameter == parameter), None)


def _amounts(value: Expr) -> Iterator[Amount]:
    """The amounts that an argument hands on undivided: a name, or either side of a choice between names."""
    while isinstance(value, ir.Call) and len(value.args) == 1 and (dotted(value.func) or "") in _SAME:
        value = value.args[0].value
    text = dotted(value)
    if text is not None:
        yield Amount(text, value)
    elif isinstance(value, ir.Conditional):
        other = _asked_for_none(value.test)
        for side in (value.body, value.orelse):
            spelled = dotted(side)
            if spelled is not None:
                yield Amount(spelled, side, other if other != spelled else None)


def _asked_for_none(test: Expr) -> str | None:
    """The name of which a test asks whether it is None."""
    if isinstance(test, ir.Compare) and len(test.operands) == 2 and test.operators[0] in ("is", "is not"):
        left, right = test.operands
        if isinstance(left, ir.Name) and isinstance(right, ir.Const) and right.value is None:
            return left.id
    return None
