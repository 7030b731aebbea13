"""Builds a file's outline with `ast`, which only locates: no expression is interpreted here."""

from __future__ import annotations

import ast
import sys
import warnings
from typing import TYPE_CHECKING, Any

from sgmem.syntax.ir import Span, StatementKind
from sgmem.syntax.outline import ImportOutline, ParameterOutline, ScopeOutline, StatementOutline
from sgmem.syntax.tables import Tables, case_start, definition_start

if TYPE_CHECKING:
    from sgmem.syntax.outline import Block, Outline, ParameterKind
    from sgmem.syntax.text import SourceText

_KINDS: dict[type[ast.AST], StatementKind] = {
    ast.Assign: "assign", ast.AugAssign: "augment", ast.AnnAssign: "annotate", ast.Expr: "expression",
    ast.Return: "return", ast.Raise: "raise", ast.Assert: "assert", ast.Delete: "delete", ast.Global: "global",
    ast.Nonlocal: "nonlocal", ast.Import: "import", ast.ImportFrom: "import", ast.Pass: "pass", ast.Break: "break",
    ast.Continue: "continue", ast.If: "if", ast.While: "while", ast.For: "for", ast.AsyncFor: "for", ast.With: "with",
    ast.AsyncWith: "with", ast.Try: "try", ast.TryStar: "try", ast.ExceptHandler: "except", ast.Match: "match",
    ast.match_case: "case", ast.FunctionDef: "function", ast.AsyncFunctionDef: "function", ast.ClassDef: "class",
}  # fmt: skip

_DEFINITIONS = frozenset({ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef})
_PLAIN: frozenset[StatementKind] = frozenset(
    {
        "assign", "augment", "annotate", "expression", "return", "raise", "assert", "delete", "pass", "break",
        "continue", "type",
    }
)  # fmt: skip
"""The kinds of statement without header, blocks and names."""

# The blocks of each compound statement, last first, since they are pushed on a stack.
_BODY: tuple[tuple[str, Block], ...] = (("body", "body"),)
_LOOP: tuple[tuple[str, Block], ...] = (("orelse", "orelse"), ("body", "body"))
_BLOCKS: dict[StatementKind, tuple[tuple[str, Block], ...]] = {
    "if": _LOOP, "while": _LOOP, "for": _LOOP, "with": _BODY, "except": _BODY, "case": _BODY, "function": _BODY,
    "class": _BODY, "match": (("cases", "body"),), "import": (), "global": (), "nonlocal": (),
    "try": (("finalbody", "finally"), ("orelse", "orelse"), ("handlers", "handlers"), ("body", "body")),
}  # fmt: skip

_RECURSION = 2_000
"""Enough for an `elif` chain as long as the parser itself can take. CPython 3.11 allows three times as many frames of C, which
must fit on the stack; later versions have a limit of their own."""


