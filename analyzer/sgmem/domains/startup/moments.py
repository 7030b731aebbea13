"""The moments of a start-up: its steps one after the other, each with its place in the tree, the worker it belongs to, and whether it
is sure to come in this order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.models.patterns import last_name as last_of_pattern
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgmem.domains.startup.steps import Startup, Step
    from sgmem.models.rows import RoleRow

WORTH_FOLDING = 4
"""An expansion with fewer steps is repeated rather than referred to."""


class Moment(msgspec.Struct, eq=False):
    """A step in its place. `same_as`: the moment whose expansion this one repeats and therefore does not show again."""

    number: int
    step: Step
    parent: Moment | None
    role: str | None
    certain: bool
    children: list[Moment] = msgspec.field(default_factory=list)
    same_as: Moment | None = None

    def above(self) -> Iterator[Moment]:
        """The moments around this one, the nearest first."""
        at = self.parent
        while at is not None:
            yield at
            at = at.parent

    def below(self) -> Iterator[Moment]:
        """The moments that this one leads to, in order."""
        for child in self.children:
            yield child
            yield from child.below()


class Line:
    """All moments of a start-up, in order."""

    def __init__(self, startup: Startup, roles: Sequence[RoleRow]) -> None:
        self.roles = roles
        self.flags = {last_of_pattern(pattern): row for row in roles for pattern in row.names}
        self.moments: list[Moment] = []
        self._shown: dict[tuple[int, str | None], Moment] = {}
        self.tops = [one for step in startup.steps if (one := self._add(step, None, None)) is not None]

    def _add(self, step: Step, parent: Moment | None, role: str | None) -> Moment | None:
        if self._never(step, role):
            return None
        role = role or self._role(step)
        certain = step.certain and step.kind != "choice" and (parent is None or parent.certain)
        moment = Moment(len(self.moments) + 1, step, parent, role, certain)
        self.moments.append(moment)
        key = (id(step.children), role)
        known = self._shown.get(key)
        if known is not None and sum(1 for child in step.children for _ in child.walk()) >= WORTH_FOLDING:
            moment.same_as = known
            return moment
        self._shown.setdefault(key, moment)
        moment.children = [one for child in step.children if (one := self._add(child, moment, role)) is not None]
        if not moment.children and step.kind in ("call", "choice"):
            del self.moments[moment.number - 1 :]
            self._shown = {key: kept for key, kept in self._shown.items() if kept is not moment}
            return None
        return moment

    def _role(self, step: Step) -> str | None:
        """The worker that a call begins to deal with: by a flag that it passes, or by the names that it is made with."""
        location = step.location
        statement = location.file.statement(location.statement)
        for root in statement.expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and node.span == location.span:
                    for argument in node.args:
                        row = self.flags.get(argument.keyword or "")
                        if row is not None and isinstance(argument.value, ir.Const) and argument.value.value is True:
                            return row.role
        spelled = [step.name, (step.target or "").rpartition(":")[2]]
        spelled += [_text(binding.target) for binding in statement.bindings]
        spelled += [location.code.partition("(")[0]]
        return next((row.role for row in self.roles if any(row.role in name.lower() for name in spelled)), None)

    def _never(self, step: Step, role: str | None) -> bool:
        """Whether a condition on the flag keeps the step from this worker."""
        for condition in step.when:
            negated = condition.startswith("not ")
            row = self.flags.get(condition.removeprefix("not ").rpartition(".")[2])
            if row is not None and negated == (role == row.role):
                return True
        return False


def _text(target: ir.Expr) -> str:
    return target.attr if isinstance(target, ir.Attribute) else target.id if isinstance(target, ir.Name) else ""


def in_order(first: Moment, second: Moment) -> bool | None:
    """Whether `first` comes before `second`: True where that holds on every expansion, False where only one of the two happens or the
    order is the other one, None where it is so on the expansion shown but may differ (a loop around both, an override).
    """
    if first.number >= second.number:
        return False
    lines = [[*reversed(list(one.above())), one] for one in (first, second)]
    shared = 0
    while shared < min(map(len, lines)) and lines[0][shared] is lines[1][shared]:
        shared += 1
    if shared in map(len, lines):
        return None  # one leads to the other
    left, right = lines[0][shared], lines[1][shared]
    if left.step.kind == "choice" and right.step.kind == "choice" and left.parent is right.parent:
        return False
    if any(left.step.when.count(other) for other in map(_opposite, right.step.when)):
        return False
    loops = (left.step.loop and right.step.loop) or any(one.step.loop for one in lines[0][:shared])
    return None if loops or not (first.certain and second.certain) else True


def _opposite(condition: str) -> str:
    return condition.removeprefix("not ") if condition.startswith("not ") else f"not {condition}"
