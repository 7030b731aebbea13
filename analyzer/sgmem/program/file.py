"""One parsed file of a program: lowered a statement at a time, searched by name."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING
from zlib import crc32

from sgmem.control.cfg import build_cfg
from sgmem.program.contexts import positions
from sgmem.program.inner import inner_names
from sgmem.program.noting import NotedOutline, NotedText
from sgmem.program.reads import FileReads
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span, Statement
from sgmem.syntax.text import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.control.cfg import Cfg
    from sgmem.program.file_facts import Lowered
    from sgmem.program.inner import Binder
    from sgmem.syntax.ir import StatementKind
    from sgmem.syntax.outline import ImportOutline, Outline, OutlineView, ScopeOutline, Shape, StatementOutline
    from sgmem.syntax.text import SourceText

_PLAIN = re.compile(r"[\w\s,=*.]*", re.ASCII)
_OUTSIDE_STRINGS = re.compile(r"""[()\[\]{}=]|'[^'\\]*(?:\\.[^'\\]*)*(?:'|\Z)|"[^"\\]*(?:\\.[^"\\]*)*(?:"|\Z)""", re.DOTALL)
_DOT = re.compile(r"\s*\.\s*")
_TARGETS = frozenset({"assign", "annotate", "augment", "for", "with"})
_BINDING_NO_VARIABLE = frozenset({"function", "class", "import", "global", "nonlocal"})
_STRING = re.compile(r""""[^"\\\n]*"|'[^'\\\n]*'""")
_ELEMENT = re.compile(r"(?<=[\w\])])\s*(?:\[[^\[\]()]*\]|\([^\[\]()]*\))")
"""A subscript, or the arguments of a call, that hold no other."""
_MAX_NESTED = 6


class Tables:
    """What is worked out of the outline of a file once for all programs over it."""

    def __init__(self, source: SourceText, outline: Outline) -> None:
        self._source = source
        self._outline = outline

    @cached_property
    def starts(self) -> array[int]:
        """Where each statement begins; ascending, since statements stand in preorder."""
        return array("Q", [place_of(row.span.line, row.span.column) for row in self._outline.statements])

    @cached_property
    def children(self) -> dict[int, dict[str, int]]:
        """For each scope, the classes and functions defined directly in it; a later definition replaces an earlier one."""
        children: dict[int, dict[str, int]] = {}
        for index, scope in enumerate(self._outline.scopes):
            if scope.parent >= 0 and not self._accessor(index):
                children.setdefault(scope.parent, {})[scope.name] = index
        return children

    @cached_property
    def setters(self) -> dict[tuple[int, str], int]:
        """The property setters: by class scope and name."""
        scopes = enumerate(self._outline.scopes)
        return {(scope.parent, scope.name): index for index, scope in scopes if self._accessor(index) == "setter"}

    def _accessor(self, scope: int) -> str | None:
        """`setter` or `deleter` for a function that only accompanies a property's getter of the same name."""
        for span in self._outline.scopes[scope].decorators:
            last = self._source.slice(span).rpartition(".")[2]
            if last in ("setter", "deleter"):
                return last
        return None

    @cached_property
    def imports(self) -> dict[int, dict[str, list[ImportOutline]]]:
        """For each scope, what its import statements bind."""
        bound: dict[int, dict[str, list[ImportOutline]]] = {}
        for row in self._outline.imports:
            bound.setdefault(row.scope, {}).setdefault(row.bound, []).append(row)
        return bound

    @cached_property
    def scope_defined_by(self) -> dict[int, int]:
        """The scope that a def or class statement opens."""
        return {scope.statement: index for index, scope in enumerate(self._outline.scopes) if scope.statement >= 0}