def parse(text: str) -> ast.Module:
    """Parse a file's text. SyntaxError, or ValueError, RecursionError, MemoryError and the like where it is too complex."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _RECURSION))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the analysed code are its author's business
            return ast.parse(text)
    finally:
        sys.setrecursionlimit(limit)


def outline_by_ast(source: SourceText) -> Outline:
    """Parse and outline a file. Raises what `parse` raises."""
    return _Builder(source).build(parse(source.text))


class _Builder:
    """Flattens the statement tree in preorder with an explicit stack: an `elif` chain may be thousands deep."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.is_ascii = source.is_ascii
        self.tables = Tables(source)
        self.numbers = list(range(len(source.starts) + 2))
        """The numbers of the lines, each once: most are in several spans, and outlines are what a check keeps most of."""

    def build(self, tree: ast.Module) -> Outline:
        # Frames: (statement, parent index, block, scope, under TYPE_CHECKING) or a scope to close.
        pending: list[tuple[Any, int, Block, int, bool] | int] = [0]
        pending += [(node, -1, "body", 0, False) for node in reversed(tree.body)]
        tables, statements, push = self.tables, self.tables.statements, pending.append
        while pending:
            frame = pending.pop()
            if isinstance(frame, int):
                tables.close(frame)
                continue
            node, parent, block, scope, checking = frame
            kind = _KINDS.get(type(node), "type")
            if kind in _PLAIN:  # most statements
                statements.append(StatementOutline(kind, self.span(node), parent, block, scope))
                continue
            index = len(statements)
            inner = scope
            heads: tuple[Span, ...] = ()
            names: tuple[str, ...] = ()
            if kind in ("function", "class"):
                inner = len(tables.scopes)
                self._open(node, index, scope)
                push(inner)
                names = (node.name,)
            elif kind == "import":
                names = self._import(node, scope, checking)
            elif kind in ("global", "nonlocal"):
                names = tuple(node.names)
            else:
                heads = self._heads(node)
                if kind == "except" and node.name:
                    names = (node.name,)
            statements.append(StatementOutline(kind, self._whole_span(node), parent, block, scope, heads, names))
            for name, label in _BLOCKS[kind]:
                below = checking or (kind == "if" and label == "body" and _is_type_checking(node.test))
                for child in reversed(getattr(node, name)):
                    push((child, index, label, inner, below))
        return tables.outline()

    def _open(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, statement: int, parent: int) -> None:
        qualname = self.tables.qualname(parent, node.name)
        decorators = tuple(self.span(decorator) for decorator in node.decorator_list)
        first = statement + 1
        span = self.span(node)
        if isinstance(node, ast.ClassDef):
            scope = ScopeOutline(
                "class", node.name, qualname, parent, statement, span, first, first, (), decorators,
                tuple(self.span(base) for base in node.bases),
                tuple((k.arg, self.span(k.value)) for k in node.keywords if k.arg),
            )  # fmt: skip
        else:
            returns = self.span(node.returns) if node.returns else None
            scope = ScopeOutline(
                "function", node.name, qualname, parent, statement, span, first, first,
                self._parameters(node.args), decorators, (), (), returns, isinstance(node, ast.AsyncFunctionDef),
            )  # fmt: skip
        self.tables.scopes.append(scope)

    def _parameters(self, arguments: ast.arguments) -> tuple[ParameterOutline, ...]:
        rows: list[ParameterOutline] = []
        before = len(arguments.posonlyargs)
        positional = [*arguments.posonlyargs, *arguments.args]
        undefaulted = len(positional) - len(arguments.defaults)
        for position, argument in enumerate(positional):
            default = arguments.defaults[position - undefaulted] if position >= undefaulted else None
            rows.append(self._parameter(argument, "positional" if position < before else "normal", default))
        if arguments.vararg:
            rows.append(self._parameter(arguments.vararg, "star", None))
        for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
            rows.append(self._parameter(argument, "keyword", default))
        if arguments.kwarg:
            rows.append(self._parameter(arguments.kwarg, "double-star", None))
        return tuple(rows)

    def _parameter(self, argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> ParameterOutline:
        span = self.span(argument)
        annotation = self.span(argument.annotation) if argument.annotation is not None else None
        if default is None:
            return ParameterOutline(argument.arg, kind, span, annotation)
        end = self.span(default)
        whole = Span(span.line, span.column, end.end_line, end.end_column)
        return ParameterOutline(argument.arg, kind, whole, annotation, end)

    def _import(self, node: ast.Import | ast.ImportFrom, scope: int, checking: bool) -> tuple[str, ...]:
        """Note what an import statement imports; the names that it binds."""
        index, names = len(self.tables.statements), []
        for alias in node.names:
            if isinstance(node, ast.Import):
                bound = alias.asname or alias.name.partition(".")[0]
                row = ImportOutline(index, scope, alias.name, 0, None, bound, checking)
            else:
                bound = alias.asname or alias.name
                row = ImportOutline(index, scope, node.module or "", node.level, alias.name, bound, checking)
            self.tables.imports.append(row)
            names.append(bound)
        return tuple(names)

    def span(self, node: ast.AST) -> Span:
        line, end_line = self.numbers[node.lineno], self.numbers[node.end_lineno]  # type: ignore[attr-defined]
        if self.is_ascii:
            return Span(line, node.col_offset + 1, end_line, node.end_col_offset + 1)  # type: ignore[attr-defined]
        column = self.source.character_column
        return Span(line, column(line, node.col_offset), end_line, column(end_line, node.end_col_offset))  # type: ignore[attr-defined]

    def _whole_span(self, node: Any) -> Span:
        """A definition's span begins at its first decorator; a case, which `ast` gives no place, at its keyword."""
        if type(node) is ast.match_case:
            end = self.span(node.body[-1])
            return Span(*case_start(self.source, self.span(node.pattern)), end.end_line, end.end_column)
        span = self.span(node)
        if type(node) in _DEFINITIONS and node.decorator_list:
            start = definition_start(self.source, self.span(node.decorator_list[0]))
            return Span(*start, span.end_line, span.end_column)
        return span

    def _heads(self, node: Any) -> tuple[Span, ...]:
        kind = type(node)
        if kind is ast.If or kind is ast.While:
            return (self.span(node.test),)
        if kind is ast.For or kind is ast.AsyncFor:
            return (self.span(node.target), self.span(node.iter))
        if kind is ast.With or kind is ast.AsyncWith:
            pairs = ((item.context_expr, item.optional_vars or item.context_expr) for item in node.items)
            return tuple(self.span(part) for pair in pairs for part in pair)
        if kind is ast.Match:
            return (self.span(node.subject),)
        if kind is ast.match_case:
            return (self.span(node.pattern), *((self.span(node.guard),) if node.guard else ()))
        if kind is ast.ExceptHandler and node.type:
            return (self.span(node.type),)
        return ()


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"
