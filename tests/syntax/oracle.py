"""What `ast` says about a file's expressions, in a shape that lowered expressions can be compared with.

A shape is (kind, span, details, children); spans are (line, column, end line, end column), 1-based, in characters.
"""

from __future__ import annotations

import ast
import sys
from typing import TYPE_CHECKING, Any

from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.syntax.text import SourceText

Shape = tuple[str, Any, Any, tuple[Any, ...]]

EXACT_FORMAT_STRINGS = sys.version_info >= (3, 12)
"""Before, `ast` gives the parts of an f-string wrong places."""

_BINARY = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}  # fmt: skip
_UNARY = {ast.Not: "not", ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARE = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
_COMPREHENSIONS = {ast.ListComp: "list", ast.SetComp: "set", ast.GeneratorExp: "generator"}
_TEMPLATE: type = getattr(ast, "TemplateStr", ast.JoinedStr)
_FIELD: type = getattr(ast, "Interpolation", ast.FormattedValue)
_DISPLAYS = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}


class Expected:
    """Shapes of `ast` expressions of one file."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.in_format = False

    def span(self, node: Any) -> tuple[int, int, int, int] | None:
        if self.in_format and not EXACT_FORMAT_STRINGS:
            return None
        column = self.source.character_column
        return (
            node.lineno,
            column(node.lineno, node.col_offset),
            node.end_lineno,
            column(node.end_lineno, node.end_col_offset),
        )

    def many(self, nodes: Any) -> tuple[Shape, ...]:
        return tuple(self.shape(node) for node in nodes if node is not None)

    def shape(self, node: ast.expr) -> Shape:
        span, many, shape = self.span(node), self.many, self.shape
        match node:
            case ast.Constant():
                return ("const", span, "..." if node.value is ... else node.value, ())
            case ast.Name():
                return ("name", span, node.id, ())
            case ast.Attribute():
                return ("attribute", span, node.attr, (shape(node.value),))
            case ast.Subscript():
                return ("subscript", span, None, (shape(node.value), shape(node.slice)))
            case ast.Slice():
                present = tuple(part is not None for part in (node.lower, node.upper, node.step))
                return ("slice", span, present, many((node.lower, node.upper, node.step)))
            case ast.Call():
                return ("call", span, None, (shape(node.func), *self.arguments(node)))
            case ast.BinOp():
                return ("binary", span, _BINARY[type(node.op)], many((node.left, node.right)))
            case ast.UnaryOp():
                return ("unary", span, _UNARY[type(node.op)], many((node.operand,)))
            case ast.BoolOp():
                return ("boolean", span, "and" if isinstance(node.op, ast.And) else "or", many(node.values))
            case ast.Compare():
                return (
                    "compare",
                    span,
                    tuple(_COMPARE[type(o)] for o in node.ops),
                    many((node.left, *node.comparators)),
                )
            case ast.IfExp():
                return ("conditional", span, None, many((node.body, node.test, node.orelse)))
            case ast.Tuple() | ast.List() | ast.Set():
                return ("collection", span, _DISPLAYS[type(node)], many(node.elts))
            case ast.Dict():
                pairs = zip(node.keys, node.values, strict=True)
                return ("dict", span, tuple(k is not None for k in node.keys), many(n for pair in pairs for n in pair))
            case ast.Starred():
                return ("starred", span, None, many((node.value,)))
            case ast.Lambda():
                return ("lambda", span, self.parameters(node.args), (*self.defaults(node.args), shape(node.body)))
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                inner = (shape(node.elt), *self.clauses(node.generators))
                return ("comprehension", span, _COMPREHENSIONS[type(node)], inner)
            case ast.DictComp():
                inner = (shape(node.key), shape(node.value), *self.clauses(node.generators))
                return ("comprehension", span, "dict", inner)
            case ast.NamedExpr():
                return ("walrus", span, None, many((node.target, node.value)))
            case ast.Await():
                return ("await", span, None, many((node.value,)))
            case ast.Yield() | ast.YieldFrom():
                return ("yield", span, None, many((node.value,)))
            case ast.JoinedStr() | _TEMPLATE():
                return self.format(node)
        raise AssertionError(type(node))

    def arguments(self, node: ast.Call) -> Iterator[Shape]:
        given: list[tuple[tuple[int, int], Shape]] = []
        for argument in node.args:
            star = isinstance(argument, ast.Starred)
            value = argument.value if isinstance(argument, ast.Starred) else argument
            place = (argument.lineno, argument.col_offset)
            given.append((place, ("argument", None, (None, "*" if star else ""), (self.shape(value),))))
        for keyword in node.keywords:
            place = (keyword.lineno, keyword.col_offset)
            details = (keyword.arg, "**" if keyword.arg is None else "")
            given.append((place, ("argument", None, details, (self.shape(keyword.value),))))
        if not self.in_format:
            given.sort(key=lambda pair: pair[0])
        return (shape for _, shape in given)

    def parameters(self, arguments: ast.arguments) -> frozenset[str]:
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        return frozenset(argument.arg for argument in every if argument is not None)

    def defaults(self, arguments: ast.arguments) -> tuple[Shape, ...]:
        return self.many((*arguments.defaults, *arguments.kw_defaults))

    def clauses(self, generators: list[ast.comprehension]) -> Iterator[Shape]:
        for clause in generators:
            yield self.shape(clause.target)
            yield self.shape(clause.iter)
            yield from self.many(clause.ifs)

    def format(self, node: Any) -> Shape:
        """Only the formatted expressions, strings aside: how literal text is cut into pieces is the parser's affair."""
        span, before = self.span(node), self.in_format
        self.in_format = True
        inner = tuple(self.formatted(node))
        self.in_format = before
        return ("format", span, None, inner)

    def formatted(self, node: Any) -> Iterator[Shape]:
        for part in node.values:
            if isinstance(part, (ast.FormattedValue, _FIELD)):
                if not (isinstance(part.value, ast.Constant) and isinstance(part.value.value, str)):
                    yield self.shape(part.value)
                if isinstance(part.format_spec, ast.JoinedStr):
                    yield from self.formatted(part.format_spec)


