"""The statements of a file that have to do with amounts of memory, by its text and outline alone.

A function holds such statements when it holds a word that says something about memory: the name of a measuring function, of a
field with a modelled amount, or a name that spells a unit (`slack_gb`). Within it, names bound from such words are
followed to the statements that calculate or compare with them.
"""

from __future__ import annotations

import hashlib
import re
from functools import cached_property
from typing import TYPE_CHECKING, AnyStr

from sgmem.domains.units.labels import UNIT_WORDS
from sgmem.domains.units.unit import UnitError, parse_unit
from sgmem.program.contexts import positions

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.models.load import Models
    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import File, Files
    from sgmem.program.text_answers import Answer
    from sgmem.syntax.text import SourceText

_UNITS = "gib|mib|kib|gb|mb|kb|tb|bytes|nbytes|GIB|MIB|KIB|GB|MB|KB|TB|BYTES|NBYTES"
SUFFIX = re.compile(rf"_(?:{_UNITS})(?:_(?:size|SIZE|limit|LIMIT|max|MAX|total|TOTAL|used|free))?\b")
_SCALED = r"_(?:gib|mib|kib|gb|mb|kb|tb|GIB|MIB|KIB|GB|MB|KB|TB)\b"
"""Names that spell a unit other than bytes."""
_CONVERSION = (
    r"1 ?<< ?[23]0|1024 ?\*\* ?[23]|1024(?: ?\* ?1024)+|// ?1024 ?// ?1024|/ ?1024 ?/ ?1024|2 ?\*\* ?[23]0|\b1e9\b|\b10 ?\*\* ?9"
)
_SIGNS = ("1024", "<<", "1e9", "2**", "2 **", "10**", "10 **")
"""A conversion holds one of these; to look for them first is many times faster."""
_SIGNS_BYTES = tuple(sign.encode() for sign in _SIGNS)
CONVERTS = re.compile(_CONVERSION)
_CONVERTS_BYTES = re.compile(_CONVERSION.encode())
_PRINTS = re.compile(rb"[}fds] ?[(\[]?[GMK]i?B\b")
"""The end of a template's field, and a unit behind it."""
_PRINTED = (b"GB", b"MB", b"KB", b"GiB", b"MiB", b"KiB")
_TARGET = re.compile(r"\b[A-Za-z_]\w*\b(?!\s*[.\[(])")
"""In the text of an assignment's target: the names and the attributes that receive something."""
_OF_MEMORY = re.compile(r"byte|mem|size|[GM]i?B\b|capacity", re.IGNORECASE)
"""What a line that converts by 10**9 must hold besides: nanoseconds are counted so as well."""
CALCULATES = re.compile(r"[\w)\]]\s*(?:[-+]|[<>]=?)=?\s*[-\w(\[]|\b(?:min|max|sum)\(|(?:^|\n)\s*[-+<>]|[-+<>]=?\s*(?:\n|$)")
MULTIPLIES = re.compile(r"[\w)\]]\s*(?:\*|//?|<<)=?\s*[-\w(\[]")
_ASSIGNED = re.compile(r"^\s*(?:\w+\.)?(\w+)(?:\s*,\s*\w+)*\s*(?::[^=\n]*)?[-+*/]?=(?!=)")
_BINDS = frozenset({"assign", "annotate", "augment", "for", "with"})
_LOWERED = frozenset({"assign", "annotate", "augment", "expression", "return", "raise", "assert", "if", "while", "for", "with"})
_LOOK_BACK = 4
"""How many lines above a word its assignment may begin, for the look at the text."""

MAX_WARM = 40
"""Names that are followed in one function; a function with more of them is no calculation of one amount."""
_UNPARSABLE: list[int | str] = [-1]
_GONE = -2


