"""Docstrings that give an amount another unit than it has: of a local that they name, or of what the function returns."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.domains.accounting.claims import Claim
from sgmem.domains.accounting.location import Location
from sgmem.domains.defects.units.contradictions import Contradiction
from sgmem.domains.defects.units.mismatches import side_of
from sgmem.domains.units.evidence import Evidence, Strength, disagreement
from sgmem.domains.units.unit import parse_unit
from sgmem.program.entities import Function
from sgmem.syntax import ir
from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.accounting.units import Units
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_UNIT = re.compile(r"in (?<!\win )(GiB|MiB|KiB|GB|MB|KB|bytes)s?\b(?!\s*(?:/|per\b))")
_SENTENCE_END = re.compile(r"[.;:](?:\s|$)|\n\s*\n|\n\s*[-*] ")
_NAME = re.compile(r"\b[a-z]\w*_\w+\b")
_RETURNS = re.compile(r"^\s*(?:Returns?|Get|Gets|Compute|Computes)\b[^,]*$", re.IGNORECASE)
MAX_SENTENCE = 400


def doc_contradictions(files: Iterable[File], units: Units) -> Iterator[Contradiction]:
    """What the docstrings of some files say of units and the values disprove."""
    for file in files:
        for match in _UNIT.finditer(file.source.text):
            function = _documented(file, match.start())
            if function is not None:
                yield from _of_sentence(file, function, match, units)


def _documented(file: File, offset: int) -> Function | None:
    """The function whose docstring holds an offset."""
    statement = file.statement_at(*file.source.position(offset))
    row = file.outline.statements[statement] if statement >= 0 else None
    if row is None or row.kind != "expression" or file.scope(row.scope).kind != "function" or file.scope(row.scope).first != statement:
        return None
    values = file.statement(statement).values
    literal = len(values) == 1 and isinstance(values[0], ir.Const) and isinstance(values[0].value, str)
    return Function(file, row.scope) if literal else None


def _of_sentence(file: File, function: Function, match: re.Match[str], units: Units) -> Iterator[Contradiction]:
    text = file.source.text
    ends = [end.end() for end in _SENTENCE_END.finditer(text, max(0, match.start() - MAX_SENTENCE), match.start())]
    start = max([*ends, text.rfind('"""', 0, match.start()) + 3, match.start() - MAX_SENTENCE])
    sentence = text[start : match.end()]
    if len(_UNIT.findall(sentence)) != 1:
        return
    word = match[1]
    place = Span(*file.source.position(match.start()), *file.source.position(match.end()))
    unit = parse_unit(word if word.endswith("iB") or word == "bytes" else f"{word}?")
    claim = Evidence(unit, Strength.DOCSTRING, f"the docstring says {word}", place)
    at = Location(file, file.scope(function.index).first, place)
    named = [name for name in dict.fromkeys(_NAME.findall(sentence)) if name in _own_names(file, function)]
    for name in named:
        found = _use(file, function, name)
        wrong = next(_judged(*found, file, name, claim, at, units), None) if found is not None else None
        if wrong is not None:
            yield wrong
            return
    if not named and _RETURNS.match(sentence.strip()):
        for index in file.own_statements(function.index):
            if file.outline.statements[index].kind == "return":
                for value in file.statement(index).values:
                    yield from _judged(value, index, file, f"{function.name}()", claim, at, units)


def _own_names(file: File, function: Function) -> frozenset[str]:
    """The parameters and variables of a function, by its text: what it assigns is looked at later."""
    row = file.outline.statements[function.scope.statement].span
    return frozenset(_NAME.findall(file.source.slice(row)))


def _use(file: File, function: Function, name: str) -> tuple[Expr, int] | None:
    """The first place where a local's value is used, or the value that it is given last."""
    for index in file.mentions_in(function.index, name):
        if file.outline.statements[index].kind in ("function", "class", "import") or index == file.scope(function.index).first:
            continue
        lowered = file.statement(index)
        for root in (*(one.value for one in lowered.bindings if one.value is not None), *lowered.values):
            for node in ir.walk(root):
                if isinstance(node, ir.Name) and node.id == name:
                    return node, index
    return None


def _judged(
    value: Expr, statement: int, file: File, subject: str, claim: Evidence, at: Location, units: Units
) -> Iterator[Contradiction]:
    evidence = units.infer(value, file, statement, deep=True)
    if evidence is None or not evidence.strong or not evidence.unit.is_amount:
        return
    details = disagreement(evidence, claim)
    if details is not None and details.kind == "scale":
        side = side_of(units, value, evidence, file, statement)
        yield Contradiction(Claim("docstring", value, claim, subject, at), side, details)
