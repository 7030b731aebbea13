"""Where to look: the statements that calculate with amounts of memory, found by text before anything is parsed.

A function is a candidate when it holds a word that says something about memory: the name of a measuring function, of a
field with a modelled amount, or a name that spells a unit (`slack_gb`). Within it, names bound from such words are
followed to the statements that calculate or compare with them; only those are ever lowered.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.domains.units import UnitError, parse_unit
from sgmem.program.names import bound_names
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.text import SourceText

_UNITS = "gib|mib|kib|gb|mb|kb|tb|bytes|nbytes|GIB|MIB|KIB|GB|MB|KB|TB|BYTES|NBYTES"
_SUFFIX = re.compile(rf"_(?:{_UNITS})\b")
_SCALED = re.compile(rb"_(?:gib|mib|kib|gb|mb|kb|tb|GIB|MIB|KIB|GB|MB|KB|TB)\b")
"""Names that spell a unit other than bytes."""
_CALCULATES = re.compile(r"[\w)\]]\s*(?:[-+]|[<>]=?)=?\s*[-\w(\[]|\b(?:min|max|sum)\(|(?:^|\n)\s*[-+<>]|[-+<>]=?\s*(?:\n|$)")
_ASSIGNED = re.compile(r"^\s*(?:\w+\.)?(\w+)(?:\s*,\s*\w+)*\s*(?::[^=\n]*)?[-+*/]?=(?!=)")
_BINDS = frozenset({"assign", "annotate", "augment", "for", "with"})
_LOWERED = frozenset({"assign", "annotate", "augment", "expression", "return", "assert", "if", "while", "for", "with"})
_LOOK_BACK = 4
"""How many lines above a word its assignment may begin, for the look at the text."""

MAX_WARM = 40
"""Names that are followed in one function; a function with more of them is no calculation of one amount."""


class Candidates:
    """The candidate statements of one program."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self._words = tuple(sorted(_amount_words(models)))
        self._telling = tuple(word.encode() for word in self._words if "bytes" not in word)

    def statements(self) -> Iterator[tuple[File, int]]:
        """Every statement worth lowering, with its file, in source order."""
        yield from self.statements_of(sorted(self.program.files.paths))

    def statements_of(self, paths: Iterable[str]) -> Iterator[tuple[File, int]]:
        """The same in some files."""
        for file in self.files(paths):
            for index in sorted(self._in_file(file)):
                yield file, index

    def files(self, paths: Iterable[str]) -> Iterator[File]:
        """The files that seem to calculate with memory, parsed.

        A file in which everything is in bytes, by its names, and nothing is measured has nothing to mix up: of such
        files (message buffers, kernels) there are many.
        """
        for path in paths:
            data = self.program.files.tree.read(path)
            if _SCALED.search(data) is None and not any(word in data for word in self._telling):
                continue
            source = self.program.files.source(path)
            file = self.program.files.get(path) if source is not None and self._calculates(source) else None
            if file is not None:
                yield file

    def _calculates(self, source: SourceText) -> bool:
        """Whether a line that holds a word, or a name assigned from one, seems to calculate."""
        lines = source.text.split("\n")
        names: set[str] = set()
        for offset in self._offsets(source.text):
            number = source.position(offset)[0] - 1
            line = lines[number].partition("#")[0]
            if _CALCULATES.search(line) is not None:
                return True
            assigned = (_ASSIGNED.match(above) for above in lines[max(0, number - _LOOK_BACK) : number + 1])
            names.update(found[1] for found in assigned if found is not None)
        return any(_CALCULATES.search(line) and not names.isdisjoint(re.findall(r"\w+", line)) for line in lines) if names else False

    def _offsets(self, text: str) -> list[int]:
        """Where the words are, each by the offset of its last character."""
        found = [match.end() - 1 for match in _SUFFIX.finditer(text)]
        for word in self._words:
            at = text.find(word)
            while at >= 0:
                end = at + len(word)
                if not _is_word(text[at - 1 : at]) and not _is_word(text[end : end + 1]):
                    found.append(end - 1)
                at = text.find(word, end)
        return found

    def _in_file(self, file: File) -> set[int]:
        scopes: dict[int, set[int]] = {}
        for offset in self._offsets(file.source.text):
            index = file.statement_at(*file.source.position(offset))
            if index >= 0:
                row = file.outline.statements[index]
                scope = file.scope_defined_by[index] if row.kind == "function" else row.scope
                scopes.setdefault(scope, set()).add(index)
        return {index for scope, seeds in scopes.items() for index in self._in_scope(file, scope, seeds)}

    def _in_scope(self, file: File, scope: int, seeds: set[int]) -> Iterator[int]:
        """The calculating statements among the seeds and those that use what the seeds bind."""
        touched, names = set(seeds), set[str]()
        pending = sorted(seeds)
        while pending:
            index = pending.pop()
            for name in self._bound(file, scope, index) - names:
                if len(names) >= MAX_WARM:
                    break
                names.add(name)
                fresh = set(file.mentions_in(scope, name)) - touched
                touched |= fresh
                pending += sorted(fresh)
        for index in touched:
            if file.outline.statements[index].kind in _LOWERED:
                text = file.own_text(index)
                if text[:1] not in "\"'" and _CALCULATES.search(text) is not None:
                    yield index

    def _bound(self, file: File, scope: int, index: int) -> set[str]:
        """The names that a statement gives what it holds: variables, attributes, parameters that spell a unit."""
        kind = file.outline.statements[index].kind
        if kind == "function":
            return {parameter.name for parameter in file.scope(scope).parameters if self._offsets(parameter.name)}
        if kind not in _BINDS:
            return set()
        attributes = {
            binding.target.attr
            for binding in file.statement(index).bindings
            if isinstance(binding.target, ir.Attribute) and binding.how in ("assign", "annotate", "augment")
        }
        return set(bound_names(file, index)) | attributes


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _amount_words(models: Models) -> set[str]:
    """The names that tell amounts of memory: measuring functions, and rows whose unit counts bytes or is a share."""
    words = set(models.measurements.words)
    for row in models.units.rows:
        try:
            unit = parse_unit(row.unit)
        except UnitError:
            continue
        powers = dict(unit.powers)
        if not row.hint and "elements" not in powers and ("bytes" in powers or unit.fraction):
            words |= {pattern.rpartition(".")[2].rpartition(":")[2] for pattern in row.names}
    return {word for word in words if word.isidentifier()}
