"""The files of a program: parsed on demand, searched by name, lowered a statement at a time."""

from __future__ import annotations

import re
from bisect import bisect_right
from copy import copy
from functools import cached_property
from typing import TYPE_CHECKING, Protocol
from zlib import crc32

from sgmem.program.class_index import ClassIndex
from sgmem.program.contexts import MATCHED, Context, occurs, positions, renamed, stored
from sgmem.program.file_facts import FileFacts
from sgmem.program.inner import inner_names
from sgmem.program.reads import Reads, ReadTree
from sgmem.syntax import ir
from sgmem.syntax.build import Unparsable
from sgmem.syntax.ir import Expr, Span, Statement
from sgmem.syntax.text import SourceText, Undecodable, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.cache.store import Store
    from sgmem.program.file_facts import Lowered
    from sgmem.program.inner import Binder
    from sgmem.syntax.outline import ImportOutline, Outline, ScopeOutline


_PLAIN = re.compile(r"[\w\s,=*.]*", re.ASCII)
_DOT = re.compile(r"\s*\.\s*")
_BARE = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?![\w.])", re.ASCII)
_CASE = re.compile(r"\n[ \t]*case\b[^\n]*[:(\\]")


class Tree(Protocol):
    """What the program needs of a source tree."""

    @property
    def store(self) -> Store: ...
    def read(self, path: str) -> bytes: ...
    def digest(self, path: str) -> str: ...
    def mentioning(self, name: str) -> tuple[str, ...]: ...


