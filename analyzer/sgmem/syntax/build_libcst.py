"""Builds a file's outline with libcst: for syntax that is newer than the Python that runs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import libcst as cst

from sgmem.syntax.ir import Span, StatementKind
from sgmem.syntax.outline import ImportOutline, ParameterOutline, ScopeOutline, StatementOutline
from sgmem.syntax.positions import DeepRecursion, Positions, PositionState
from sgmem.syntax.tables import Tables, case_start, definition_start

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sgmem.syntax.outline import Block, Outline, ParameterKind
    from sgmem.syntax.text import SourceText

_KINDS: dict[type[cst.CSTNode], StatementKind] = {
    cst.Assign: "assign", cst.AugAssign: "augment", cst.AnnAssign: "annotate", cst.Expr: "expression",
    cst.Return: "return", cst.Raise: "raise", cst.Assert: "assert", cst.Del: "delete", cst.Global: "global",
    cst.Nonlocal: "nonlocal", cst.Import: "import", cst.ImportFrom: "import", cst.Pass: "pass", cst.Break: "break",
    cst.Continue: "continue", cst.If: "if", cst.While: "while", cst.For: "for", cst.With: "with", cst.Try: "try",
    cst.TryStar: "try", cst.ExceptHandler: "except", cst.ExceptStarHandler: "except", cst.Match: "match",
    cst.MatchCase: "case", cst.FunctionDef: "function", cst.ClassDef: "class", cst.TypeAlias: "type",
}  # fmt: skip

_SIMPLE = {kind for node, kind in _KINDS.items() if issubclass(node, cst.BaseSmallStatement)}
_LEADING_FORM_FEED = re.compile(r"^[ \t]*\f[ \t\f]*[^\s#]", re.MULTILINE)
_SEMICOLON = re.compile(r"[ \t\f]*;")


def outline_by_libcst(source: SourceText) -> Outline | None:
    """The outline of a file, equal to that of `outline_by_ast` where both read it; None where libcst does not read it or does not
    give its text back, so that no place in it would be certain. The text must have passed `limits.parsable_file`."""
    text = source.text
    if "\f" in text:
        if _LEADING_FORM_FEED.search(text):
            return None  # libcst drops it, and with a blank in its place the line would be indented
        text = text.replace("\f", " ")
    try:
        module = cst.parse_module(text)
        with DeepRecursion():
            if module.code != text:
                return None
            state = PositionState(1, 1, module.default_indent)
            module._codegen(state)
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, ValueError):
        return None
    return _Builder(source, module, state.spans).build()


class _Builder:
    """Flattens the statement tree in preorder with an explicit stack, as the builder for `ast` does."""

    def __init__(self, source: SourceText, module: cst.Module, spans: dict[cst.CSTNode, Span]) -> None:
        self.source = source
        self.module = module
        self.tables = Tables(source)
        self.positions = Positions(spans, source.text, self.tables.scopes[0].span)

    def build(self) -> Outline:
        # Frames: (statement, parent index, block, scope, under TYPE_CHECKING) or a scope to close.
        pending: list[tuple[cst.CSTNode, int, Block, int, bool] | int] = [0]
        pending += [(node, -1, "body", 0, False) for node in reversed(_statements(self.module))]
        tables = self.tables
        while pending:
            frame = pending.pop()
            if isinstance(frame, int):
                tables.close(frame)
                continue
            node, parent, block, scope, checking = frame
            index = len(tables.statements)
            inner = scope
            if isinstance(node, cst.FunctionDef | cst.ClassDef):
                inner = len(tables.scopes)
                self._open(node, index, scope)
                pending.append(inner)
            elif isinstance(node, cst.Import | cst.ImportFrom):
                self._import(node, scope, checking)
            row = StatementOutline(_KINDS[type(node)], self._whole_span(node), parent, block, scope, self._heads(node), _names(node))
            tables.statements.append(row)
            for children, label in reversed(_blocks(node)):
                below = checking or (isinstance(node, cst.If) and label == "body" and _is_type_checking(node.test))
                pending += [(child, index, label, inner, below) for child in reversed(children)]
        self._end_compounds()
        return tables.outline()

    def _end_compounds(self) -> None:
        """A compound statement ends where its last statement ends, not after the blanks and comments that libcst counts in."""
        statements, scopes = self.tables.statements, self.tables.scopes
        ended: set[int] = set()
        for index in range(len(statements) - 1, -1, -1):
            row = statements[index]
            if row.parent >= 0 and row.parent not in ended:
                ended.add(row.parent)
                above = statements[row.parent]
                last = self._through_semicolon(row.span) if row.kind in _SIMPLE else row.span
                statements[row.parent] = _with_span(above, _ending(above.span, last))
        for index, scope in enumerate(scopes[1:], start=1):
            ended_span = _ending(scope.span, statements[scope.statement].span)
            fields = [getattr(scope, name) for name in scope.__struct_fields__]
            fields[scope.__struct_fields__.index("span")] = ended_span
            scopes[index] = ScopeOutline(*fields)

    def _through_semicolon(self, span: Span) -> Span:
        found = _SEMICOLON.match(self.source.text, self.source.offset(span.end_line, span.end_column))
        return _ending(span, Span(*self.source.position(found.end()) * 2)) if found is not None else span

    def span(self, node: cst.CSTNode) -> Span:
        """The place of a node; a tuple without parentheses ends with its last comma, not with the blanks after it."""
        span = self.positions.of(node)
        return self.positions.trimmed(span) if _ends_in_comma(node) else span

    def _whole_span(self, node: cst.CSTNode) -> Span:
        if isinstance(node, cst.MatchCase):
            pattern = self.span(node.pattern)
            return Span(*case_start(self.source, pattern), pattern.end_line, pattern.end_column)
        span = self.positions.of(node)
        if isinstance(node, cst.FunctionDef | cst.ClassDef) and node.decorators:
            start = definition_start(self.source, self.span(node.decorators[0].decorator))
            return Span(*start, span.end_line, span.end_column)
        return self.positions.trimmed(span) if isinstance(node, cst.BaseSmallStatement) else span

    def _open(self, node: cst.FunctionDef | cst.ClassDef, statement: int, parent: int) -> None:
        name = node.name.value
        qualname = self.tables.qualname(parent, name)
        decorators = tuple(self.span(each.decorator) for each in node.decorators)
        first, span = statement + 1, self.positions.of(node)
        if isinstance(node, cst.ClassDef):
            scope = ScopeOutline(
                "class", name, qualname, parent, statement, span, first, first, (), decorators,
                tuple(self.span(base if base.star else base.value) for base in node.bases),
                tuple((k.keyword.value, self.span(k.value)) for k in node.keywords if k.keyword is not None),
            )  # fmt: skip
        else:
            returns = self.span(node.returns.annotation) if node.returns is not None else None
            scope = ScopeOutline(
                "function", name, qualname, parent, statement, span, first, first, self._parameters(node.params),
                decorators, (), (), returns, node.asynchronous is not None,
            )  # fmt: skip
        self.tables.scopes.append(scope)

    def _parameters(self, given: cst.Parameters) -> tuple[ParameterOutline, ...]:
        rows = [self._parameter(each, "positional") for each in given.posonly_params]
        rows += [self._parameter(each, "normal") for each in given.params]
        if isinstance(given.star_arg, cst.Param):
            rows.append(self._parameter(given.star_arg, "star"))
        rows += [self._parameter(each, "keyword") for each in given.kwonly_params]
        if given.star_kwarg is not None:
            rows.append(self._parameter(given.star_kwarg, "double-star"))
        return tuple(rows)

    def _parameter(self, node: cst.Param, kind: ParameterKind) -> ParameterOutline:
        name = self.span(node.name)
        annotation = self.span(node.annotation.annotation) if node.annotation is not None else None
        default = self.span(node.default) if node.default is not None else None
        # An annotation's own parentheses belong to the parameter.
        outer = self.positions.of(node.annotation) if node.annotation is not None else name
        return ParameterOutline(node.name.value, kind, _ending(name, default or outer), annotation, default)

    def _import(self, node: cst.Import | cst.ImportFrom, scope: int, checking: bool) -> None:
        index = len(self.tables.statements)
        for module, level, name, bound in _imported(node):
            self.tables.imports.append(ImportOutline(index, scope, module, level, name, bound, checking))

    def _heads(self, node: cst.CSTNode) -> tuple[Span, ...]:
        match node:
            case cst.If() | cst.While():
                return (self.span(node.test),)
            case cst.For():
                return (self.span(node.target), self.span(node.iter))
            case cst.With():
                pairs = ((item.item, item.asname.name if item.asname else item.item) for item in node.items)
                return tuple(self.span(part) for pair in pairs for part in pair)
            case cst.Match():
                return (self.span(node.subject),)
            case cst.MatchCase():
                return (self.span(node.pattern), *((self.span(node.guard),) if node.guard else ()))
            case cst.ExceptHandler() | cst.ExceptStarHandler() if node.type is not None:
                return (self.span(node.type),)
        return ()


def _statements(block: cst.Module | cst.BaseSuite) -> list[cst.CSTNode]:
    """The statements of a block, those that share a line one by one."""
    found: list[cst.CSTNode] = []
    for child in block.body:
        found += child.body if isinstance(child, cst.SimpleStatementLine) else (child,)
    return found


def _blocks(node: cst.CSTNode) -> list[tuple[Sequence[cst.CSTNode], Block]]:
    """The blocks of a compound statement in source order."""
    match node:
        case cst.If():
            after = [node.orelse] if isinstance(node.orelse, cst.If) else _else(node.orelse)
            return [(_statements(node.body), "body"), (after, "orelse")]
        case cst.For() | cst.While():
            return [(_statements(node.body), "body"), (_else(node.orelse), "orelse")]
        case cst.Try() | cst.TryStar():
            last = _statements(node.finalbody.body) if node.finalbody is not None else []
            return [
                (_statements(node.body), "body"),
                (node.handlers, "handlers"),
                (_else(node.orelse), "orelse"),
                (last, "finally"),
            ]
        case cst.Match():
            return [(node.cases, "body")]
        case cst.FunctionDef() | cst.ClassDef() | cst.With() | cst.MatchCase():
            return [(_statements(node.body), "body")]
        case cst.ExceptHandler() | cst.ExceptStarHandler():
            return [(_statements(node.body), "body")]
    return []


def _else(node: cst.Else | None) -> list[cst.CSTNode]:
    return _statements(node.body) if node is not None else []


def _names(node: cst.CSTNode) -> tuple[str, ...]:
    match node:
        case cst.FunctionDef() | cst.ClassDef():
            return (node.name.value,)
        case cst.Import() | cst.ImportFrom():
            return tuple(bound for _, _, _, bound in _imported(node))
        case cst.Global() | cst.Nonlocal():
            return tuple(item.name.value for item in node.names)
        case cst.ExceptHandler() | cst.ExceptStarHandler() if node.name is not None:
            name = node.name.name
            return (name.value,) if isinstance(name, cst.Name) else ()
    return ()


def _imported(node: cst.Import | cst.ImportFrom) -> list[tuple[str, int, str | None, str]]:
    """What an import statement binds: (module, level, name or None, bound name)."""
    if isinstance(node, cst.Import):
        rows: list[tuple[str, int, str | None, str]] = []
        for alias in node.names:
            name = _dotted(alias.name)
            rows.append((name, 0, None, _bound(alias) or name.partition(".")[0]))
        return rows
    module, level = _dotted(node.module), len(node.relative)
    if isinstance(node.names, cst.ImportStar):
        return [(module, level, "*", "*")]
    return [(module, level, _dotted(alias.name), _bound(alias) or _dotted(alias.name)) for alias in node.names]


def _bound(alias: cst.ImportAlias) -> str:
    name = alias.asname.name if alias.asname is not None else None
    return name.value if isinstance(name, cst.Name) else ""


def _dotted(node: cst.BaseExpression | None) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        parts.append(node.value)
    return ".".join(reversed(parts))


def _ends_in_comma(node: cst.CSTNode) -> bool:
    if isinstance(node, cst.Tuple):
        return not node.lpar and bool(node.elements) and isinstance(node.elements[-1].comma, cst.Comma)
    if isinstance(node, cst.MatchTuple | cst.MatchList):
        bare = not node.lpar and not getattr(node, "lbracket", None)
        return bare and bool(node.patterns) and isinstance(node.patterns[-1].comma, cst.Comma)
    return False


def _ending(span: Span, last: Span) -> Span:
    return Span(span.line, span.column, last.end_line, last.end_column)


def _with_span(row: StatementOutline, span: Span) -> StatementOutline:
    return StatementOutline(row.kind, span, row.parent, row.block, row.scope, row.heads, row.names)


def _is_type_checking(test: cst.BaseExpression) -> bool:
    return _dotted(test).rpartition(".")[2] == "TYPE_CHECKING"
