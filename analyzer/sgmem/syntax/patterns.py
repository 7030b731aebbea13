"""What a match pattern binds: each captured name, with the part of the subject that flows into it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Binding
from sgmem.syntax.layouts import spans_of
from sgmem.syntax.limits import parsable_pattern
from sgmem.syntax.positions import DeepRecursion, Positions

if TYPE_CHECKING:
    from sgmem.syntax.ir import Span

_INDENT = " "


def pattern_bindings(text: str, span: Span, subject: ir.Expr) -> tuple[Binding, ...]:
    """Lower the pattern that `text`, the slice of `span`, spells into bindings. One that cannot be read binds an `Opaque`."""
    try:
        pattern = _parse(text)
        with DeepRecursion():
            spans = spans_of(pattern, span.line, span.column - 1, _INDENT)
            return tuple(_Captures(Positions(spans, text, span)).of(pattern, subject))
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return (Binding(ir.Opaque(span, text[:80]), subject, "match"),)


def _parse(text: str) -> cst.MatchPattern:
    if not parsable_pattern(text):
        raise ValueError("too deep for the parser")
    # A pattern may run over several lines inside its own brackets; a pair of parentheses lets it do so as a whole.
    statement = cst.parse_module(f"match _:\n{_INDENT}case ({text}\n{_INDENT}):\n{_INDENT * 2}pass\n").body[0]
    assert isinstance(statement, cst.Match)
    return statement.cases[0].pattern


class _Captures:
    """Walks one pattern."""

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.span = positions.of
        self.found: list[Binding] = []

    def of(self, pattern: cst.MatchPattern, subject: ir.Expr) -> list[Binding]:
        self._collect(pattern, subject)
        return self.found

    def _bind(self, name: cst.Name | None, subject: ir.Expr) -> None:
        if name is not None:
            self.found.append(Binding(ir.Name(self.span(name), name.value), subject, "match"))

    def _part(self, pattern: cst.CSTNode, subject: ir.Expr, key: int | str) -> ir.Expr:
        """The element of the subject that a part of the pattern matches; it stands where the part stands."""
        span = self.span(pattern)
        return ir.Subscript(span, subject, ir.Const(span, key, repr(key)))

    def _collect(self, pattern: cst.MatchPattern, subject: ir.Expr) -> None:
        match pattern:
            case cst.MatchAs():
                self._bind(pattern.name, subject)
                if pattern.pattern is not None:
                    self._collect(pattern.pattern, subject)
            case cst.MatchOr():
                for choice in pattern.patterns:
                    self._collect(choice.pattern, subject)
            case cst.MatchClass():
                self._class(pattern, subject)
            case cst.MatchMapping():
                self._mapping(pattern, subject)
            case cst.MatchSequence():
                self._sequence(pattern, subject)

    def _class(self, pattern: cst.MatchClass, subject: ir.Expr) -> None:
        for position, element in enumerate(pattern.patterns):
            self._collect(element.value, self._part(element.value, subject, position))
        for keyword in pattern.kwds:
            span = self.span(keyword.key)
            self._collect(keyword.pattern, ir.Attribute(span, subject, keyword.key.value, span))

    def _mapping(self, pattern: cst.MatchMapping, subject: ir.Expr) -> None:
        for entry in pattern.elements:
            key = _literal(entry.key)
            if key is not None:
                self._collect(entry.pattern, self._part(entry.pattern, subject, key))
            else:  # some entry, no telling which
                unknown = ir.Opaque(self.span(entry.key), self.positions.slice(self.span(entry.key)))
                self._collect(entry.pattern, ir.Subscript(self.span(entry.pattern), subject, unknown))
        self._bind(pattern.rest, subject)

    def _sequence(self, pattern: cst.MatchSequence, subject: ir.Expr) -> None:
        for position, item in enumerate(pattern.patterns):
            if isinstance(item, cst.MatchStar):
                self._bind(item.name, subject)
            else:
                self._collect(item.value, self._part(item.value, subject, position))


def _literal(key: cst.CSTNode) -> str | int | None:
    if isinstance(key, cst.SimpleString | cst.Integer):
        value = key.evaluated_value
        return value if isinstance(value, str | int) else None
    return None
