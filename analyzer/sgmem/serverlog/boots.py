"""Readings sorted into starts of a server: a log may hold several, each with many ranks whose lines interleave."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.serverlog.reading import Reading, Release
from sgmem.serverlog.settings import Setting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.serverlog.reading import Item

FREED = 0.5
"""A start is a new one when at least this share of what the one before had taken is free again."""
LATE = ("pool.size", "tokens.pool", "free.after-pool", "tokens.total", "free.before-capture", "free.after-capture", "mark.oom")
"""What is printed once the pools exist, or the start failed."""


class Boot(msgspec.Struct):
    """One start: its readings in order, and the settings that hold for it."""

    readings: list[Reading] = []
    settings: list[Setting] = []

    def of(self, *kinds: str) -> list[Reading]:
        return [one for one in self.readings if one.kind in kinds]

    def ranks(self) -> dict[str, list[Reading]]:
        """The readings of each rank that belongs to one world, in order. A lone rank need not say its name on every line."""
        named = {one.rank for one in self.readings if one.rank}
        lone = next(iter(named)) if len(named) == 1 else ""
        found: dict[str, list[Reading]] = {}
        for one in self.readings:
            found.setdefault(one.rank or lone, []).append(one)
        return _same_tokens(_one_world(found))

    def setting(self, name: str) -> Setting | None:
        """The last value that was printed by the end of the start, else printed later, else noted."""
        end = self.readings[-1].number if self.readings else 0
        printed = [one for one in self.settings if one.name == name and one.how == "printed"]
        noted = [one for one in self.settings if one.name == name and one.how == "noted"]
        return next(iter([*reversed([one for one in printed if one.number <= end]), *printed, *reversed(noted)]), None)


class _RankState:
    """Where a rank is in its start."""

    __slots__ = ("first", "last", "late", "loaded")

    def __init__(self) -> None:
        self.first: float | None = None
        self.last: float | None = None
        self.loaded = False
        self.late = False

    def restarts(self, one: Reading) -> bool:
        """Whether a reading before or after weights can only come from another start: what was taken is free again."""
        if self.last is None or self.first is None:
            return False
        begins = one.kind == "free.before-weights"
        if not (self.loaded if begins else self.late):
            return False
        if begins or self.first > self.last:
            return one.value > self.last + FREED * max(self.first - self.last, 0.1)
        return False

    def note(self, one: Reading) -> None:
        if one.kind.startswith("free.") and one.kind != "free.during-capture":
            self.first = one.value if self.first is None else self.first
            self.last = one.value
        self.loaded = self.loaded or one.kind == "free.after-weights"
        self.late = self.late or one.kind in LATE


def boots(items: Iterable[Item]) -> tuple[list[Boot], list[Release]]:
    """The starts of a log in order, and the releases that it names."""
    found: list[Boot] = []
    settings: list[Setting] = []
    releases: list[Release] = []
    states: dict[str, _RankState] = {}
    current = Boot([], [])
    for item in items:
        if isinstance(item, Release):
            releases.append(item)
            continue
        if isinstance(item, Setting):
            settings.append(item)
            continue
        state = states.setdefault(item.rank, _RankState())
        if item.kind in ("free.before-weights", "free.after-weights") and state.restarts(item):
            found.append(current)
            current, states = Boot([], []), {}
            state = states.setdefault(item.rank, _RankState())
        state.note(item)
        current.readings.append(item)
    if current.readings or not found:
        found.append(current)
    _share_out(found, settings)
    return [boot for boot in found if boot.readings or boot.settings], releases


def _share_out(found: list[Boot], settings: list[Setting]) -> None:
    """Give every start the settings printed since the one before; notes, and what is printed once, hold for all that follow."""
    ends = [boot.readings[-1].number if boot.readings else 0 for boot in found]
    for number, boot in enumerate(found):
        last = number == len(found) - 1
        boot.settings = [one for one in settings if last or one.number <= ends[number] or one.how == "noted"]
        if not boot.settings:
            boot.settings = settings[:1]


def _one_world(found: dict[str, list[Reading]]) -> dict[str, list[Reading]]:
    """With data parallelism every replica is a world of its own; then the first one with figures stands for all."""
    worlds: dict[str, dict[str, list[Reading]]] = {}
    inner: dict[str, set[str]] = {}
    for rank, readings in found.items():
        outer = re.search(r"(?<![A-Z_])DP(\d+)", rank)
        rest = re.sub(r"(?<![A-Z_])DP\d+", "", rank).strip()
        world = outer[1] if outer else ""
        worlds.setdefault(world, {})[rank] = readings
        inner.setdefault(rest, set()).add(world)
    shared = any(len(where - {""}) > 1 for rest, where in inner.items() if rest)
    if not shared:
        return found
    return max(
        worlds.items(),
        key=lambda world: (sum(one.kind.startswith("free.") for rows in world[1].values() for one in rows), -_order(world[0])),
    )[1]


def _same_tokens(found: dict[str, list[Reading]]) -> dict[str, list[Reading]]:
    """Ranks of one world agree on the token count: those that have another one are replicas, of which the first stands for all."""
    counts = {
        rank: next((one.value for one in reversed(readings) if one.kind == "tokens.total"), None) for rank, readings in found.items()
    }
    if len(set(counts.values()) - {None}) < 2:
        return found
    groups: dict[float, dict[str, list[Reading]]] = {}
    for rank, count in counts.items():
        if count is not None:
            groups.setdefault(count, {})[rank] = found[rank]
    return max(groups.values(), key=lambda group: len({one.kind for readings in group.values() for one in readings}))


def _order(world: str) -> int:
    return int(world) if world.isdigit() else 0


class Loads(msgspec.Struct, frozen=True):
    """What one rank printed of loading: before and after the weights that the budget sees, and the drafts loaded after the pools."""

    before: Reading | None
    after: Reading | None
    used: Reading | None
    late_drafts: tuple[Reading, ...] = ()
    first: Reading | None = None
    """After the first weights, where those of a draft came before the pools as well."""


def loads(readings: list[Reading]) -> Iterator[Loads]:
    """One for each rank whose readings these are: unlabelled ranks of one log share a list."""
    first_late = next((index for index, one in enumerate(readings) if one.kind in LATE), len(readings))
    early, later = readings[:first_late], readings[first_late:]
    before = [one for one in early if one.kind == "free.before-weights"]
    after = [one for one in early if one.kind == "free.after-weights"]
    used = [one for one in early if one.kind == "used.weights"]
    drafts = tuple(one for one in later if one.kind == "used.weights")
    if len(after) > 1 and _alike(before, after):
        for number, one in enumerate(after):
            start = before[number] if number < len(before) else (before[-1] if before else None)
            yield Loads(start, one, next((two for two in used if two.number == one.number), None), drafts)
        return
    taken = after[-1] if after else None
    if before and after and early.index(before[0]) > early.index(after[0]):
        before = []  # the log begins late: this is what was free before the draft
    own = next((two for two in used if after and two.number == after[0].number), used[0] if used else None)
    yield Loads(before[0] if before else None, taken, own, drafts, after[0] if after else None)


def _alike(before: list[Reading], after: list[Reading]) -> bool:
    """Whether several loads are several ranks rather than a target and its draft: each begins on an empty card."""
    if len(before) > 1:
        first = before[0].value
        return all(abs(one.value - first) <= 0.1 * first for one in before[1:])
    return all(abs(one.value - after[0].value) <= 0.02 * abs(after[0].value) + 0.05 for one in after[1:])