def actual(node: ir.Expr, in_format: bool = False) -> Shape:
    """The shape of a lowered expression."""
    s = node.span
    span = None if in_format and not EXACT_FORMAT_STRINGS else (s.line, s.column, s.end_line, s.end_column)

    def many(nodes: Any) -> tuple[Shape, ...]:
        return tuple(actual(each, in_format) for each in nodes)

    match node:
        case ir.Const():
            return ("const", span, node.value, ())
        case ir.Name():
            return ("name", span, node.id, ())
        case ir.Attribute():
            return ("attribute", span, node.attr, many(node.children()))
        case ir.Call():
            arguments = [("argument", None, (a.keyword, a.star), (actual(a.value, in_format),)) for a in node.args]
            if in_format:  # in the order of `ast`, which here has no places to sort by
                arguments.sort(key=lambda shape: shape[2][0] is not None or shape[2][1] == "**")
            return ("call", span, None, (actual(node.func, in_format), *arguments))
        case ir.Slice():
            present = tuple(part is not None for part in (node.lower, node.upper, node.step))
            return ("slice", span, present, many(node.children()))
        case ir.Dict():
            return ("dict", span, tuple(key is not None for key, _ in node.items), many(node.children()))
        case ir.Lambda():
            return ("lambda", span, frozenset(node.parameters), many(node.children()))
        case ir.Format():
            inner = (actual(part, True) for part in node.parts if not _is_text(part))
            return ("format", span, None, tuple(inner))
        case ir.Opaque():
            return ("opaque", span, node.text, ())
    detail = getattr(node, "operator", None) or getattr(node, "operators", None) or getattr(node, "kind", None)
    return (type(node).__name__.lower(), span, detail, many(node.children()))


def _is_text(part: ir.Expr) -> bool:
    return isinstance(part, ir.Const) and isinstance(part.value, str)


def roots(tree: ast.Module) -> Iterator[tuple[ast.AST, list[ast.expr]]]:
    """Every statement with the expressions that its lowering holds: binding values, targets, values, in that order."""
    for node in ast.walk(tree):
        found = _roots(node)
        if found is not None:
            yield node, [each for each in found if each is not None]


def _roots(node: ast.AST) -> list[ast.expr | None] | None:
    match node:
        case ast.Assign():
            return [each for target in node.targets for each in (node.value, target)]
        case ast.AnnAssign():
            return [node.value, node.target, node.annotation]
        case ast.AugAssign():
            return [node.value, node.target]
        case ast.Expr() | ast.Return():
            return [node.value]
        case ast.Raise():
            return [node.exc, node.cause]
        case ast.Assert():
            return [node.test, node.msg]
        case ast.If() | ast.While():
            return [node.test]
        case ast.For() | ast.AsyncFor():
            return [node.iter, node.target]
        case ast.Match():
            return [node.subject]
        case ast.FunctionDef() | ast.AsyncFunctionDef():
            defaults = [*node.args.defaults, *node.args.kw_defaults]
            return [*node.decorator_list, *defaults]
        case ast.ClassDef():
            return [*node.decorator_list, *node.bases, *(k.value for k in node.keywords if k.arg)]
    return None


def differences(expected: Shape, found: Shape, path: str = "") -> Iterator[str]:
    """Where two shapes differ, the highest places only."""
    if expected[:3] != found[:3] or len(expected[3]) != len(found[3]):
        parts = (len(expected[3]), len(found[3]))
        yield f"at {path or 'the root'}: expected {expected[:3]}, found {found[:3]} with {parts} parts"
        return
    for position, (one, other) in enumerate(zip(expected[3], found[3], strict=True)):
        yield from differences(one, other, f"{path}/{expected[0]}[{position}]")