class AmountStatements:
    """Finds the statements, as a question about a file's text; see `TextQuestion`."""

    def __init__(self, models: Models) -> None:
        self._words = frozenset(_amount_words(models))
        told = "|".join(sorted(word for word in self._words if "bytes" not in word))
        self._telling = re.compile(f"{_SCALED}|{told or '(?!)'}".encode())
        self._amount = re.compile(f"(?m){SUFFIX.pattern}|^(?:{'|'.join(sorted(self._words)) or '(?!)'})$".encode())

    @cached_property
    def key(self) -> str:
        return "amounts " + hashlib.blake2b(" ".join(sorted(self._words)).encode(), digest_size=8).hexdigest()

    def ask(self, files: Files, path: str) -> Answer:
        """The indices of the statements of a file that seems to calculate with memory, in order; [-1] where it cannot be read.

        A file in which everything is in bytes, by its names, and nothing is measured has nothing to mix up: of such
        files (message buffers, kernels) there are many.
        """
        data = files.tree.read(path)
        telling = (
            files.tree.words_like(path, self._telling)
            or any(_CONVERTS_BYTES.search(data, *line) for line in _lines_with(data, _SIGNS_BYTES, b"\n"))
            or any(_PRINTS.search(data, *line) for line in _lines_with(data, _PRINTED, b"\n"))
        )
        source = files.source(path) if telling else None
        if telling and source is None:
            return _UNPARSABLE
        offsets = self._offsets(files, source) if source is not None else set()
        if source is None or not self._calculates(source, offsets):
            return None
        file = files.get(path)
        return _UNPARSABLE if file is None else [*sorted(self._in_file(file, offsets))]

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        if answer is None or answer == _UNPARSABLE:
            return answer
        return [_GONE if (index := edit.statement(int(one))) is None else index for one in answer]

    def _calculates(self, source: SourceText, offsets: set[int]) -> bool:
        """Whether a line that holds a word, or a name assigned from one, seems to calculate."""
        lines = source.text.split("\n")
        names: set[str] = set()
        for offset in offsets:
            number = source.position(offset)[0] - 1
            line = lines[number].partition("#")[0]
            if _tells(line):
                return True
            assigned = (_ASSIGNED.match(above) for above in lines[max(0, number - _LOOK_BACK) : number + 1])
            names.update(found[1] for found in assigned if found is not None)
        return any(_tells(line) and not names.isdisjoint(re.findall(r"\w+", line)) for line in lines) if names else False

    def tells(self, name: str) -> bool:
        """Whether a name is one of the words, or spells a unit."""
        return name in self._words or SUFFIX.search(name) is not None

    def _offsets(self, files: Files, source: SourceText) -> set[int]:
        """Where the words and the conversions are, each by the offset of one of its characters."""
        text, found = source.text, set[int]()
        for line in _lines_with(text, _SIGNS, "\n"):
            found.update(match.start() for match in CONVERTS.finditer(text, *line) if self._is_of_memory(text, match))
        for word in files.tree.words_like(source.path, self._amount):
            found.update(at + len(word) - 1 for at in positions(text, word.decode()))
        if not source.is_ascii:  # a name with other letters is in parts among the words
            found.update(match.end() - 1 for match in SUFFIX.finditer(text))
        return found

    @staticmethod
    def _is_of_memory(text: str, match: re.Match[str]) -> bool:
        if not re.fullmatch(r"1e9|10 ?\*\* ?9", match.group()):
            return True
        end = text.find("\n", match.end())
        return _OF_MEMORY.search(text[text.rfind("\n", 0, match.start()) + 1 : end if end >= 0 else len(text)]) is not None

    def _in_file(self, file: File, offsets: set[int]) -> set[int]:
        scopes: dict[int, set[int]] = {}
        for offset in offsets:
            index = file.statement_at(*file.source.position(offset))
            if index >= 0:
                row = file.outline.statements[index]
                scope = file.scope_defined_by[index] if row.kind == "function" else row.scope
                scopes.setdefault(scope, set()).add(index)
        return {index for scope, seeds in scopes.items() for index in self._in_scope(file, scope, seeds)}

    def _in_scope(self, file: File, scope: int, seeds: set[int]) -> Iterator[int]:
        """The seeds and the statements that use what the seeds bind, as far as they are worth lowering."""
        touched, names = set(seeds), set[str]()
        pending = sorted(seeds)
        while pending:
            index = pending.pop()
            for name in sorted(self._bound(file, scope, index) - names):
                if len(names) >= MAX_WARM:
                    break
                names.add(name)
                fresh = set(file.mentions_in(scope, name)) - touched
                touched |= fresh
                pending += sorted(fresh)
        for index in touched:
            if file.outline.statements[index].kind in _LOWERED:
                yield index

    def _bound(self, file: File, scope: int, index: int) -> set[str]:
        """The names that a statement gives what it holds: variables, attributes, parameters that spell a unit."""
        kind = file.outline.statements[index].kind
        if kind == "function":
            return {parameter.name for parameter in file.scope(scope).parameters if self.tells(parameter.name)}
        if kind not in _BINDS:
            return set()
        return set(_TARGET.findall(file.target_text(index) if kind != "with" else file.own_text(index)))


def _lines_with(text: AnyStr, parts: Iterable[AnyStr], newline: AnyStr) -> Iterator[tuple[int, int]]:
    """Where lines that hold one of some texts begin and end; once for each that a line holds."""
    for part in parts:
        at = text.find(part)
        while at >= 0:
            end = text.find(newline, at)
            end = len(text) if end < 0 else end
            yield text.rfind(newline, 0, at) + 1, end
            at = text.find(part, end)


def _tells(line: str) -> bool:
    """Whether a line calculates with what it names, gives it back, hands it to a name with a unit or prints it with one."""
    return (
        CALCULATES.search(line) is not None
        or MULTIPLIES.search(line) is not None
        or UNIT_WORDS.search(line) is not None
        or line.lstrip().startswith("return ")
    )


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