class File:
    """One parsed file. Statements and expressions are lowered once and kept."""

    def __init__(self, source: SourceText, outline: Outline, module: str, is_package: bool, lowered: Lowered) -> None:
        self.path = source.path
        self.module = module
        self.is_package = is_package
        self._source = source
        self._outline = outline
        self._lowered = lowered
        self._tables = Tables(source, outline)
        self._statements: dict[int, Statement] = {}
        self._expressions: dict[Span, Expr] = {}
        self._occurrences: dict[str, tuple[int, ...]] = {}
        self._within: dict[tuple[int, str], tuple[int, ...]] = {}
        self._holding: dict[tuple[int, str], tuple[int, ...]] = {}
        self._matching: dict[str, tuple[int, ...]] = {}
        self._graphs: dict[int, Cfg] = {}
        self._assigned: dict[int, frozenset[str] | None] = {}
        self._inner: dict[ir.Name, Binder] = {}
        self._opaque: set[int] = set()
        self._contained: dict[str, bool] = {}
        self._hash = crc32(self.path.encode("utf-8", "surrogatepass"))
        self.reads = FileReads()
        self.outline: OutlineView = outline
        self.source = source
        self.opaque: dict[int, None] = {}
        """The statements, of those that were asked for, that are too long, too deeply nested or of too new a syntax to be read."""

    @property
    def unnoted_outline(self) -> Outline:
        """The outline, for those who compare all of it with another state of the file."""
        return self._outline

    @property
    def unnoted_source(self) -> SourceText:
        """The text, for the same."""
        return self._source

    def noting(self, reads: FileReads) -> File:
        """The same file for another program, which notes what it looks at; nothing is lowered twice."""
        file = copy(self)
        file.reads = reads
        file.outline = NotedOutline(self._outline, reads)
        file.source = NotedText(self._source, self._begins, reads)
        file.opaque = {}
        return file

    def _begins(self) -> array[int]:
        return self._tables.starts

    def __hash__(self) -> int:
        """The same in every run, unlike an address: sets of classes are walked in the same order then."""
        return self._hash

    def child(self, scope: int, name: str) -> int | None:
        """The class or function of that name which is defined directly in a scope; the last where there are several."""
        self.reads.members.add((scope, name))
        return self._tables.children.get(scope, {}).get(name)

    def children(self, scope: int) -> dict[str, int]:
        """All classes and functions that are defined directly in a scope."""
        self.reads.walked.add(scope)
        found = self._tables.children.get(scope, {})
        self.reads.rows.update(self._outline.scopes[index].statement for index in found.values())
        return found

    def classes(self) -> Iterator[tuple[int, ScopeOutline]]:
        """All classes by their scopes. That others may come is not noted: who asks has asked for their names or bases."""
        return ((index, self.scope(index)) for index, scope in enumerate(self._outline.scopes) if scope.kind == "class")

    def functions(self, name: str) -> Iterator[int]:
        """The scopes of all functions of that name, wherever they are defined."""
        for index in self.mentions(name):
            scope = self.scope_defined_by.get(index)
            if scope is not None and self._outline.scopes[scope].name == name and self.scope(scope).kind == "function":
                yield scope

    def setter(self, scope: int, name: str) -> int | None:
        """The setter of a property of a class."""
        self.reads.members.add((scope, name))
        return self._tables.setters.get((scope, name))

    def imported(self, scope: int, name: str) -> list[ImportOutline]:
        """What the import statements of a scope bind to a name."""
        self.reads.imported.add((scope, name))
        return self._tables.imports.get(scope, {}).get(name, [])

    def imported_anywhere(self, name: str) -> list[ImportOutline]:
        """What all import statements, in whichever scope, bind to a name."""
        self.reads.imported.add((-1, name))
        return [row for bound in self._tables.imports.values() for row in bound.get(name, ())]

    def renamed(self, name: str) -> list[ImportOutline]:
        """What import statements, in whichever scope, bind to another name: `from pkg import NAME as other`."""
        self.reads.renamed.add(name)
        return [row for row in self._outline.imports if row.name == name and row.bound != name]

    @property
    def runs_by_itself(self) -> bool:
        """Whether the file asks if it is the program."""
        return self.contains("__main__")

    def contains(self, text: str) -> bool:
        """Whether a text stands anywhere in the file."""
        self.reads.texts.add(text)
        found = self._contained.get(text)
        if found is None:
            found = self._contained[text] = text in self._source.text
        return found

    @property
    def scope_defined_by(self) -> dict[int, int]:
        """The scope that a def or class statement opens."""
        return self._tables.scope_defined_by

    def scope(self, index: int) -> ScopeOutline:
        row = self._outline.scopes[index]
        self.reads.rows.add(row.statement)
        return row

    def statement(self, index: int) -> Statement:
        """Statement `index`, lowered."""
        self.reads.rows.add(index)
        lowered = self._statements.get(index)
        if lowered is None:
            lowered = self._statements[index] = self._lowered_statement(index)
            for root in lowered.expressions():
                self._note_inner(root)
                if isinstance(root, ir.Opaque):
                    self._opaque.add(index)
        if index in self._opaque:
            self.opaque[index] = None
        return lowered

    def expression(self, span: Span) -> Expr:
        """The expression at `span` (a header, an annotation, a default), lowered."""
        lowered = self._expressions.get(span)
        if lowered is None:
            lowered = self._expressions[span] = self._lowered_expression(span)
            self._note_inner(lowered)
        return lowered

    def _lowered_statement(self, index: int) -> Statement:
        known = self._lowered.statement(index, self._outline.statements[index].kind)
        if known is not None:
            return known
        from sgmem.syntax.statements import lower_statement  # its parser is slow to import

        lowered = lower_statement(self._source, self._outline, index)
        self._lowered.add(index, lowered)
        return lowered

    def _lowered_expression(self, span: Span) -> Expr:
        known = self._lowered.expression(span)
        if known is not None:
            return known
        from sgmem.syntax.lower import lower_expression

        lowered = lower_expression(self._source.slice(span), span)
        self._lowered.add(span, lowered)
        return lowered

    def _note_inner(self, root: Expr) -> None:
        text = self._source.slice(root.span)
        if "for" in text or "lambda" in text:
            self._inner.update(inner_names(root))

    def binder(self, name: ir.Name) -> Binder | None:
        """The comprehension's clause or the lambda that binds a name; None for a name of the scope around."""
        return self._inner.get(name)

    def statement_at(self, line: int, column: int) -> int:
        """The innermost statement around a position; -1 where only the module is around it."""
        index = self._statement_at(line, column)
        self.reads.rows.add(index)
        return index

    def _statement_at(self, line: int, column: int) -> int:
        index = bisect_right(self._tables.starts, place_of(line, column)) - 1
        while index >= 0:
            span = self._outline.statements[index].span
            if (line, column) < (span.end_line, span.end_column):
                return index
            index = self._outline.statements[index].parent
        return -1

    def mentions(self, name: str) -> tuple[int, ...]:
        """The statements whose own text (nested statements aside) holds `name` as a whole word, strings included."""
        self.reads.found.add((-1, name))
        return self._mentions(name)

    def _mentions(self, name: str) -> tuple[int, ...]:
        found = self._occurrences.get(name)
        if found is None:
            found = self._occurrences[name] = tuple(sorted(set(self._search(name))))
        return found

    def _search(self, name: str, within: Span | None = None) -> Iterator[int]:
        source = self._source
        limits = () if within is None else source.offsets(within)
        for offset in positions(source.text, name, *limits):
            index = self._statement_at(*source.position(offset))
            if index >= 0:
                yield index
                if self._outline.statements[index].kind == "match":  # its cases take the subject apart
                    yield from self._cases(index)

    def _cases(self, match: int) -> Iterator[int]:
        for index in range(match + 1, len(self._outline.statements)):
            row = self._outline.statements[index]
            if row.parent == match:
                yield index
            elif row.parent < match:
                return

    def shape(self, index: int) -> Shape:
        """What a statement is and where it belongs, whatever its text says."""
        self.reads.shapes.add(index)
        return self._outline.statements[index]

    def _row(self, index: int) -> StatementOutline:
        self.reads.rows.add(index)
        return self._outline.statements[index]

    def may_bind(self, index: int, name: str) -> bool:
        """Whether a statement could bind `name`, by its kind and text alone: a cheap filter before lowering it."""
        if self.shape(index).kind in _BINDING_NO_VARIABLE:
            return False
        if self.shape(index).kind in ("except", "case", "type"):
            return True
        if self.shape(index).kind not in _TARGETS:
            return index in self.holding(":=")
        text = self.target_text(index)
        return name in text or ":=" in self.own_text(index)

    def target_text(self, index: int) -> str:
        """The text of what a statement assigns to: up to the last `=` outside brackets, a loop's target, a with's names."""
        row = self._row(index)
        if row.kind == "for":
            return self._source.slice(row.heads[0])
        if row.kind == "with":
            return self.own_text(index)
        if row.kind not in ("assign", "annotate", "augment"):
            return ""
        text = self._source.slice(row.span)
        return text[: last_assignment(text)] if row.kind == "assign" else text.partition("=")[0]

    def plainly_assigned(self, index: int) -> frozenset[str] | None:
        """The names and attributes (`self.size`) that an assignment or a loop gives something, where its targets are these, elements of
        things, and tuples of all that without brackets; None where only lowering can tell."""
        row = self._row(index)
        if row.kind not in ("assign", "annotate", "for", "augment") or ":=" in self.own_text(index):
            return None
        if index not in self._assigned:
            text = self.target_text(index).rstrip("+-*/%&|^@<>")
            self._assigned[index] = plain_targets(text.partition(":")[0] if row.kind == "annotate" else text)
        return self._assigned[index]

    def own_text(self, index: int) -> str:
        """The text of a statement without its blocks; for a definition all of what precedes its body."""
        self.reads.rows.add(index)
        return self._own_text(index)

    def _own_text(self, index: int) -> str:
        row = self._outline.statements[index]
        if row.kind in ("function", "class"):
            scope = self._outline.scopes[self._tables.scope_defined_by[index]]
            first = self._outline.statements[scope.first].span if scope.first < scope.last else row.span
            return self._source.slice(Span(row.span.line, row.span.column, first.line, first.column))
        return self._source.slice(Span(row.span.line, row.span.column, *self._head_end(index)))

    def _head_end(self, index: int) -> tuple[int, int]:
        row = self._outline.statements[index]
        if row.heads:
            return row.heads[-1].end_line, row.heads[-1].end_column
        if row.kind == "try":
            return row.span.line, row.span.column
        return row.span.end_line, row.span.end_column

    def own_statements(self, scope: int, *kinds: StatementKind) -> Iterator[int]:
        """The statements of a scope itself, those of nested definitions aside; with `kinds` only those of these kinds."""
        if kinds:
            self.reads.kinds.update((scope, kind) for kind in kinds)
            rows = self._outline.statements
            return (index for index in self._own_statements(scope) if rows[index].kind in kinds)
        self.reads.walked.add(scope)
        return self._own_statements(scope)

    def holding(self, text: str, scope: int = -1) -> tuple[int, ...]:
        """The statements of a scope itself whose own text holds a text, be it part of a word; those of the file in which it stands."""
        self.reads.holding.add((scope, text))
        found = self._holding.get((scope, text))
        if found is None:
            if scope < 0:
                found = self._begun(positions_of(self._source.text, text))
            else:
                found = tuple(index for index in self._own_statements(scope) if text in self._own_text(index))
            self._holding[scope, text] = found
        return found

    def matching(self, pattern: str) -> tuple[int, ...]:
        """The statements, in order, in which matches of a pattern begin."""
        self.reads.patterns.add(pattern)
        found = self._matching.get(pattern)
        if found is None:
            matches = re.finditer(pattern, self._source.text)
            found = self._matching[pattern] = self._begun(match.start() for match in matches)
        return found

    def _begun(self, offsets: Iterable[int]) -> tuple[int, ...]:
        """The innermost statements around some offsets."""
        position = self._source.position
        return tuple(sorted({index for at in offsets if (index := self._statement_at(*position(at))) >= 0}))

    def graph(self, scope: int) -> Cfg:
        """The control-flow graph of a scope, for questions about statements that are known from elsewhere: whether and in which order
        they are executed. It holds all others too, of which nothing is noted."""
        self.reads.flows.add(scope)
        found = self._graphs.get(scope)
        if found is None:
            found = self._graphs[scope] = build_cfg(self._outline, scope)
        return found

    def _own_statements(self, scope: int) -> Iterator[int]:
        row, rows = self._outline.scopes[scope], self._outline.statements
        return (index for index in range(row.first, row.last) if rows[index].scope == scope)

    def mentions_in(self, scope: int, name: str) -> Iterator[int]:
        """The scope's own statements that mention `name`."""
        self.reads.found.add((scope, name))
        return self._mentions_in(scope, name)

    def _mentions_in(self, scope: int, name: str) -> Iterator[int]:
        row, rows = self._outline.scopes[scope], self._outline.statements
        found = self._mentions(name) if scope == 0 or name in self._occurrences else self._mentions_within(scope, name)
        return (index for index in found if row.first <= index < row.last and rows[index].scope == scope)

    def _mentions_within(self, scope: int, name: str) -> tuple[int, ...]:
        """The statements that mention a name, of a function or class and what is defined in it."""
        found = self._within.get((scope, name))
        if found is None:
            span = self._outline.statements[self._outline.scopes[scope].statement].span
            found = self._within[scope, name] = tuple(sorted(set(self._search(name, span))))
        return found

    def test(self, index: int) -> Expr | None:
        """The test of an if, while or assert statement."""
        if self._row(index).kind not in ("if", "while", "assert"):
            return None
        values = self.statement(index).values
        return values[0] if values else None


