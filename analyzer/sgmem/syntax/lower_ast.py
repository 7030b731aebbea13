"""Lowers expressions and simple statements from `ast` to the intermediate representation, where `ast` places every part exactly."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.syntax import ir
from sgmem.syntax.build_ast import parse
from sgmem.syntax.ir import Binding, Span, Statement
from sgmem.syntax.recursion import DeepRecursion

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sgmem.syntax.outline import StatementOutline


class Inexact(Exception):
    """The slice is for another front end: `ast` does not read it, or does not say where each of its parts stands."""


def expression_by_ast(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells. Raises `Inexact`."""
    # An expression may run over several lines in parentheses that are not its own but the statement's, so lend it a pair.
    body = _parsed(f"({text}\n)", text)
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise Inexact
    try:
        with DeepRecursion():
            return _Lowering(text, span, span.column - 1).root(body[0].value)
    except RecursionError:
        raise Inexact from None


def statement_by_ast(text: str, row: StatementOutline) -> Statement:
    """Lower the simple statement that `text` spells. Raises `Inexact`."""
    body = _parsed(text, text)
    if len(body) != 1:
        raise Inexact
    try:
        with DeepRecursion():
            return _simple(body[0], row, _Lowering(text, row.span, row.span.column))
    except RecursionError:
        raise Inexact from None


def _parsed(code: str, text: str) -> list[ast.stmt]:
    # Other characters make columns of bytes differ from those of characters, and identifiers from their spelling.
    if not text.isascii() or "\f" in text:
        raise Inexact
    try:
        return parse(code).body
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        raise Inexact from None


def _simple(node: ast.stmt, row: StatementOutline, at: _Lowering) -> Statement:
    bindings: tuple[Binding, ...] = ()
    values: tuple[ir.Expr, ...] = ()
    annotation: ir.Expr | None = None
    match node:
        case ast.Assign():
            value = at.lower(node.value)
            bindings = tuple(Binding(at.lower(target), value) for target in node.targets)
        case ast.AnnAssign():
            annotation = at.lower(node.annotation)
            bindings = (Binding(at.lower(node.target), at.optional(node.value), "annotate"),)
        case ast.AugAssign():
            bindings = (Binding(at.lower(node.target), at.lower(node.value), "augment", _SPELLINGS[type(node.op)]),)
        case ast.Expr():
            values = (at.lower(node.value),)
        case ast.Return():
            values = () if node.value is None else (at.lower(node.value),)
        case ast.Raise():
            values = tuple(at.lower(part) for part in (node.exc, node.cause) if part is not None)
        case ast.Assert():
            values = tuple(at.lower(part) for part in (node.test, node.msg) if part is not None)
        case ast.Delete():
            bindings = tuple(Binding(each, None, "delete") for target in node.targets for each in _deleted(at.lower(target)))
        case _:
            raise Inexact
    return Statement(row.kind, row.span, bindings, values, annotation)


def _deleted(target: ir.Expr) -> list[ir.Expr]:
    if isinstance(target, ir.Collection):
        return [each for item in target.items for each in _deleted(item)]
    return [target]


