"""The growing tables of an outline: what both parsers fill, statement by statement in source order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from sgmem.syntax.ir import Span
from sgmem.syntax.outline import Outline, ScopeOutline, StatementOutline

if TYPE_CHECKING:
    from sgmem.syntax.outline import ImportOutline
    from sgmem.syntax.text import SourceText


class Tables:
    """Statements, scopes and imports so far. Scope 0, the module, is there from the beginning."""

    def __init__(self, source: SourceText) -> None:
        self.statements: list[StatementOutline] = []
        self.imports: list[ImportOutline] = []
        last = len(source.starts)
        whole = Span(1, 1, last, len(source.line(last)) + 1)
        self.scopes: list[ScopeOutline] = [ScopeOutline("module", "", "", -1, -1, whole, 0, 0)]

    def qualname(self, parent: int, name: str) -> str:
        """The qualified name of a definition in scope `parent`."""
        above = self.scopes[parent].qualname
        return f"{above}.{name}" if above else name

    def close(self, scope: int) -> None:
        """Note that the last statement added is the last one of a scope."""
        self.scopes[scope] = structs.replace(self.scopes[scope], last=len(self.statements))

    def outline(self) -> Outline:
        return Outline(tuple(self.statements), tuple(self.scopes), tuple(self.imports))


def definition_start(source: SourceText, first_decorator: Span) -> tuple[int, int]:
    """Where the `@` before a decorator's expression stands."""
    return _last_before(source, "@", first_decorator)


def case_start(source: SourceText, pattern: Span) -> tuple[int, int]:
    """Where the `case` before a pattern stands."""
    return _last_before(source, "case", pattern)


def _last_before(source: SourceText, word: str, span: Span) -> tuple[int, int]:
    """Where `word` begins a line; only blanks, brackets and comments come between it and the span."""
    text, end = source.text, source.offset(span.line, span.column)
    while True:
        found = text.rindex(word, 0, end)
        line = text.rfind("\n", 0, found) + 1
        comment = text.find("#", line, found)
        if comment < 0:
            return source.position(found)
        end = comment