def positions_of(text: str, part: str) -> Iterator[int]:
    """Where a part of a text begins, be it within a word."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def last_assignment(text: str) -> int:
    """The offset of the last `=` of an assignment that stands outside brackets and strings; the length where none is found."""
    first = text.find("=")
    if first < 0 or text.find("=", first + 1) < 0:
        return first if first >= 0 else len(text)
    depth, last = 0, len(text)
    for found in _OUTSIDE_STRINGS.finditer(text):
        at = found.start()
        character = text[at]
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "=" and depth == 0 and text[at - 1] not in "=!<>:" and text[at + 1 : at + 2] != "=":
            last = at
    return last


def dotted(expr: Expr) -> str | None:
    """The dotted text of a chain of names (`self.config.size`), or None for any other expression."""
    parts: list[str] = []
    while isinstance(expr, ir.Attribute):
        parts.append(expr.attr)
        expr = expr.base
    if not isinstance(expr, ir.Name):
        return None
    return ".".join([expr.id, *reversed(parts)])


def plain_targets(targets: str) -> frozenset[str] | None:
    """The names and chains of names in the text of targets; None where it holds more than these, elements, commas and `=`."""
    if "[" in targets or "(" in targets:
        targets = _STRING.sub("0", targets)
        for _ in range(_MAX_NESTED):
            targets, found = _ELEMENT.subn(".0", targets)
            if not found:
                break
    if not _PLAIN.fullmatch(targets):
        return None
    parts = (part.strip().lstrip("*") for part in _DOT.sub(".", targets).replace("=", ",").split(","))
    return frozenset(part for part in parts if part and not part.endswith(".0"))
