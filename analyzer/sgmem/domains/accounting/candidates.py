"""Where to look: the statements that calculate with amounts of memory, found by text before anything is parsed.

A function is a candidate when it holds a word that says something about memory: the name of a measuring function, of a
field with a modelled amount, or a name that spells a unit (`slack_gb`). Within it, names bound from such words are
followed to the statements that calculate or compare with them; only those are ever lowered.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.accounting.amount_statements import CALCULATES, CONVERTS, MULTIPLIES, SUFFIX, AmountStatements
from sgmem.domains.units.labels import UNIT_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.program.text_answers import Answer


class Candidates:
    """The candidate statements of one program."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.question = AmountStatements(models)
        self._sizing = {word for word in models.sinks.words if word.isidentifier()}

    def statements(self) -> Iterator[tuple[File, int]]:
        """Every statement that calculates with amounts, with its file, in source order."""
        for file, index in self.touched:
            if self._is_calculation(file, index):
                yield file, index

    def statements_of(self, paths: Iterable[str]) -> Iterator[tuple[File, int]]:
        """The same in some files."""
        files = self.program.files
        for path in paths:
            for file, index in self._read(path, files.answer(self.question, path)):
                if self._is_calculation(file, index):
                    yield file, index

    @cached_property
    def touched(self) -> tuple[tuple[File, int], ...]:
        """Every statement that has to do with amounts: calculates, stores, hands on or prints them; in source order."""
        answers = self.program.files.answering(self.question)
        return tuple(found for path, answer in answers for found in self._read(path, answer))

    def touched_in(self, file: File) -> Iterator[int]:
        """Those of a parsed file, wherever it is."""
        return (index for _, index in self._read(file.path, self.program.files.answer(self.question, file.path)))

    def _read(self, path: str, answer: Answer) -> Iterator[tuple[File, int]]:
        """The statements of an answer. A file without any is not parsed again to tell that it can be."""
        files = self.program.files
        if answer is not None:
            files.note_parsed(path)
        file = files.get(path) if answer else None
        if file is not None:
            yield from ((file, index) for index in answer or () if isinstance(index, int))

    def products(self) -> Iterator[tuple[File, int]]:
        """Every statement that multiplies or divides what may be an amount."""
        for file, index in self.touched:
            if MULTIPLIES.search(file.own_text(index)) is not None:
                yield file, index

    def claiming(self) -> Iterator[tuple[File, int]]:
        """Every statement that may say in which unit an amount is: by a name, a label, a conversion, the function it leaves."""
        sizing = re.compile(rf"\b(?:{'|'.join(sorted(self._sizing))})\(") if self._sizing else None
        for file, index in self.touched:
            text = file.own_text(index)
            row = file.outline.statements[index]
            said = SUFFIX.search(text) or UNIT_WORDS.search(text) or CONVERTS.search(text) or (sizing and sizing.search(text))
            if said or (row.kind == "return" and self.question.tells(file.scope(row.scope).name)):
                yield file, index

    def _is_calculation(self, file: File, index: int) -> bool:
        text = file.own_text(index)
        return text[:1] not in "\"'" and CALCULATES.search(text) is not None
