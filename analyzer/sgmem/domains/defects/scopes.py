"""The functions in which the rules about guards look: those that measure memory or calculate with amounts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


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
