"""The moments of a start-up: its steps one after the other, each with its place in the tree, the worker it belongs to, and whether it
is sure to come in this order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.control.predicates import And, Atom, Not, Or
from sgmem.models.patterns import last_name as last_of_pattern
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgmem.control.predicates import Predicate
    from sgmem.domains.startup.steps import Startup, Step
    from sgmem.models.rows import RoleRow, Where

_Key = tuple[int, str | None]
"""An expansion, by the identity of its steps, and the worker that it is for."""

_CONDITION, _EXCLUSION, _CHOICE = 10, 9, 10
"""What stands before an expansion; that something is not so weighs less: it leaves out a special case."""
MAX_WALKS = 5
WORTH_FOLDING = 4
"""An expansion with fewer steps is repeated rather than referred to."""


class Moment(msgspec.Struct, eq=False):
    """A step in its place. `same_as`: the moment, before or after this one, that shows the same expansion."""

    number: int
    step: Step
    parent: Moment | None
    role: str | None
    certain: bool
    weight: int = 0
    """How much what stands before it narrows when it happens: conditions, and choices of one of several functions."""
    children: list[Moment] = msgspec.field(default_factory=list)
    same_as: Moment | None = None

    @property
    def kind(self) -> str:
        """That of the step; of an event that for this worker does nothing of its kind, though it does for others, a call. So is one
        that would do it by its calls (`around`), none of which does so here."""
        row = self.step.row
        if row is None or row.leaf or self.same_as is not None:
            return self.step.kind
        meant = row.around or any(one.kind == row.kind for child in self.step.children for one in child.walk())
        does = any(one.step.kind == row.kind or one.same_as is not None for one in self.below())
        return "call" if meant and not does and self.children else row.kind

    @property
    def where(self) -> Where | None:
        """Which memory it takes or frees: that of the events it consists of, where all of them agree."""
        row = self.step.row
        if row is None:
            return None
        rows = (one.step.row for one in self.below() if not one.children)
        inner = {one.where for one in rows if one is not None and one.kind == row.kind}
        return inner.pop() if len(inner) == 1 else row.where

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
    """All moments of a start-up, in order. What is entered several times is shown once, where the fewest conditions stand before it: a
    special case that comes first refers to the usual one below."""

    def __init__(self, startup: Startup, roles: Sequence[RoleRow]) -> None:
        self.roles = roles
        self.flags = {last_of_pattern(pattern): row for row in roles for pattern in row.names}
        self._least: dict[_Key, int] = {}
        self._empty: set[_Key] = set()
        planned: dict[_Key, int] = {}
        for _ in range(MAX_WALKS):  # what is shown in another place leads to others of which it says the least conditions
            self.tops = self._walk(startup, planned)
            if planned == self._least:
                break
            planned = dict(self._least)
        while self._waiting:  # not met below after all
            planned = {key: least for key, least in planned.items() if key not in self._waiting}
            self.tops = self._walk(startup, planned)

    def _walk(self, startup: Startup, least: dict[_Key, int]) -> list[Moment]:
        """Add the moments anew. `least` says for each expansion how few conditions stand before it where it is shown."""
        self.moments: list[Moment] = []
        self._excluded: dict[str, set[str]] = {}
        self._shown: dict[_Key, Moment] = {}
        self._waiting: dict[_Key, list[Moment]] = {}
        self._planned = least
        return [one for step in startup.steps if (one := self._add(step, None, None, 0)) is not None]

    def _add(self, step: Step, parent: Moment | None, role: str | None, before: int) -> Moment | None:
        if self._never(step, role):
            return None
        begun = self._role(step) if role is None else None
        if begun is not None and begun not in self._excluded:
            self._excluded[begun] = _excluded(step)
        role = role or begun
        certain = step.certain and step.kind != "choice" and (parent is None or parent.certain)
        moment = Moment(len(self.moments) + 1, step, parent, role, certain)
        key = (id(step.children), role)
        if step.kind in ("call", "choice") and key in self._empty:
            return None
        self.moments.append(moment)
        weight = before + sum(map(_weight, step.held)) + (_CHOICE if step.kind == "choice" else 0)
        moment.weight = weight
        self._least[key] = min(weight, self._least.get(key, weight))
        if self._is_folded(key, step, weight, moment):
            return moment
        self._shown.setdefault(key, moment)
        for waiting in self._waiting.pop(key, ()):
            waiting.same_as = moment
        moment.children = [one for child in step.children if (one := self._add(child, moment, role, weight)) is not None]
        if not moment.children and step.kind in ("call", "choice"):
            del self.moments[moment.number - 1 :]
            self._shown = {key: kept for key, kept in self._shown.items() if kept is not moment}
            self._empty.add(key)
            return None
        return moment

    def _is_folded(self, key: _Key, step: Step, weight: int, moment: Moment) -> bool:
        """Whether an expansion is shown elsewhere: above, or below where fewer conditions stand before it."""
        if sum(1 for child in step.children for _ in child.walk()) < WORTH_FOLDING:
            return False
        known = self._shown.get(key)
        if known is not None:
            moment.same_as = known
        elif weight > self._planned.get(key, weight):
            self._waiting.setdefault(key, []).append(moment)
        else:
            return False
        return True

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
        """Whether the flag of a worker, or what must be so for this worker to be there, keeps the step from it."""
        return any(self._holds(one, role) is False for one in step.held)

    def _holds(self, predicate: Predicate, role: str | None) -> bool | None:
        """Whether a condition holds for the worker of this role; None where nothing is known about it."""
        if isinstance(predicate, And | Or):
            parts = [self._holds(part, role) for part in predicate.parts]
            decisive = isinstance(predicate, Or)
            return decisive if decisive in parts else None if None in parts else not decisive
        if not isinstance(predicate, Atom) or predicate.operator not in ("truthy", "falsy"):
            return None
        row = self.flags.get(predicate.place.rpartition(".")[2])
        if row is not None:
            return (role == row.role) == (predicate.operator == "truthy")
        if role is not None and _ending(predicate.place) in self._excluded.get(role, ()):
            return predicate.operator == "falsy"
        return None


def _excluded(step: Step) -> set[str]:
    """What is not so wherever a worker is made: `if self.algorithm.is_none(): return` stands before it. The step makes the worker, or
    calls what makes it."""
    held = [*step.held, *(one for child in step.children[:1] if step.kind == "call" for one in child.held)]
    return {_ending(one.place) for one in held if isinstance(one, Atom) and one.operator == "falsy" and one.place.endswith("()")}


def _weight(predicate: Predicate) -> int:
    """How much a condition narrows when what it guards happens."""
    if isinstance(predicate, And):
        return sum(map(_weight, predicate.parts))
    if isinstance(predicate, Or):
        return min(map(_weight, predicate.parts))
    excludes = isinstance(predicate, Not) or (isinstance(predicate, Atom) and predicate.operator in ("falsy", "!=", "not in"))
    return _EXCLUSION if excludes else _CONDITION


def _ending(place: str) -> str:
    """The last two parts of a dotted text: what is asked of an object that others keep too, `algorithm.is_none()`."""
    return ".".join(place.rsplit(".", 2)[-2:])


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
