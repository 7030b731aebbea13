"""The functions in which the rules about guards look: those that measure memory or calculate with amounts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class SizingScopes:
    """Tells whether a function is one of them, in whichever file it stands."""

    def __init__(self, facts: ProgramFacts) -> None:
        self._facts = facts
        self._known: dict[File, frozenset[int]] = {}

    def has(self, file: File, scope: int) -> bool:
        if file not in self._known:
            self._known[file] = frozenset(self._in_file(file))
        return scope in self._known[file]

    def _in_file(self, file: File) -> Iterator[int]:
        words = (word for word in self._facts.models.measurements.words if word.isidentifier() and word in file.source.text)
        found = [*self._facts.candidates.touched_in(file), *(index for word in words for index in file.mentions(word))]
        scopes = dict.fromkeys(file.outline.statements[index].scope for index in found)
        return (scope for scope in scopes if file.scope(scope).kind == "function")


def sizing_scopes(facts: ProgramFacts) -> Iterator[tuple[File, int]]:
    """Each such function once, as its file and scope."""
    found = dict.fromkeys((file, file.outline.statements[index].scope) for file, index in facts.candidates.touched)
    for word in facts.models.measurements.words:
        if word.isidentifier():
            for file in facts.program.files.focused(word):
                found.update(dict.fromkeys((file, file.outline.statements[index].scope) for index in file.mentions(word)))
    for file, scope in found:
        if file.scope(scope).kind == "function":
            yield file, scope
