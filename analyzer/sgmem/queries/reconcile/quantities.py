"""From the readings of one start to its figures: minimum over ranks, pools, tokens, the fraction in effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.results.reconcile import Allocation, Quantities
from sgmem.serverlog.boots import Boot, loads
from sgmem.serverlog.rows import rows

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.serverlog.reading import Reading
    from sgmem.serverlog.settings import Setting

REQUEST_TABLE_BYTES = 4
"""A table of one integer for each token that a request may hold stands beside the pools."""


LEAST_REQUESTS, REQUESTS_PER_CONTEXT = 2048, 512
"""How many requests known releases allow by default: at least, and for each full context that fits."""
LARGEST_TABLE = 1.4
"""GiB of a table for the least number of requests at the longest context that is common, 160k tokens."""


class Figures(msgspec.Struct, frozen=True):
    """The figures of a start with their precision: `step` is the unit of the last printed digit of the amounts."""

    quantities: Quantities
    allocations: tuple[Allocation, ...]
    fraction_how: str
    step: float
    by_difference: bool
    table: float
    reserve: float
    minimum_fractions: tuple[float, ...]
    ranks: int
    fraction_step: float = 0.0
    given: float | None = None
    """The fraction as it was set, before the program may have changed it."""
    adjusted: bool = False
    """Whether the log says that the program changed it."""
    table_most: float = 0.0
    """What that table may take where the log does not tell its size, GiB."""
    named: tuple[float, ...] = ()
    """All fractions that are named in the log."""
    world: int = 1
    """How many ranks there are, those included that the log does not show."""


def figures(boot: Boot) -> Figures:
    """Read the figures of a start."""
    by_rank = boot.ranks()
    members = [one for readings in by_rank.values() for one in readings]
    all_loads = [load for readings in by_rank.values() for load in loads(readings)]
    before = [load.before.value for load in all_loads if load.before is not None]
    after = [load.after.value for load in all_loads if load.after is not None]
    summed = [
        (load.first or load.after).value + load.used.value
        for load in all_loads
        if load.before is None and load.after is not None and load.used is not None
    ]
    pre = min(before) if before else min(summed, default=None)
    post = min(after, default=None)
    if post is None and pre is not None:
        post = min((load.before.value - load.used.value for load in all_loads if load.before and load.used), default=None)
    pre = min((one.value for one in members if one.kind == "budget.baseline"), default=pre)
    post = min((one.value for one in members if one.kind == "budget.available"), default=post)
    fraction, how, fraction_step = _fraction(boot, members)
    requests, context = _last(members, "requests"), _last(members, "context")
    allocations = _pools(by_rank)
    ends = _first_of_ranks(by_rank, "free.after-pool")
    pool_end = min(ends, default=None)
    drafts = [one.value for load in all_loads for one in load.late_drafts] + [one.value for one in members if one.kind == "used.draft"]
    tokens = _last(members, "tokens.total") or next((a.tokens for a in allocations if a.tokens), None)
    table = (requests + 1) * (context + 4) * REQUEST_TABLE_BYTES / 2**30 if requests and context else 0.0
    by_difference = False
    kv = sum(one.value for one in allocations if not one.draft) if allocations else None
    if kv is None and post is not None and pool_end is not None:
        taken = _taken(by_rank)
        if taken is not None:
            kv, by_difference = taken - table, True
            allocations = (
                Allocation("pools, by free memory before and after them", round(kv, 3), None if tokens is None else int(tokens)),
            )
    cap = boot.setting("max_total_tokens")
    cap_tokens = cap.value if cap is not None else _last(members, "tokens.cap")
    quantities = Quantities(
        pre_load=_rounded(pre),
        post_load=_rounded(post),
        fraction=fraction,
        kv=_rounded(kv),
        tokens=_whole(tokens),
        pool_end=_rounded(pool_end),
        end=_rounded(_end(by_rank)),
        budget=_rounded(_first(members, "budget")),
        profiled_tokens=_whole(_profiled(by_rank)),
        requests=_whole(requests),
        context=_whole(context),
        communicators=_rounded(max((one.value for one in members if one.kind == "used.communicators"), default=None)),
        captured=_rounded(_captured(by_rank)),
        draft_weights=_rounded(max(drafts, default=None)),
        cap_tokens=_whole(cap_tokens),
    )
    given, world = boot.setting(rows().fraction), boot.setting("tp_size")
    steps = [one.step for one in members if one.kind.startswith(("free.", "pool."))]
    minimum = tuple(one.value for one in members if one.kind == "fraction.minimum" and 0 < one.value < 1)
    reserve = max((one.value for one in members if one.kind == "reserve"), default=0.0)
    return Figures(
        quantities,
        allocations,
        how,
        max(steps, default=0.01),
        by_difference,
        table,
        reserve,
        minimum,
        max(len(all_loads), 1),
        fraction_step,
        None if given is None else given.value,
        any(one.kind == "mark.fraction-adjusted" for one in members),
        0.0 if table else _table_most(tokens, context or _value(boot.setting("context_length"))),
        tuple(dict.fromkeys(one.value for one in boot.settings if one.name == rows().fraction)),
        max(len(all_loads), int(world.value) if world is not None else 1),
    )


def _fraction(boot: Boot, members: list[Reading]) -> tuple[float | None, str, float]:
    """The fraction in effect: as the program printed it while it ran, else as it was set."""
    printed = [one for one in members if one.kind == "fraction" and 0 < one.value < 1]
    if printed:
        # An error that asks for another fraction names the one in effect first; attempts that follow name theirs.
        chosen = printed[0] if any(one.kind == "fraction.minimum" for one in members) else printed[-1]
        return chosen.value, "printed", chosen.step
    setting = boot.setting(rows().fraction)
    return (setting.value, setting.how, 0.0) if setting is not None else (None, "", 0.0)


def _pools(by_rank: dict[str, list[Reading]]) -> tuple[Allocation, ...]:
    """The pools of the rank that printed most of them, of several such the largest: every rank of a world has the same, but for the
    stages of a pipeline, whose layers differ."""
    best: tuple[Allocation, ...] = ()
    sums: list[Reading] = []
    for readings in by_rank.values():
        lines: dict[int, list[Reading]] = {}
        loaded_after: dict[int, bool] = {}
        late = draft = False
        for one in readings:
            late = late or one.kind in ("pool.size", "free.after-pool")
            draft = draft or (late and one.kind in ("free.before-weights", "free.after-weights")) or "draft" in one.text.lower()[:60]
            if one.kind in ("pool.size", "tokens.pool"):
                lines.setdefault(one.number, []).append(one)
                loaded_after[one.number] = draft
        found = []
        seen: set[tuple[float, float | None, bool]] = set()
        sums = sums or [one for one in readings if one.kind == "pool.sum"]
        for number, group in lines.items():
            size = sum(one.value for one in group if one.kind == "pool.size")
            tokens = next((one.value for one in group if one.kind == "tokens.pool"), None)
            # Ranks that do not say who they are print the same pools again.
            if not any(one.kind == "pool.size" for one in group) or (size, tokens, loaded_after[number]) in seen:
                continue
            seen.add((size, tokens, loaded_after[number]))
            name = group[0].text.partition(".")[0].partition(" is ")[0][-40:].strip() or "pool"
            found.append(Allocation(name, round(size, 3), _whole(tokens), loaded_after[number], number))
        if (len(found), sum(one.value for one in found)) > (len(best), sum(one.value for one in best)):
            best = tuple(found)
    if not best and sums:
        return (Allocation("pools together", sums[0].value, None, log_line=sums[0].number),)
    return best


def _table_most(tokens: float | None, context: float | None) -> float:
    """How large a table of requests may be: by known releases, so many requests for each full context that the tokens hold."""
    if context is None:
        return LARGEST_TABLE
    requests = max(LEAST_REQUESTS, (tokens or 0.0) / max(context, 1.0) * REQUESTS_PER_CONTEXT)
    return requests * (context + 8) * REQUEST_TABLE_BYTES / 2**30


def _value(setting: Setting | None) -> float | None:
    return None if setting is None else setting.value


def _profiled(by_rank: dict[str, list[Reading]]) -> float | None:
    """The token count that the budget gave. What is printed once pools stand is a draft's, whose own count may be anything."""
    found = None
    for readings in by_rank.values():
        for one in readings:
            if one.kind in ("pool.size", "pool.sum", "free.after-pool"):
                break
            if one.kind == "tokens.profiled":
                found = one.value
    return found