class File:
    """One parsed file. Statements and expressions are lowered once and kept."""

    def __init__(self, source: SourceText, outline: Outline, module: str, is_package: bool, lowered: Lowered) -> None:
        self.path = source.path
        self.source = source
        self.outline = outline
        self.module = module
        self.is_package = is_package
        self._lowered = lowered
        self.opaque: dict[int, None] = {}
        """The statements, of those that were asked for, that are too long or too deeply nested to be read."""
        self._statements: dict[int, Statement] = {}
        self._expressions: dict[Span, Expr] = {}
        self._occurrences: dict[str, tuple[int, ...]] = {}
        self._inner: dict[ir.Name, Binder] = {}
        self._hash = crc32(self.path.encode("utf-8", "surrogatepass"))

    def __hash__(self) -> int:
        """The same in every run, unlike an address: sets of classes are walked in the same order then."""
        return self._hash

    @cached_property
    def starts(self) -> list[tuple[int, int]]:
        """Where each statement begins; ascending, since statements stand in preorder."""
        return [(row.span.line, row.span.column) for row in self.outline.statements]

    @cached_property
    def children(self) -> dict[int, dict[str, int]]:
        """For each scope, the classes and functions defined directly in it; a later definition replaces an earlier one."""
        children: dict[int, dict[str, int]] = {}
        for index, scope in enumerate(self.outline.scopes):
            if scope.parent >= 0 and not self._accessor(index):
                children.setdefault(scope.parent, {})[scope.name] = index
        return children

    @cached_property
    def setters(self) -> dict[tuple[int, str], int]:
        """The property setters: by class scope and name."""
        return {
            (scope.parent, scope.name): index for index, scope in enumerate(self.outline.scopes) if self._accessor(index) == "setter"
        }

    def _accessor(self, scope: int) -> str | None:
        """`setter` or `deleter` for a function that only accompanies a property's getter of the same name."""
        for span in self.outline.scopes[scope].decorators:
            last = self.source.slice(span).rpartition(".")[2]
            if last in ("setter", "deleter"):
                return last
        return None

    @cached_property
    def imports(self) -> dict[int, dict[str, list[ImportOutline]]]:
        """For each scope, what its import statements bind."""
        bound: dict[int, dict[str, list[ImportOutline]]] = {}
        for row in self.outline.imports:
            bound.setdefault(row.scope, {}).setdefault(row.bound, []).append(row)
        return bound

    @cached_property
    def runs_by_itself(self) -> bool:
        """Whether the file asks if it is the program."""
        return "__main__" in self.source.text

    @cached_property
    def scope_defined_by(self) -> dict[int, int]:
        """The scope that a def or class statement opens."""
        return {scope.statement: index for index, scope in enumerate(self.outline.scopes) if scope.statement >= 0}

    def scope(self, index: int) -> ScopeOutline:
        return self.outline.scopes[index]

    def statement(self, index: int) -> Statement:
        """Statement `index`, lowered."""
        lowered = self._statements.get(index)
        if lowered is None:
            lowered = self._statements[index] = self._lowered_statement(index)
            for root in lowered.expressions():
                self._note_inner(root)
                if isinstance(root, ir.Opaque):
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
        known = self._lowered.statement(index, self.outline.statements[index].kind)
        if known is not None:
            return known
        from sgmem.syntax.statements import lower_statement  # its parser is slow to import

        lowered = lower_statement(self.source, self.outline, index)
        self._lowered.add(index, lowered)
        return lowered

    def _lowered_expression(self, span: Span) -> Expr:
        known = self._lowered.expression(span)
        if known is not None:
            return known
        from sgmem.syntax.lower import lower_expression

        lowered = lower_expression(self.source.slice(span), span)
        self._lowered.add(span, lowered)
        return lowered

    def _note_inner(self, root: Expr) -> None:
        text = self.source.slice(root.span)
        if "for" in text or "lambda" in text:
            self._inner.update(inner_names(root))

    def binder(self, name: ir.Name) -> Binder | None:
        """The comprehension's clause or the lambda that binds a name; None for a name of the scope around."""
        return self._inner.get(name)

    def statement_at(self, line: int, column: int) -> int:
        """The innermost statement around a position; -1 where only the module is around it."""
        index = bisect_right(self.starts, (line, column)) - 1
        while index >= 0:
            span = self.outline.statements[index].span
            if (line, column) < (span.end_line, span.end_column):
                return index
            index = self.outline.statements[index].parent
        return -1

    def mentions(self, name: str) -> tuple[int, ...]:
        """The statements whose own text (nested statements aside) holds `name` as a whole word, comments and strings included."""
        found = self._occurrences.get(name)
        if found is None:
            found = self._occurrences[name] = tuple(sorted(set(self._search(name))))
        return found

    def _search(self, name: str) -> Iterator[int]:
        position = self.source.position
        for offset in positions(self.source.text, name):
            index = self.statement_at(*position(offset))
            if index >= 0:
                yield index
                if self.outline.statements[index].kind == "match":  # its cases take the subject apart
                    yield from self._cases(index)

    def _cases(self, match: int) -> Iterator[int]:
        for index in range(match + 1, len(self.outline.statements)):
            row = self.outline.statements[index]
            if row.parent == match:
                yield index
            elif row.parent < match:
                return

    def may_bind(self, index: int, name: str) -> bool:
        """Whether a statement could bind `name`, by its kind and text alone: a cheap filter before lowering it."""
        row = self.outline.statements[index]
        if row.kind in ("function", "class", "import", "global", "nonlocal"):
            return False
        if row.kind in ("except", "case", "type"):
            return True
        text = self.target_text(index)
        return name in text or ":=" in self.own_text(index)

    def target_text(self, index: int) -> str:
        """The text of what a statement assigns to: up to the last `=` outside brackets, a loop's target, a with's names."""
        row = self.outline.statements[index]
        if row.kind == "for":
            return self.source.slice(row.heads[0])
        if row.kind == "with":
            return self.own_text(index)
        if row.kind not in ("assign", "annotate", "augment"):
            return ""
        text = self.source.slice(row.span)
        return text[: last_assignment(text)] if row.kind == "assign" else text.partition("=")[0]

    def plainly_bound(self, index: int) -> frozenset[str] | None:
        """The names that an assignment or a loop binds, where its targets are names, attributes and tuples of these without brackets;
        None where only lowering can tell."""
        row = self.outline.statements[index]
        if row.kind not in ("assign", "for", "augment") or ":=" in self.own_text(index):
            return None
        return bare_names(self.target_text(index).rstrip("+-*/%&|^@<>"))

    def own_text(self, index: int) -> str:
        """The text of a statement without its blocks; for a definition all of what precedes its body."""
        row = self.outline.statements[index]
        if row.kind in ("function", "class"):
            scope = self.outline.scopes[self.scope_defined_by[index]]
            first = self.outline.statements[scope.first].span if scope.first < scope.last else row.span
            return self.source.slice(Span(row.span.line, row.span.column, first.line, first.column))
        return self.source.slice(Span(row.span.line, row.span.column, *self._head_end(index)))

    def _head_end(self, index: int) -> tuple[int, int]:
        row = self.outline.statements[index]
        if row.heads:
            return row.heads[-1].end_line, row.heads[-1].end_column
        if row.kind == "try":
            return row.span.line, row.span.column
        return row.span.end_line, row.span.end_column

    def own_statements(self, scope: int) -> Iterator[int]:
        """The statements of a scope itself, those of nested definitions aside."""
        row = self.outline.scopes[scope]
        for index in range(row.first, row.last):
            if self.outline.statements[index].scope == scope:
                yield index

    def mentions_in(self, scope: int, name: str) -> Iterator[int]:
        """The scope's own statements that mention `name`."""
        row = self.outline.scopes[scope]
        for index in self.mentions(name):
            if row.first <= index < row.last and self.outline.statements[index].scope == scope:
                yield index

    def test(self, index: int) -> Expr | None:
        """The test of an if, while or assert statement."""
        if self.outline.statements[index].kind not in ("if", "while", "assert"):
            return None
        values = self.statement(index).values
        return values[0] if values else None


