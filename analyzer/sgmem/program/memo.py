"""Remembered answers to questions that may ask one another in a circle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

K = TypeVar("K", bound="Hashable")
V = TypeVar("V")


class Questions:
    """The questions that are open now, over all memos that share them.

    An answer that met an open question, or gave up at a limit, is incomplete: it serves as long as the outermost question is open
    and is then forgotten, so that no answer depends on what was asked before.
    """

    def __init__(self) -> None:
        self.open = 0
        self.incomplete = False
        self.provisional: list[Callable[[], None]] = []

    def give_up(self) -> None:
        """Note that the answers to all open questions may lack something."""
        self.incomplete = True

    def close(self) -> None:
        """Forget what was good for the outermost question only."""
        for forget in self.provisional:
            forget()
        self.provisional.clear()
        self.incomplete = False


class Memo(Generic[K, V]):
    """The answers to one kind of question, by key. A question that is open already is answered with `default`."""

    def __init__(self, questions: Questions, default: V) -> None:
        self._questions = questions
        self._default = default
        self._known: dict[K, V] = {}
        self._open: set[K] = set()
        self._provisional: set[K] = set()

    def get(self, key: K, compute: Callable[[], V]) -> V:
        """The answer for `key`, by `compute` if it is not known."""
        questions = self._questions
        if key in self._known:
            if key in self._provisional:
                questions.incomplete = True
            return self._known[key]
        if key in self._open:
            questions.incomplete = True
            return self._default
        found = self._ask(key, compute)
        if not questions.open:
            questions.close()
        return found

    def _ask(self, key: K, compute: Callable[[], V]) -> V:
        questions = self._questions
        before, questions.incomplete = questions.incomplete, False
        self._open.add(key)
        questions.open += 1
        try:
            found = self._known[key] = compute()
        finally:
            self._open.discard(key)
            questions.open -= 1
        if questions.incomplete and questions.open:
            self._provisional.add(key)
            questions.provisional.append(lambda: self._forget(key))
        questions.incomplete |= before
        return found

    def _forget(self, key: K) -> None:
        self._known.pop(key, None)
        self._provisional.discard(key)