def _taken(by_rank: dict[str, list[Reading]]) -> float | None:
    """What the pools took of a rank: the smallest over ranks, of each by its own readings; of different ranks' where none has both."""
    own = []
    for readings in by_rank.values():
        after = next((load.after for load in loads(readings) if load.after is not None), None)
        end = next((one for one in readings if one.kind == "free.after-pool"), None)
        if after is not None and end is not None:
            own.append(after.value - end.value)
    return min(own, default=None)


def _end(by_rank: dict[str, list[Reading]]) -> float | None:
    """What is free when all is set up, on the fullest card."""
    last = []
    for readings in by_rank.values():
        kinds = ("free.after-capture", "free.ready", "free.during-capture", "free.before-capture", "free.after-pool")
        late = [one.value for one in readings if one.kind in kinds]
        if late:
            last.append(min(late) if any(one.kind == "mark.oom" for one in readings) else late[-1])
    return min(last, default=None)


def _captured(by_rank: dict[str, list[Reading]]) -> float | None:
    used = [sum(one.value for one in readings if one.kind == "used.capture") for readings in by_rank.values()]
    return max((one for one in used if one), default=None)


def _first_of_ranks(by_rank: dict[str, list[Reading]], kind: str) -> list[float]:
    return [
        one.value for readings in by_rank.values() for one in [next((r for r in readings if r.kind == kind), None)] if one is not None
    ]


def _first(members: Iterable[Reading], kind: str) -> float | None:
    return next((one.value for one in members if one.kind == kind), None)


def _last(members: list[Reading], kind: str) -> float | None:
    return next((one.value for one in reversed(members) if one.kind == kind), None)


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 6)


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)