class Files:
    """All files of a program, parsed when first asked for. `reads` holds what was asked."""

    def __init__(self, tree: Tree, paths: tuple[str, ...]) -> None:
        self._paths = frozenset(paths)
        self._facts = FileFacts(tree.store)
        self._files: dict[str, File | None] = {}
        self._sources: dict[str, SourceText | None] = {}
        self._problems: dict[str, str] = {}
        self._contexts: dict[tuple[str, str, Context], bool] = {}
        self._modules = {module_name(path): path for path in paths}
        self._indices: list[ClassIndex] = []
        self._note_from(tree)

    def _note_from(self, tree: Tree) -> None:
        self.reads = Reads()
        self._tree = tree
        self.tree = ReadTree(tree, self.reads)

    def unread(self) -> Files:
        """The same files for another program: `reads` is empty, but what was parsed is not parsed again."""
        files = copy(self)
        files._note_from(self._tree)
        return files

    @property
    def paths(self) -> frozenset[str]:
        self.reads.listed = True
        return self._paths

    @property
    def parsed(self) -> int:
        return sum(self._files.get(path) is not None for path in self.reads.parsed)

    @property
    def unreadable(self) -> dict[str, str]:
        """The files that were asked for and cannot be read, each with the reason."""
        return {path: why for path, why in self._problems.items() if path in self.reads.parsed or path in self.reads.texts}

    def get(self, path: str) -> File | None:
        """The parsed file, or None where it cannot be read; the reason is then in `unreadable`."""
        self.reads.parsed.add(path)
        if path not in self._files:
            self._files[path] = self._parse(path)
        return self._files[path]

    def opaque(self, name: str) -> Iterator[tuple[str, int]]:
        """Where statements stand, as path and line, that mention `name` and were asked for, but could not be read."""
        for path, file in self._files.items():
            for index in file.opaque if file is not None else ():
                if file is not None and index in file.mentions(name):
                    yield path, file.outline.statements[index].span.line

    def source(self, path: str) -> SourceText | None:
        """The decoded text of a file, without parsing it."""
        self.reads.texts.add(path)
        return self._source(path)

    def _source(self, path: str) -> SourceText | None:
        if path not in self._sources:
            try:
                self._sources[path] = SourceText(path, decode(self._tree.read(path)))
            except (Undecodable, OSError) as error:
                self._problems[path] = str(error)
                self._sources[path] = None
        return self._sources[path]

    def module(self, name: str) -> File | None:
        self.reads.modules.add(name)
        path = self._modules.get(name)
        return None if path is None else self.get(path)

    def has_module(self, name: str) -> bool:
        self.reads.modules.add(name)
        return name in self._modules

    def mentioning(self, name: str, context: Context | None = None) -> Iterator[File]:
        """The files that hold `name` as a whole identifier, in the given textual context where one is given."""
        if context is None:
            paths: Iterable[str] = self.tree.mentioning(name)
        else:
            self.reads.contexts.add((name, context.__name__))
            paths = self._where(self._tree.mentioning(name), lambda path: self.holds(path, name, context))
        return self._all(paths)

    def matching(self, name: str) -> Iterator[File]:
        """The files with case statements that mention `name`."""
        self.reads.contexts.add((name, MATCHED))
        return self._all(self._where(self._tree.mentioning(name), self.has_cases))

    def _where(self, paths: Iterable[str], fits: Callable[[str], bool]) -> Iterator[str]:
        """The paths whose text fits. A text that cannot be decoded is noted, for it may hold anything."""
        for path in paths:
            if fits(path):
                yield path
            elif self._sources[path] is None:
                self.reads.texts.add(path)

    def _all(self, paths: Iterable[str]) -> Iterator[File]:
        for path in paths:
            file = self.get(path)
            if file is not None:
                yield file

    def holds(self, path: str, name: str, context: Context) -> bool:
        """Whether a file holds `name` in a textual context. Not noted: who asks notes the context."""
        key = (path, name, context)
        found = self._contexts.get(key)
        if found is None:
            source = self._source(path)
            found = self._contexts[key] = source is not None and occurs(source.text, name, context)
        return found

    def has_cases(self, path: str) -> bool:
        """Whether a file has case statements. Not noted."""
        source = self._source(path)
        return source is not None and _CASE.search(source.text) is not None

    @property
    def _classes(self) -> ClassIndex:
        if not self._indices:
            self._indices.append(ClassIndex(self._tree, self._paths))
        return self._indices[0]

    @property
    def class_names(self) -> dict[str, list[str]]:
        """Every class name of the program with the files that define it."""
        self.reads.classes_listed = True
        return self._classes.defined

    def defining(self, name: str) -> list[str]:
        """The files that define a class of this name, by text alone."""
        self.reads.classes.add(name)
        return self._classes.defined.get(name, [])

    def spelled(self, variable: str) -> list[str]:
        """The names of the classes that a variable's name spells."""
        self.reads.spelled.add(variable)
        return self._classes.spelled.get(variable, [])

    def classes_beside(self, name: str) -> Iterator[str]:
        """By text alone: the names of the classes in files that store something under `name`."""
        self.reads.contexts.add((name, stored.__name__))
        seeming = [path for path in self._tree.mentioning(name) if path in self._classes.of_file]
        for path in self._where(seeming, lambda path: self.holds(path, name, stored)):
            yield from self._classes.of_file[path]

    def deriving(self, name: str) -> Iterator[File]:
        """The files with a class that seems to derive from `name`, under any name it is imported as."""
        self.reads.bases.add(name)
        self.reads.contexts.add((name, renamed.__name__))
        spelled = f"{name} as ".encode()
        seeming = [path for path in self._tree.mentioning(name) if spelled in self._tree.read(path)]
        aliased = self._where(seeming, lambda path: self.holds(path, name, renamed))
        return self._all(dict.fromkeys([*self._classes.derived.get(name, ()), *aliased]))

    def _parse(self, path: str) -> File | None:
        source = self._source(path)
        if source is None:
            return None
        digest = self._tree.digest(path) if self._tree.store.keeps else ""
        try:
            outline = self._facts.outline(source, digest)
        except Unparsable as error:
            self._problems[path] = str(error)
            return None
        return File(source, outline, module_name(path), path.endswith("__init__.py"), self._facts.lowered(digest))


