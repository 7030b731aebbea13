"""The frontier of a slice: which place is followed next, which are left out, and what is said about those."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import msgspec

from sgmem.flow.busy import EVERYDAY_FILES, MANY_READS, Writers
from sgmem.flow.graph import SiteKey, Slice, State
from sgmem.flow.places import Field


class Budget(msgspec.Struct, frozen=True):
    """What ends a slice that would not end by itself; each stop is reported.

    `states` bounds places followed, `derivations` the arithmetic steps away from the parameter, `fields` how many fields a computed
    value is followed through, `depth` the hops. `computed` says whether values computed from the parameter are followed at all, and
    `through_constructors` whether they are where they size a new object, which is where they end otherwise. When there are `sites`
    sites, values that are further than those found so far are left out; what is one step from the parameter only when there are twice
    as many. A step is a computation or a field of another name. `reads` is from how many reads on a field is left out that mostly holds
    other values or, from twice as many on, keeps the parameter under another name; without
    it fields of everyday names are followed as well.
    """

    states: int = 6000
    derivations: int = 3
    fields: int = 2
    depth: int | None = None
    computed: bool = True
    through_constructors: bool = False
    sites: int | None = 400
    reads: int | None = MANY_READS


class Distance(msgspec.Struct, frozen=True):
    """How far a state is from the parameter."""

    hops: int = 0
    derivations: int = 0
    fields: int = 0

    @property
    def level(self) -> int:
        """Computations and fields of other names between the parameter and the state."""
        return self.derivations + self.fields


START = Distance()
Waiting = tuple[State, Distance]


class Frontier:
    """The states that wait to be followed, those computed in fewer steps first."""

    def __init__(self, budget: Budget, slice_: Slice, writers: Writers) -> None:
        self.budget = budget
        self.slice = slice_
        self.writers = writers
        self.followed = 0
        self._levels: dict[int, deque[Waiting]] = {}
        self._reached = 0
        self._known: set[State] = set()
        self._busy: dict[Field, list[Waiting]] = {}
        self._opened: set[Field] = set()
        self._left: list[Waiting] = []
        self._told: dict[object, tuple[str, int, str]] = {}

    def __contains__(self, state: State) -> bool:
        return state in self._known

    def add(self, state: State, distance: Distance = START) -> None:
        """Follow a state, if it is new."""
        if state not in self._known:
            self._known.add(state)
            self._levels.setdefault(distance.level, deque()).append((state, distance))

    def __iter__(self) -> Iterator[Waiting]:
        """The states to follow, one by one; those added meanwhile included."""
        while (level := self._next()) is not None:
            if self.followed >= self.budget.states:
                self._stop()
                return
            yield self._levels[level].popleft()

    def _next(self) -> int | None:
        """The level to go on with: the lowest that has waiting states, when no busy field of a lower one is to be opened."""
        while True:
            waiting = min((level for level, queue in self._levels.items() if queue), default=None)
            if waiting is None or waiting > self._reached:
                if self._open(self._reached if waiting is not None else None):
                    continue
                if waiting is not None and self._is_full(waiting):
                    self._leave()
                    return None
            self._reached = max(self._reached, waiting or 0)
            return waiting

    def _is_full(self, level: int) -> bool:
        """Whether the slice has no room for a level; for what is one step from the parameter there is twice as much."""
        room = self.budget.sites
        return room is not None and self.slice.places >= (room if level > 1 else 2 * room)

    # -- everyday and busy fields ---------------------------------------------------------------------------------------------

    def leave_everyday(self, state: State, distance: Distance) -> bool:
        """Whether a state is left out, and told: a computed value, or one among others in a container, in a field of an everyday
        name."""
        place = state.place
        if self.budget.reads is None or not (state.derived or state.path) or place in self.slice.seeds:
            return False
        if not isinstance(place, Field) or not self.writers.is_everyday(place):
            return False
        why = f"more than {EVERYDAY_FILES} files read something called {place.name!r}; the reads of {place} are not followed"
        self._tell(("everyday", place), [(state, distance)], why)
        return True

    def set_aside(self, state: State, distance: Distance, reads: int) -> bool:
        """Whether a state is to wait: a field that many places read, until all that may set it has been followed."""
        place = state.place
        if not isinstance(place, Field) or place in self.slice.seeds or place in self._opened:
            return False
        if self.budget.reads is None:
            return False
        if not state.derived and not self.slice.bears_name(place.name, state.path):
            why = self.writers.parting(place, reads, self.budget.reads)
            if why is not None:
                self._tell(place, [(state, distance)], f"{place} {why}; its {reads} reads are not followed, trace it for them")
                return True
        if reads < self.budget.reads:
            return False
        self._busy.setdefault(place, []).append((state, distance))
        return True

    def _open(self, level: int | None) -> bool:
        """Go on with a busy field if the value is a fair part of what it holds; False when there is none. The others are told."""
        for place, waiting in self._busy.items():
            if level is not None and all(distance.level > level for _, distance in waiting):
                continue
            share = self.writers.share(place, self.slice)
            if not share.is_small:
                self._opened.add(place)
                for state, distance in self._busy.pop(place):
                    self._levels.setdefault(distance.level, deque()).append((state, distance))
                self._untell(place)
                return True
            carrying = f"{share.carrying} of {share.total} writes carry this one"
            self._tell(place, waiting, f"{place} mostly holds other values ({carrying}); its reads are not followed")
        return False

    # -- what is left out -----------------------------------------------------------------------------------------------------

    def _leave(self) -> None:
        """Leave out what is further from the parameter than the slice has room for."""
        left = self._left = [*self._left, *(one for queue in self._levels.values() for one in queue)]
        level = min(distance.level for _, distance in left)
        computed = sum(state.derived for state, _ in left)
        what = f"{computed} computed from it" + (f", {len(left) - computed} kept under other names" if computed < len(left) else "")
        steps = f"in {level} steps or more" if level > 1 else "in one step or more"
        why = f"{len(left)} further values ({what}) {steps} are not followed: the nearer places are {self.slice.places} already"
        self._tell("level", left, why)
        self._levels.clear()

    def _stop(self) -> None:
        left = [one for queue in self._levels.values() for one in queue]
        why = f"stopped after {self.followed} places with {len(left)} waiting; narrow the name or limit it with --depth"
        self._tell("states", left, why)
        self._levels.clear()

    def _tell(self, about: object, waiting: list[Waiting], why: str) -> None:
        """Report what is not followed, at the first of the sites where the value enters it; a word said before about the same goes."""
        self._untell(about)
        entered = [key for state, _ in waiting for key in self.slice.entering.get(state, ())] or list(self.slice.sites)
        if entered:
            first = min(entered, key=_position)
            self._told[about] = (first.file.path, first.span.line, why)
            self.slice.unresolved[self._told[about]] = None

    def _untell(self, about: object) -> None:
        if about in self._told:
            self.slice.unresolved.pop(self._told.pop(about), None)


def _position(key: SiteKey) -> tuple[str, int]:
    return key.file.path, key.span.line
