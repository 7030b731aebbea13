"""Values carried in containers: of the ways of a dict that holds the value among others, those that end in nothing are taken out.

A configuration that is dumped as a whole (to be logged, sent or shown) takes the value through every helper that handles such dumps,
and none of them does anything with it. What is kept: the ways that end where the value is taken out by its name, computed with, stored
or sizes an object; and on the others the function in which the value got into the container.
"""

from __future__ import annotations

from sgmem.flow.graph import Move, SiteKey, Slice, State
from sgmem.flow.places import Parameter, Place, Variable, is_name


def drop_idle(slice_: Slice) -> None:
    """Take out the sites that only idle carried values pass; to be called before anything is followed back."""
    live = _live(slice_.moves)
    near = _near(slice_, live)
    kept: set[SiteKey] = {*slice_.entries, *slice_.formulas}
    idle: set[SiteKey] = set()
    moves = []
    for move in slice_.moves:
        if move.source is None or not is_carried(move.source) or _leads_on(move, live) or move.source in near:
            kept.update(move.sites)
            moves.append(move)
        else:
            idle.update(move.sites)
    slice_.moves[:] = moves
    slice_.remove(idle - kept)


def is_carried(state: State) -> bool:
    """Whether the value is one of many where it is: an entry of a dict, or out of one without its name."""
    return state.nameless or any(map(is_name, state.path))


def _leads_on(move: Move, live: set[State]) -> bool:
    return move.counts or (move.target is not None and (move.target in live or not is_carried(move.target)))


def _live(moves: list[Move]) -> set[State]:
    """The carried states from which something is reached that counts."""
    into: dict[State, list[State]] = {}
    pending: list[State] = []
    for move in moves:
        if move.source is None or not is_carried(move.source):
            continue
        if move.counts or (move.target is not None and not is_carried(move.target)):
            pending.append(move.source)
        elif move.target is not None:
            into.setdefault(move.target, []).append(move.source)
    live: set[State] = set()
    while pending:
        state = pending.pop()
        if state not in live:
            live.add(state)
            pending += into.get(state, ())
    return live


def _near(slice_: Slice, live: set[State]) -> set[State]:
    """The carried states in the functions where the value gets into a container, as far as nothing but that function is passed."""
    onward: dict[State, list[State]] = {}
    pending: list[State] = []
    for move in slice_.moves:
        if move.target is None or not is_carried(move.target) or move.target in live:
            continue
        if _function(move.target.place) != _around(slice_, move.sites[0]):
            continue
        if move.source is None or not is_carried(move.source):
            pending.append(move.target)
        else:
            onward.setdefault(move.source, []).append(move.target)
    near: set[State] = set()
    while pending:
        state = pending.pop()
        if state not in near:
            near.add(state)
            pending += onward.get(state, ())
    return near


def _around(slice_: Slice, key: SiteKey) -> object:
    """The function that a site is in."""
    return key.file, key.file.outline.statements[slice_.sites[key].statement].scope


def _function(place: Place) -> object:
    """The function a place is local to; the place itself where it is none's."""
    if isinstance(place, Parameter):
        return place.function.file, place.function.index
    return (place.file, place.scope) if isinstance(place, Variable) else place