def bare_names(targets: str) -> frozenset[str] | None:
    """The names in the text of targets that are no part of an attribute; None where it holds more than names, dots, commas and `=`."""
    return frozenset(_BARE.findall(_DOT.sub(".", targets))) if _PLAIN.fullmatch(targets) else None


def last_assignment(text: str) -> int:
    """The offset of the last `=` of an assignment that stands outside brackets and strings; the length where none is found."""
    first = text.find("=")
    if first < 0 or text.find("=", first + 1) < 0:
        return first if first >= 0 else len(text)
    depth, last, quote = 0, len(text), ""
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote and text[at - 1] != "\\" else quote
        elif character in "\"'":
            quote = character
        elif character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
        elif character == "=" and depth == 0 and text[at - 1] not in "=!<>:" and text[at + 1 : at + 2] != "=":
            last = at
    return last


def module_name(path: str) -> str:
    parts = path.removesuffix(".py").split("/")
    if parts[-1] == "__init__":
        parts = parts[:-1]
    return ".".join(parts)


def dotted(expr: Expr) -> str | None:
    """The dotted text of a chain of names (`self.config.size`), or None for any other expression."""
    parts: list[str] = []
    while isinstance(expr, ir.Attribute):
        parts.append(expr.attr)
        expr = expr.base
    if not isinstance(expr, ir.Name):
        return None
    return ".".join([expr.id, *reversed(parts)])
