"""The meaning of the random programs: which lines a tagged value truly reaches, on every combination of branches."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from flow.random_flows import GLOBAL, START, Expr, Flows, Function, Stmt

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_RUNS = 256
MAX_CALLS = 400


@dataclass
class Box:
    """A pair or list (parts under their index), a table (under its keys' index) or an object (under its fields' index)."""

    kind: str
    owner: str
    parts: dict[int, bool]

    @property
    def tagged(self) -> bool:
        """Whether holding the box is holding the value; an object's fields are places of their own."""
        return self.kind != "new" and any(self.parts.values())


Value = bool | Box
"""A number is known only by whether it is tagged: the traced value, or computed from it."""


class _Returned(Exception):
    def __init__(self, value: Value) -> None:
        self.value = value


class TooLong(Exception):
    """The program makes more calls, or has more combinations of branches, than are walked."""


class Walk:
    """One walk from `start(tagged, plain)`, taking the branches that `chosen` says; those beyond are taken as False and noted."""

    def __init__(self, flows: Flows, chosen: list[bool]) -> None:
        self.flows = flows
        self.chosen = chosen
        self.taken = 0
        self.calls = 0
        self.shared = False
        self.lines: set[int] = set()

    def run(self) -> None:
        self.call(self.flows.functions[START], [True, False])

    def decide(self) -> bool:
        if self.taken == len(self.chosen):
            self.chosen.append(False)
        self.taken += 1
        return self.chosen[self.taken - 1]

    def call(self, function: Function, arguments: list[Value]) -> Value:
        self.calls += 1
        if self.calls > MAX_CALLS:
            raise TooLong
        local: dict[str, Value | Expr] = {name: value for (name, _), value in zip(function.parameters, arguments, strict=True)}
        try:
            self.block(function.body, local)
        except _Returned as result:
            return result.value
        raise AssertionError("every function ends in a return")

    def block(self, block: list[Stmt], local: dict[str, Value | Expr]) -> None:
        for statement in block:
            self.statement(statement, local)

    def statement(self, statement: Stmt, local: dict[str, Value | Expr]) -> None:
        line, first = statement.line, statement.targets[0] if statement.targets else ""
        if statement.kind == "if":
            self.block(statement.body if self.decide() else statement.orelse, local)
            return
        if statement.kind == "def":
            local[first] = statement  # type: ignore[assignment]
            return
        assert statement.value is not None
        value = self.value(statement.value, local, line)
        match statement.kind:
            case "return":
                raise _Returned(value)
            case "assign" if len(statement.targets) == 1:
                local[first] = value
            case "assign":
                local.update({name: self.box(value).parts[i] for i, name in enumerate(statement.targets)})
            case "augment":
                local[first] = self.note(local[first] is True or value is True, line)
            case "global":
                self.shared = value is True
            case "store" | "put":
                self.box(local[first]).parts[statement.index] = value is True
            case "append":
                parts = self.box(local[first]).parts
                parts[len(parts)] = value is True
            case "set":
                box = self.box(local[first])
                box.parts[statement.index] = self.note(value is True, self.flows.classes[box.owner].set[statement.index])
            case "for":
                for part in list(self.box(value).parts.values()):
                    local[first] = part
                    self.block(statement.body, local)

    def box(self, value: object) -> Box:
        assert isinstance(value, Box)
        return value

    def note(self, tagged: bool, line: int) -> bool:
        """A line is reached when something tagged is read there, returned to it, or stored on it."""
        if tagged:
            self.lines.add(line)
        return tagged

    def value(self, expr: Expr, local: dict[str, Value | Expr], line: int) -> Value:
        found = self._value(expr, local, line)
        self.note(found is True or (isinstance(found, Box) and found.tagged), line)
        return found

    def _value(self, expr: Expr, local: dict[str, Value | Expr], line: int) -> Value:
        if expr.kind == "either":
            return self.value(expr.parts[0 if self.decide() else 1], local, line)
        parts = [self.value(part, local, line) for part in expr.parts]
        match expr.kind:
            case "const":
                return False
            case "global":
                return self.shared
            case "var":
                return local[expr.name]  # type: ignore[return-value]
            case "item" if expr.index < 0:
                return list(self.box(local[expr.name]).parts.values())[expr.index]
            case "item" | "key" | "field":
                return self.box(local[expr.name]).parts[expr.index]
            case "get":
                box = self.box(local[expr.name])
                return self.note(box.parts[expr.index], self.flows.classes[box.owner].returned[expr.index])
            case "closure":
                (body,) = local[expr.name].body  # type: ignore[union-attr]
                return self.value(body.value, local, body.line)
            case "sum":
                return parts[0]
            case "call":
                return self.call(self.flows.functions[expr.name], parts)
            case "new":
                for stored, part in zip(self.flows.classes[expr.name].stored, parts, strict=False):
                    self.note(part is True, stored)
        return Box(expr.kind, expr.name, {i: part is True for i, part in enumerate(parts)})


def walks(flows: Flows) -> Iterator[Walk]:
    """A walk for every combination of branches."""
    chosen: list[bool] = []
    while True:
        walk = Walk(flows, chosen)
        walk.run()
        yield walk
        while chosen and chosen[-1]:
            chosen.pop()
        if not chosen:
            return
        chosen[-1] = True


def reached(flows: Flows) -> set[int]:
    """The lines that the tagged value reaches on some walk. Raises `TooLong` where not all can be walked."""
    found = list(islice(walks(flows), MAX_RUNS + 1))
    if len(found) > MAX_RUNS:
        raise TooLong
    return set().union(*(walk.lines for walk in found))


__all__ = ["GLOBAL", "TooLong", "Walk", "reached", "walks"]
