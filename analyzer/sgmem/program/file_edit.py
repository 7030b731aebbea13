"""What an edit of one file changes, statement by statement, for those who looked at parts of it.

Lines that both states of the file have in the same order are the same; what stands between them was edited. Statements that begin on
the same lines are the same ones, under other indices and on other lines; those that an edited piece meets are changed.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec

from sgmem.program.text_edit import TextEdit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.program.file import File
    from sgmem.program.reads import FileReads
    from sgmem.syntax.ir import Span
    from sgmem.syntax.outline import ImportOutline, Outline, ScopeOutline, StatementOutline

_WORDS = re.compile(r"\w+")
_DEFINITIONS = ("function", "class")
_PLAIN = frozenset({"assign", "annotate", "augment", "expression", "delete", "pass", "import", "global", "nonlocal", "type"})
"""After these control goes on to what follows, unless an exception is caught."""


class FileEdit:
    """An edit of a file that can be parsed in both states."""

    def __init__(self, before: File, now: File) -> None:
        self._before = before
        self._now = now
        self.text = TextEdit(before.unnoted_source, now.unnoted_source)
        old, new = before.unnoted_outline.statements, now.unnoted_outline.statements
        self.is_aligned = True
        """Whether as many statements begin on the same lines; if not, nothing is known."""
        self._stands: list[int | None] = []
        """For each statement its index now; None for one that is gone, or one of several that replace others."""
        self._gaps: set[int] = set()
        """The statements behind which some came or went."""
        self._align(Counter(map(self.text.slot, _lines(old))), Counter(map(self.text.slot_now, _lines(new))))
        self._known: dict[tuple[str, object], bool] = {}

    def statement(self, index: int) -> int | None:
        """The index of a statement now; None for one that is gone, or one of several that replace others."""
        return self._stands[index]

    def _align(self, before: Counter[int], now: Counter[int]) -> None:
        """Pair the statements that begin in the same pieces of the text, given how many do."""
        first = 0
        for slot in range(self.text.slots):
            old, new = before[slot], now[slot]
            if old == new:
                self._stands += range(first, first + new)
            elif self.text.is_edited(slot):
                self._gaps.add(len(self._stands) - 1)
                self._stands += [None] * old
            else:
                self.is_aligned = False
                self._stands += [None] * old
            first += new

    @cached_property
    def _scopes(self) -> dict[int, int]:
        """The scopes of old in the new outline."""
        found = {0: 0}
        for statement, scope in self._before.scope_defined_by.items():
            index = self.statement(statement)
            other = self._now.scope_defined_by.get(index) if index is not None else None
            if other is not None:
                found[scope] = other
        return found

    @cached_property
    def changed(self) -> frozenset[int]:
        """The statements whose own text or place in the structure is another."""
        rows = self._before.unnoted_outline.statements
        return frozenset(index for index, row in enumerate(rows) if not self._same_row(index, row))

    @cached_property
    def _reshaped(self) -> frozenset[int]:
        """Those of them that are of another kind or belong elsewhere, or are gone."""
        rows = self._before.unnoted_outline.statements
        return frozenset(index for index in self.changed if not self._same_shape(index, rows[index]))

    @property
    def is_silent(self) -> bool:
        """Whether all code is as it was, but on other lines."""
        return self.is_aligned and self.text.is_blank and not self._gaps and not self.changed

    def _same_row(self, index: int, row: StatementOutline) -> bool:
        other = self.statement(index)
        if other is None or not self._same_shape(index, row):
            return False
        now = self._now.unnoted_outline.statements[other]
        if len(row.heads) != len(now.heads):
            return False
        return self._same_place(index, row, now) and all(map(self._same_span, row.heads, now.heads))

    def _same_shape(self, index: int, row: StatementOutline) -> bool:
        other = self.statement(index)
        if other is None:
            return False
        now = self._now.unnoted_outline.statements[other]
        belongs = self._scopes.get(row.scope) == now.scope and self._moved(row.parent) == now.parent
        return belongs and (row.kind, row.block, row.names) == (now.kind, now.block, now.names)

    def _moved(self, statement: int) -> int | None:
        return self.statement(statement) if statement >= 0 else statement

    def _same_place(self, index: int, row: StatementOutline, now: StatementOutline) -> bool:
        """Whether a statement begins where it did, and its own text is as it was."""
        if (self.text.line(row.span.line), row.span.column) != (now.span.line, now.span.column):
            return False
        if row.kind not in _DEFINITIONS:
            if not row.heads and row.kind != "try":
                return self._same_span(row.span, now.span)
            return row.kind == "try" or not self.text.meets(row.span.line, row.heads[-1].end_line)
        old, new = (file.scope_defined_by.get(at) for file, at in ((self._before, index), (self._now, self._moved(index) or 0)))
        if old is None or new is None:
            return False
        outline, other = self._before.unnoted_outline, self._now.unnoted_outline
        scope, now_scope = outline.scopes[old], other.scopes[new]
        body = outline.statements[scope.first].span.line if scope.first < scope.last else row.span.line
        end = max(row.span.line, body - 1)
        is_whole = self.text.is_blank or not self.text.meets(row.span.line, end)
        return is_whole and self._same_scope(scope, now_scope)

    def _same_scope(self, scope: ScopeOutline, now: ScopeOutline) -> bool:
        """Whether the header of a scope is as it was."""
        if self._scopes.get(scope.parent, -1) != now.parent or self._moved(scope.statement) != now.statement:
            return False
        if (scope.kind, scope.name, scope.qualname, scope.is_async) != (now.kind, now.name, now.qualname, now.is_async):
            return False
        if [(one.name, one.kind) for one in scope.parameters] != [(one.name, one.kind) for one in now.parameters]:
            return False
        before, after = list(_spans(scope)), list(_spans(now))
        return len(before) == len(after) and all(map(self._same_span, before, after))

    def _same_span(self, span: Span, now: Span) -> bool:
        if self.text.meets(span.line, span.end_line):
            return False
        place = (self.text.line(span.line), span.column, self.text.line(span.end_line), span.end_column)
        return place == (now.line, now.column, now.end_line, now.end_column)

    def touches(self, reads: FileReads) -> bool:
        """Whether something is not as it was that was looked at."""
        if not self.is_aligned:
            return True
        if (reads.whole and not self.is_silent) or not self.changed.isdisjoint(reads.rows):
            return True
        if not self._reshaped.isdisjoint(reads.shapes) or not self._gaps.isdisjoint(reads.through):
            return True
        return (
            (reads.listed and not self._ask("listed", None, lambda _: self._lists_same()))
            or not all(self._ask("walked", one, self._walks_same) for one in reads.walked)
            or not all(self._ask("opened", one, self._opens_same) for one in reads.opened)
            or not all(self._ask("kinds", one, self._kind_same) for one in reads.kinds)
            or not all(self._ask("flows", one, self._flows_same) for one in reads.flows)
            or not all(self._ask("holding", one, self._holds_same) for one in reads.holding)
            or not all(self._ask("found", one, self._finds_same) for one in reads.found if one[1] in self._words or self._cases)
            or not all(self._ask("member", one, self._member_same) for one in reads.members)
            or not all(self._ask("imported", one, self._imported_same) for one in reads.imported)
            or not all(self._ask("renamed", one, self._renamed_same) for one in reads.renamed)
            or not all(self._ask("text", one, self._text_same) for one in reads.texts)
            or not all(self._ask("pattern", one, self._pattern_same) for one in reads.patterns)
        )

    def _ask(self, kind: str, asked: object, compute: Callable[..., bool]) -> bool:
        key = (kind, asked)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = compute(asked)
        return found

    @cached_property
    def _words(self) -> frozenset[str]:
        """The words that other statements may mention now: those on changed lines and in changed statements."""
        old, new = self._before, self._now
        texts = [old.own_text(index) for index in self.changed]
        texts += [new.own_text(index) for at in self.changed if (index := self.statement(at)) is not None]
        return self.text.words.union(*map(_WORDS.findall, texts))

    @cached_property
    def _cases(self) -> bool:
        """Whether a case came, went or was changed: it is found by what its match statement mentions."""
        new = (row for row in self._now.unnoted_outline.statements if self.text.is_edited(self.text.slot_now(row.span.line)))
        old = self._before.unnoted_outline.statements
        return any(row.kind == "case" for row in (*new, *(old[index] for index in self.changed)))

    def _statements(self, old: Iterable[int], new: Iterable[int]) -> bool:
        return [self.statement(index) for index in old] == list(new)

    def _walks_same(self, scope: int) -> bool:
        now = self._scopes.get(scope)
        return now is not None and self._statements(self._before.own_statements(scope), self._now.own_statements(now))

    def _opens_same(self, statement: int) -> bool:
        now = self.statement(statement)
        if now is None:
            return False
        return self._statements(self._before.unnoted_outline.inside(statement), self._now.unnoted_outline.inside(now))

    def _kind_same(self, asked: tuple[int, str]) -> bool:
        scope, kind = asked
        now = self._scopes.get(scope)
        if now is None:
            return False
        old, new = self._before.unnoted_outline.statements, self._now.unnoted_outline.statements
        before = (index for index in self._before.own_statements(scope) if old[index].kind == kind)
        return self._statements(before, (index for index in self._now.own_statements(now) if new[index].kind == kind))

    def _flows_same(self, scope: int) -> bool:
        """Whether the statements of a scope that stand in both states are executed in the same order and under the same conditions.

        Those that only came or went must be such that control goes on to the next whatever they do. Within a `try` that is none: each
        may lead to the handlers.
        """
        now = self._scopes.get(scope)
        if now is None:
            return False
        old, new = self._before.unnoted_outline, self._now.unnoted_outline
        stayed = set()
        for index in self._before.own_statements(scope):
            other = self.statement(index)
            stayed.add(other)
            if other is None and not _goes_on(old, index):
                return False
            if other is not None and not self._same_flow(index, other):
                return False
        return all(index in stayed or _goes_on(new, index) for index in self._now.own_statements(now))

    def _same_flow(self, index: int, other: int) -> bool:
        old, new = self._before.unnoted_outline, self._now.unnoted_outline
        row, now = old.statements[index], new.statements[other]
        if (self._scopes.get(row.scope), self._moved(row.parent), row.block) != (now.scope, now.parent, now.block):
            return False
        same = row.kind == now.kind and bool(row.heads) == bool(now.heads)
        return same or (_goes_on(old, index) and _goes_on(new, other))

    def _finds_same(self, asked: tuple[int, str]) -> bool:
        scope, name = asked
        if scope < 0:
            return self._statements(self._before.mentions(name), self._now.mentions(name))
        now = self._scopes.get(scope)
        return now is not None and self._statements(self._before.mentions_in(scope, name), self._now.mentions_in(now, name))

    def _holds_same(self, asked: tuple[int, str]) -> bool:
        scope, text = asked
        now = self._scopes.get(scope, scope if scope < 0 else None)
        return now is not None and self._statements(self._before.holding(text, scope), self._now.holding(text, now))

    def _member_same(self, asked: tuple[int, str]) -> bool:
        scope, name = asked
        now = self._scopes.get(scope)
        if now is None:
            return False
        old, new = self._before, self._now
        pairs = [(old.child(scope, name), new.child(now, name)), (old.setter(scope, name), new.setter(now, name))]
        return all(other is None if one is None else other is not None and self._scopes.get(one) == other for one, other in pairs)

    def _imported_same(self, asked: tuple[int, str]) -> bool:
        scope, name = asked
        now = self._scopes.get(scope)
        if scope < 0:
            old, new = self._before.imported_anywhere(name), self._now.imported_anywhere(name)
        elif now is None:
            return False
        else:
            old, new = self._before.imported(scope, name), self._now.imported(now, name)
        return [self._import(row) for row in old] == new

    def _renamed_same(self, name: str) -> bool:
        return [self._import(row) for row in self._before.renamed(name)] == self._now.renamed(name)

    def _import(self, row: ImportOutline) -> ImportOutline | None:
        statement, scope = self.statement(row.statement), self._scopes.get(row.scope)
        return None if statement is None or scope is None else msgspec.structs.replace(row, statement=statement, scope=scope)

    def _lists_same(self) -> bool:
        """Whether the definitions are the same ones, with the headers that they had."""
        old, new = self._before.unnoted_outline.scopes, self._now.unnoted_outline.scopes
        same = [self._scopes.get(index) for index in range(len(old))] == list(range(len(new)))
        return same and all(scope.statement not in self.changed for scope in old)

    def _pattern_same(self, pattern: str) -> bool:
        return self._statements(self._before.matching(pattern), self._now.matching(pattern))

    def _text_same(self, text: str) -> bool:
        return (text in self._before.unnoted_source.text) == (text in self._now.unnoted_source.text)

    def moved(self, reads: FileReads) -> None:
        """Give what was looked at, none of which is touched, the indices that it has now."""
        scopes, statement = self._scopes, self.statement
        reads.rows = {index for one in reads.rows if (index := self._moved(one)) is not None}
        reads.shapes = {index for one in reads.shapes if (index := self._moved(one)) is not None}
        reads.through = {index for one in reads.through if (index := statement(one)) is not None}
        reads.kinds = {(scopes[scope], kind) for scope, kind in reads.kinds}
        reads.flows = {scopes[scope] for scope in reads.flows}
        reads.opened = {index for one in reads.opened if (index := statement(one)) is not None}
        reads.walked = {scopes[one] for one in reads.walked}
        reads.holding = {(scopes.get(scope, -1), text) for scope, text in reads.holding}
        reads.found = {(scopes.get(scope, -1), name) for scope, name in reads.found}
        reads.members = {(scopes[scope], name) for scope, name in reads.members}
        reads.imported = {(scopes.get(scope, -1), name) for scope, name in reads.imported}


def _lines(rows: Iterable[StatementOutline]) -> Iterator[int]:
    return (row.span.line for row in rows)


def _goes_on(outline: Outline, index: int) -> bool:
    """Whether control goes on to what stands behind a statement, whatever it does."""
    row = outline.statements[index]
    scope = row.scope
    if row.kind not in _PLAIN:
        return False
    while row.parent >= 0 and row.scope == scope:
        row = outline.statements[row.parent]
        if row.kind == "try":
            return False
    return True


def _spans(scope: ScopeOutline) -> Iterable[Span]:
    yield from (*scope.decorators, *scope.bases, *(span for _, span in scope.keywords))
    for one in scope.parameters:
        yield from (span for span in (one.span, one.annotation, one.default) if span is not None)
    if scope.returns is not None:
        yield scope.returns
