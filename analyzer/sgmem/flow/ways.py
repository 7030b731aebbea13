"""The ways into a place: which stacks of calls are told apart, and where a recursion ends."""

from __future__ import annotations

from msgspec.structs import replace

from sgmem.flow.graph import State
from sgmem.flow.places import Path, Place
from sgmem.flow.uses import Stack

MAX_STACK = 12
"""How many calls a value is remembered to have come in by. A helper that takes nested containers apart calls itself once a level, so
that few would soon lose who called the helper, and what it gives back would seem to go to everybody who calls it."""
MAX_WAYS = 64
"""How many stacks of calls into one place are told apart."""
_NEAREST = 2
"""Of how many calls the stacks beyond that number keep the innermost."""
_ROUNDS = 2
"""How often a value that comes back to the same place by a recursion is followed; a further round brings nothing new."""


class Ways:
    """Remembers by which calls each place was reached."""

    def __init__(self) -> None:
        self._known: dict[tuple[Place, Path, bool, bool], set[Stack]] = {}

    def merged(self, state: State) -> State:
        """The state to follow for one that is reached: itself, or a known one that is as good."""
        ways = self._known.setdefault((state.place, state.path, state.derived, state.nameless), set())
        if state.stack in ways:
            return state
        rounds = [outer for length in range(1, len(state.stack)) if (outer := state.stack[:length]) in ways]
        if len(rounds) >= _ROUNDS:
            return replace(state, stack=rounds[-1])
        stack = state.stack
        if len(ways) >= MAX_WAYS:
            # Who called the nearest functions is kept as long as there are few such callers.
            stack = state.stack[-_NEAREST:] if len(ways) < 2 * MAX_WAYS else ()
        ways.add(stack)
        return state if stack == state.stack else replace(state, stack=stack)