class _Lowering:
    """Lowers the nodes of one parsed slice, whose first character stands at `column` for the parser's column 0."""

    def __init__(self, text: str, place: Span, column: int) -> None:
        self.text = text
        self.place = place
        self.column = column
        self._starts: list[int] | None = None

    def root(self, node: ast.expr) -> ir.Expr:
        """The whole slice, where it is an expression: a tuple without parentheses has been lent a pair."""
        lowered = self.lower(node)
        return lowered if lowered.span == self.place else msgspec.structs.replace(lowered, span=self.place)

    def lower(self, node: ast.AST) -> ir.Expr:
        method = _LOWERINGS.get(type(node))
        if method is None:
            raise Inexact
        return method(self, node)

    def optional(self, node: ast.AST | None) -> ir.Expr | None:
        return None if node is None else self.lower(node)

    def every(self, nodes: Sequence[ast.AST]) -> tuple[ir.Expr, ...]:
        return tuple([self.lower(node) for node in nodes])

    def span(self, node: Any) -> Span:
        line, end_line, place = node.lineno, node.end_lineno, self.place
        return Span(
            line + place.line - 1,
            node.col_offset + (self.column if line == 1 else 1),
            end_line + place.line - 1,
            node.end_col_offset + (self.column if end_line == 1 else 1),
        )

    def between(self, line: int, column: int, end_line: int, end_column: int) -> str:
        """The text between two places of the file."""
        return self.text[self._offset(line, column) : self._offset(end_line, end_column)]

    def slice(self, span: Span) -> str:
        return self.between(span.line, span.column, span.end_line, span.end_column)

    def _offset(self, line: int, column: int) -> int:
        if line == self.place.line:
            return column - self.place.column
        if self._starts is None:
            self._starts = [0]
            for number, character in enumerate(self.text, 1):
                if character == "\n":
                    self._starts.append(number)
        return self._starts[line - self.place.line] + column - 1

    def constant(self, node: ast.Constant) -> ir.Expr:
        span = self.span(node)
        if node.value is ...:
            return ir.Const(span, "...", "...")
        return ir.Const(span, node.value, self.slice(span))

    def name(self, node: ast.Name) -> ir.Expr:
        return ir.Name(self.span(node), node.id)

    def attribute(self, node: ast.Attribute) -> ir.Expr:
        # A call chain nests in the base; unroll it, so that its length does not count against the recursion limit.
        chain = [node]
        while isinstance(chain[-1].value, ast.Attribute):
            chain.append(chain[-1].value)
        lowered = self.lower(chain[-1].value)
        for link in reversed(chain):
            span = self.span(link)
            own = Span(span.end_line, span.end_column - len(link.attr), span.end_line, span.end_column)
            lowered = ir.Attribute(span, lowered, link.attr, own)
        return lowered

    def subscript(self, node: ast.Subscript) -> ir.Expr:
        return ir.Subscript(self.span(node), self.lower(node.value), self.lower(node.slice))

    def part(self, node: ast.Slice) -> ir.Expr:
        return ir.Slice(self.span(node), self.optional(node.lower), self.optional(node.upper), self.optional(node.step))

    def call(self, node: ast.Call) -> ir.Expr:
        span, func = self.span(node), self.lower(node.func)
        # `ast` keeps positional and keyword arguments apart and gives no place to the parentheses around an argument.
        nodes: list[Any] = [*node.args, *node.keywords]
        if node.keywords and node.args:
            nodes.sort(key=lambda one: (one.lineno, one.col_offset))
        end, opened = (func.span.end_line, func.span.end_column), 1
        arguments = []
        for one in nodes:
            place = self.span(one)
            if isinstance(one, ast.GeneratorExp) or self.between(*end, place.line, place.column).count("(") != opened:
                raise Inexact
            end, opened = (place.end_line, place.end_column), 0
            if isinstance(one, ast.keyword):
                arguments.append(ir.Argument(place, self.lower(one.value), one.arg, "" if one.arg else "**"))
            elif isinstance(one, ast.Starred):
                arguments.append(ir.Argument(place, self.lower(one.value), None, "*"))
            else:
                arguments.append(ir.Argument(place, self.lower(one)))
        return ir.Call(span, func, tuple(arguments))

    def binary(self, node: ast.BinOp) -> ir.Expr:
        spine = [node]
        while isinstance(spine[-1].left, ast.BinOp):
            spine.append(spine[-1].left)
        lowered = self.lower(spine[-1].left)
        for link in reversed(spine):
            lowered = ir.Binary(self.span(link), _SPELLINGS[type(link.op)], lowered, self.lower(link.right))
        return lowered

    def unary(self, node: ast.UnaryOp) -> ir.Expr:
        return ir.Unary(self.span(node), _SPELLINGS[type(node.op)], self.lower(node.operand))

    def boolean(self, node: ast.BoolOp) -> ir.Expr:
        return ir.Boolean(self.span(node), "and" if isinstance(node.op, ast.And) else "or", self.every(node.values))

    def comparison(self, node: ast.Compare) -> ir.Expr:
        operators = tuple([_SPELLINGS[type(operator)] for operator in node.ops])
        return ir.Compare(self.span(node), operators, self.every([node.left, *node.comparators]))

    def conditional(self, node: ast.IfExp) -> ir.Expr:
        return ir.Conditional(self.span(node), self.lower(node.test), self.lower(node.body), self.lower(node.orelse))

    def display(self, node: ast.Tuple | ast.List | ast.Set) -> ir.Expr:
        return ir.Collection(self.span(node), _DISPLAYS[type(node)], self.every(node.elts))

    def starred(self, node: ast.Starred) -> ir.Expr:
        return ir.Starred(self.span(node), self.lower(node.value))

    def dictionary(self, node: ast.Dict) -> ir.Expr:
        items = [(self.optional(key), self.lower(value)) for key, value in zip(node.keys, node.values, strict=True)]
        return ir.Dict(self.span(node), tuple(items))

    def function(self, node: ast.Lambda) -> ir.Expr:
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *(one for one in (given.vararg, given.kwarg) if one)]
        defaults = [*given.defaults, *(one for one in given.kw_defaults if one)]
        return ir.Lambda(self.span(node), tuple([one.arg for one in every]), self.lower(node.body), self.every(defaults))

    def comprehension(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> ir.Expr:
        kind = _COMPREHENSIONS[type(node)]
        return ir.Comprehension(self.span(node), kind, self.lower(node.elt), None, self.clauses(node.generators))

    def dict_comprehension(self, node: ast.DictComp) -> ir.Expr:
        key, value = self.lower(node.key), self.lower(node.value)
        return ir.Comprehension(self.span(node), "dict", key, value, self.clauses(node.generators))

    def clauses(self, generators: Sequence[ast.comprehension]) -> tuple[ir.Clause, ...]:
        return tuple([ir.Clause(self.lower(one.target), self.lower(one.iter), self.every(one.ifs)) for one in generators])

    def walrus(self, node: ast.NamedExpr) -> ir.Expr:
        return ir.Walrus(self.span(node), ir.Name(self.span(node.target), node.target.id), self.lower(node.value))

    def awaited(self, node: ast.Await) -> ir.Expr:
        return ir.Await(self.span(node), self.lower(node.value))

    def yielded(self, node: ast.Yield | ast.YieldFrom) -> ir.Expr:
        return ir.Yield(self.span(node), self.optional(node.value))


# An f-string is missing: before Python 3.12 `ast` does not place what stands in its braces, and at no time its literal parts.
_LOWERINGS: dict[type[ast.AST], Callable[[_Lowering, Any], ir.Expr]] = {
    ast.Constant: _Lowering.constant,
    ast.Name: _Lowering.name,
    ast.Attribute: _Lowering.attribute,
    ast.Subscript: _Lowering.subscript,
    ast.Slice: _Lowering.part,
    ast.Call: _Lowering.call,
    ast.BinOp: _Lowering.binary,
    ast.UnaryOp: _Lowering.unary,
    ast.BoolOp: _Lowering.boolean,
    ast.Compare: _Lowering.comparison,
    ast.IfExp: _Lowering.conditional,
    ast.Tuple: _Lowering.display,
    ast.List: _Lowering.display,
    ast.Set: _Lowering.display,
    ast.Starred: _Lowering.starred,
    ast.Dict: _Lowering.dictionary,
    ast.Lambda: _Lowering.function,
    ast.GeneratorExp: _Lowering.comprehension,
    ast.ListComp: _Lowering.comprehension,
    ast.SetComp: _Lowering.comprehension,
    ast.DictComp: _Lowering.dict_comprehension,
    ast.NamedExpr: _Lowering.walrus,
    ast.Await: _Lowering.awaited,
    ast.Yield: _Lowering.yielded,
    ast.YieldFrom: _Lowering.yielded,
}

_DISPLAYS: dict[type[ast.AST], Any] = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}
_COMPREHENSIONS: dict[type[ast.AST], Any] = {ast.GeneratorExp: "generator", ast.ListComp: "list", ast.SetComp: "set"}

_SPELLINGS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
