"""Builds a file's outline with `ast`, which only locates: no expression is interpreted here."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from sgmem.syntax.ir import Span, StatementKind
from sgmem.syntax.outline import (
    Block,
    ImportOutline,
    Outline,
    ParameterKind,
    ParameterOutline,
    ScopeOutline,
    StatementOutline,
)

if TYPE_CHECKING:
    from sgmem.syntax.text import SourceText


class Unparsable(Exception):
    """Neither parser reads the file; the message says where and why in one line."""


_KINDS: dict[type[ast.AST], StatementKind] = {
    ast.Assign: "assign", ast.AugAssign: "augment", ast.AnnAssign: "annotate", ast.Expr: "expression", ast.Return: "return",
    ast.Raise: "raise", ast.Assert: "assert", ast.Delete: "delete", ast.Global: "global", ast.Nonlocal: "nonlocal",
    ast.Import: "import", ast.ImportFrom: "import", ast.Pass: "pass", ast.Break: "break", ast.Continue: "continue", ast.If: "if",
    ast.While: "while", ast.For: "for", ast.AsyncFor: "for", ast.With: "with", ast.AsyncWith: "with", ast.Try: "try",
    ast.TryStar: "try", ast.ExceptHandler: "except", ast.Match: "match", ast.match_case: "case", ast.FunctionDef: "function",
    ast.AsyncFunctionDef: "function", ast.ClassDef: "class",
}  # fmt: skip

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_PLAIN: frozenset[StatementKind] = frozenset(
    {
        "assign",
        "augment",
        "annotate",
        "expression",
        "return",
        "raise",
        "assert",
        "delete",
        "pass",
        "break",
        "continue",
        "type",
    }
)

# The blocks of each compound statement, last first, since they are pushed on a stack.
_BODY: tuple[tuple[str, Block], ...] = (("body", "body"),)
_LOOP: tuple[tuple[str, Block], ...] = (("orelse", "orelse"), ("body", "body"))
_BLOCKS: dict[StatementKind, tuple[tuple[str, Block], ...]] = {
    "if": _LOOP, "while": _LOOP, "for": _LOOP, "with": _BODY, "except": _BODY, "case": _BODY, "function": _BODY, "class": _BODY,
    "match": (("cases", "body"),), "import": (), "global": (), "nonlocal": (),
    "try": (("finalbody", "finally"), ("orelse", "orelse"), ("handlers", "handlers"), ("body", "body")),
}  # fmt: skip


def build_outline(source: SourceText) -> Outline:
    """Parse and outline a file. Raises `Unparsable` where `ast` cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes in the analysed code are its author's business
            tree = ast.parse(source.text)
    except SyntaxError as error:
        raise Unparsable(f"line {error.lineno or 1}: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Unparsable(f"too complex to parse ({type(error).__name__})") from None
    return _Builder(source).build(tree)


class _Builder:
    """Flattens the statement tree in preorder with an explicit stack: an `elif` chain may be thousands deep."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.is_ascii = source.is_ascii
        self.statements: list[StatementOutline] = []
        self.scopes: list[ScopeOutline] = []
        self.imports: list[ImportOutline] = []

    def build(self, tree: ast.Module) -> Outline:
        lines = len(self.source.starts)
        self.scopes.append(ScopeOutline("module", "", "", -1, -1, Span(1, 1, lines, 1), 0, 0))
        # Frames: (statement, parent index, block, scope, under TYPE_CHECKING) or a scope to close.
        pending: list[tuple[ast.AST, int, Block, int, bool] | int] = [0]
        pending += [(node, -1, "body", 0, False) for node in reversed(tree.body)]
        statements, push = self.statements, pending.append
        while pending:
            frame = pending.pop()
            if isinstance(frame, int):
                self._close(frame)
                continue
            node, parent, block, scope, checking = frame
            kind = _KINDS.get(type(node), "type")
            if kind in _PLAIN:  # most statements: no header, no blocks, no names
                statements.append(StatementOutline(kind, self.span(node), parent, block, scope))
                continue
            index = len(statements)
            inner = scope
            if isinstance(node, _DEFINITIONS):
                inner = len(self.scopes)
                self._open(node, index, scope)
                push(inner)
            self._add(node, kind, parent, block, scope, checking)
            for name, label in _BLOCKS[kind]:
                below = checking or (kind == "if" and label == "body" and _is_type_checking(node.test))  # type: ignore[attr-defined]
                for child in reversed(getattr(node, name)):
                    push((child, index, label, inner, below))
        return Outline(tuple(self.statements), tuple(self.scopes), tuple(self.imports))

    def _open(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef, statement: int, parent: int) -> None:
        above = self.scopes[parent].qualname
        qualname = f"{above}.{node.name}" if above else node.name
        decorators = tuple(self.span(d) for d in node.decorator_list)
        first = statement + 1
        span = self.span(node)
        if isinstance(node, ast.ClassDef):
            scope = ScopeOutline(
                "class", node.name, qualname, parent, statement, span, first, first, (), decorators,
                tuple(self.span(base) for base in node.bases),
                tuple((k.arg, self.span(k.value)) for k in node.keywords if k.arg),
            )  # fmt: skip
        else:
            scope = ScopeOutline(
                "function", node.name, qualname, parent, statement, span, first, first, self._parameters(node.args), decorators,
                (), (), self.span(node.returns) if node.returns else None, isinstance(node, ast.AsyncFunctionDef),
            )  # fmt: skip
        self.scopes.append(scope)

    def _close(self, scope: int) -> None:
        opened = self.scopes[scope]
        fields = [getattr(opened, name) for name in opened.__struct_fields__]
        fields[opened.__struct_fields__.index("last")] = len(self.statements)
        self.scopes[scope] = ScopeOutline(*fields)

    def _parameters(self, arguments: ast.arguments) -> tuple[ParameterOutline, ...]:
        positional = [*((a, "positional") for a in arguments.posonlyargs), *((a, "normal") for a in arguments.args)]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults)) + list(
            arguments.defaults
        )
        rows: list[tuple[ast.arg, str, ast.expr | None]] = [
            (a, k, d) for (a, k), d in zip(positional, defaults, strict=True)
        ]
        if arguments.vararg:
            rows.append((arguments.vararg, "star", None))
        rows += [(a, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)]
        if arguments.kwarg:
            rows.append((arguments.kwarg, "double-star", None))
        return tuple(self._parameter(a, k, d) for a, k, d in rows)  # type: ignore[arg-type]

    def _parameter(self, argument: ast.arg, kind: ParameterKind, default: ast.expr | None) -> ParameterOutline:
        span = self.span(argument)
        if default is not None:
            end = self.span(default)
            span = Span(span.line, span.column, end.end_line, end.end_column)
        annotation = self.span(argument.annotation) if argument.annotation else None
        return ParameterOutline(
            argument.arg, kind, span, annotation, self.span(default) if default is not None else None
        )

    def _add(self, node: ast.AST, kind: StatementKind, parent: int, block: Block, scope: int, checking: bool) -> None:
        index = len(self.statements)
        if isinstance(node, ast.Import):
            for alias in node.names:
                bound = alias.asname or alias.name.split(".")[0]
                self.imports.append(ImportOutline(index, scope, alias.name, 0, None, bound, checking))
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                bound = alias.asname or alias.name
                self.imports.append(
                    ImportOutline(index, scope, node.module or "", node.level, alias.name, bound, checking)
                )
        span = self._case_span(node) if isinstance(node, ast.match_case) else self._whole_span(node)
        self.statements.append(StatementOutline(kind, span, parent, block, scope, self._heads(node), _names(node)))

    def span(self, node: ast.AST) -> Span:
        if self.is_ascii:
            return Span(node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)  # type: ignore[attr-defined]
        column = self.source.character_column
        line, end_line = node.lineno, node.end_lineno  # type: ignore[attr-defined]
        return Span(line, column(line, node.col_offset), end_line, column(end_line, node.end_col_offset))  # type: ignore[attr-defined]

    def _whole_span(self, node: ast.AST) -> Span:
        """A definition's span begins at its first decorator."""
        span = self.span(node)
        decorators = getattr(node, "decorator_list", None)
        if decorators:
            first = self.span(decorators[0])
            return Span(first.line, max(1, first.column - 1), span.end_line, span.end_column)
        return span

    def _case_span(self, case: ast.match_case) -> Span:
        first, last = self.span(case.pattern), self.span(case.body[-1])
        return Span(first.line, first.column, last.end_line, last.end_column)

    def _heads(self, node: ast.AST) -> tuple[Span, ...]:
        if isinstance(node, ast.If | ast.While):
            return (self.span(node.test),)
        if isinstance(node, ast.For | ast.AsyncFor):
            return (self.span(node.target), self.span(node.iter))
        if isinstance(node, ast.With | ast.AsyncWith):
            pairs = ((item.context_expr, item.optional_vars or item.context_expr) for item in node.items)
            return tuple(self.span(part) for pair in pairs for part in pair)
        if isinstance(node, ast.Match):
            return (self.span(node.subject),)
        if isinstance(node, ast.match_case):
            return (self.span(node.pattern), *((self.span(node.guard),) if node.guard else ()))
        if isinstance(node, ast.ExceptHandler) and node.type:
            return (self.span(node.type),)
        return ()


def _names(node: ast.AST) -> tuple[str, ...]:
    if isinstance(node, ast.Import):
        return tuple(alias.asname or alias.name.split(".")[0] for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        return tuple(alias.asname or alias.name for alias in node.names)
    if isinstance(node, ast.Global | ast.Nonlocal):
        return tuple(node.names)
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return (node.name,)
    if isinstance(node, ast.ExceptHandler) and node.name:
        return (node.name,)
    return ()


def _is_type_checking(test: ast.expr) -> bool:
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    return name == "TYPE_CHECKING"
