"""Lowers expressions from libcst to the intermediate representation, once each."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any, Literal

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.ir import Span
from sgmem.syntax.layouts import spans_of
from sgmem.syntax.limits import parsable
from sgmem.syntax.parsing import parse_expression
from sgmem.syntax.plain import plain_expression
from sgmem.syntax.positions import DeepRecursion, Positions
from sgmem.syntax.strings import joined, literal_part, string_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_OPAQUE_TEXT = 80
"""How much of its source an `Opaque` keeps."""


def lower_expression(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells. What libcst cannot read becomes `Opaque`."""
    plain = plain_expression(text, span)
    if plain is not None:
        return plain
    if not parsable(text):
        return ir.Opaque(span, text[:_OPAQUE_TEXT])
    try:
        with DeepRecursion():
            return _expression(text, span)
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError, ValueError):
        return ir.Opaque(span, text[:_OPAQUE_TEXT])


def _expression(text: str, span: Span) -> ir.Expr:
    # An expression may run over several lines in parentheses that are not its own but the statement's, so lend it a pair.
    try:
        node = parse_expression(f"({without_form_feeds(text)}\n)")
    except cst.ParserSyntaxError:
        if not text.startswith("*"):
            raise
        # `*Ts`, as an annotation of `*args`.
        inner = Span(span.line, span.column + 1, span.end_line, span.end_column)
        return ir.Starred(span, _expression(text[1:], inner))
    spans = spans_of(node, span.line, span.column - 1)
    spans[node] = span
    return ExpressionLowering(Positions(spans, text, span)).lower(node)


def without_form_feeds(text: str) -> str:
    """libcst does not give a form feed back where it stands between tokens; a blank is as wide."""
    return text.replace("\f", " ") if "\f" in text else text


def identifier(name: str) -> str:
    """A name as Python compares it."""
    return name if name.isascii() else unicodedata.normalize("NFKC", name)


class ExpressionLowering:
    """Lowers the nodes of one parsed slice."""

    def __init__(self, positions: Positions) -> None:
        self.positions = positions
        self.span = positions.of

    def lower(self, node: cst.CSTNode) -> ir.Expr:
        method = _LOWERINGS.get(type(node))
        if method is None:
            span = self.span(node)
            return ir.Opaque(span, self.positions.slice(span)[:_OPAQUE_TEXT])
        return method(self, node)

    def optional(self, node: cst.CSTNode | None) -> ir.Expr | None:
        return None if node is None else self.lower(node)

    def name(self, node: cst.Name) -> ir.Expr:
        span = self.span(node)
        match node.value:
            case "True":
                return ir.Const(span, True, "True")
            case "False":
                return ir.Const(span, False, "False")
            case "None":
                return ir.Const(span, None, "None")
        return ir.Name(span, identifier(node.value))

    def attribute(self, node: cst.Attribute) -> ir.Expr:
        # A call chain nests in the base; unroll it, so that its length does not count against the recursion limit.
        chain = [node]
        while isinstance(chain[-1].value, cst.Attribute):
            chain.append(chain[-1].value)
        lowered = self.lower(chain[-1].value)
        for link in reversed(chain):
            lowered = ir.Attribute(self.span(link), lowered, identifier(link.attr.value), self.span(link.attr))
        return lowered

    def subscript(self, node: cst.Subscript) -> ir.Expr:
        return ir.Subscript(self.span(node), self.lower(node.value), self.index(node.slice))

    def index(self, elements: Sequence[cst.SubscriptElement]) -> ir.Expr:
        """What stands between the brackets; with a comma or a star it is a tuple without parentheses."""
        parts = [self.element(element) for element in elements]
        last = elements[-1]
        alone = len(parts) == 1 and not isinstance(last.comma, cst.Comma) and not isinstance(parts[0], ir.Starred)
        if alone:
            return parts[0]
        begin, end = self.span(elements[0]), self.span(last)
        span = self.positions.trimmed(Span(begin.line, begin.column, end.end_line, end.end_column))
        return ir.Collection(self.positions.through_comma(span), "tuple", tuple(parts))

    def element(self, element: cst.SubscriptElement) -> ir.Expr:
        node, span = element.slice, self.span(element)
        if isinstance(node, cst.Slice):
            lower, upper, step = self.optional(node.lower), self.optional(node.upper), self.optional(node.step)
            # The blanks around a colon belong to the slice, which the colon begins or ends where a part is missing.
            return ir.Slice(self.positions.trimmed(span), lower, upper, step)
        assert isinstance(node, cst.Index)
        value = self.lower(node.value)
        return ir.Starred(span, value) if node.star else value

    def call(self, node: cst.Call) -> ir.Expr:
        span, func = self.span(node), self.lower(node.func)
        if len(node.args) == 1 and isinstance(node.args[0].value, cst.GeneratorExp) and not node.args[0].value.lpar:
            # A lone generator shares the parentheses of the call, and `ast` counts them as its own.
            generator = node.args[0].value
            self.positions.spans[generator] = self.positions.from_bracket(self.span(generator), span)
        return ir.Call(span, func, tuple(self.argument(argument) for argument in node.args))

    def argument(self, node: cst.Arg) -> ir.Argument:
        keyword = identifier(node.keyword.value) if node.keyword else None
        return ir.Argument(self.span(node), self.lower(node.value), keyword, node.star)

    def binary(self, node: cst.BinaryOperation) -> ir.Expr:
        spine: list[cst.BinaryOperation] = [node]
        while isinstance(spine[-1].left, cst.BinaryOperation):
            spine.append(spine[-1].left)
        lowered = self.lower(spine[-1].left)
        for link in reversed(spine):
            operator = _spelling(link.operator)
            lowered = ir.Binary(self.span(link), operator, lowered, self.lower(link.right))
        return lowered

    def unary(self, node: cst.UnaryOperation) -> ir.Expr:
        return ir.Unary(self.span(node), _spelling(node.operator), self.lower(node.expression))

    def boolean(self, node: cst.BooleanOperation) -> ir.Expr:
        operator = _spelling(node.operator)
        values: list[cst.BaseExpression] = [node.right]
        left: cst.BaseExpression = node.left
        while isinstance(left, cst.BooleanOperation) and not left.lpar and _spelling(left.operator) == operator:
            values.append(left.right)
            left = left.left
        values.append(left)
        return ir.Boolean(self.span(node), operator, tuple(self.lower(v) for v in reversed(values)))  # type: ignore[arg-type]

    def comparison(self, node: cst.Comparison) -> ir.Expr:
        operators = tuple(_spelling(target.operator) for target in node.comparisons)
        operands = (self.lower(node.left), *(self.lower(target.comparator) for target in node.comparisons))
        return ir.Compare(self.span(node), operators, operands)

    def conditional(self, node: cst.IfExp) -> ir.Expr:
        return ir.Conditional(self.span(node), self.lower(node.test), self.lower(node.body), self.lower(node.orelse))

    def display(self, node: cst.Tuple | cst.List | cst.Set) -> ir.Expr:
        kind, span = _DISPLAYS[type(node)], self.span(node)
        if isinstance(node, cst.Tuple) and not node.lpar and isinstance(node.elements[-1].comma, cst.Comma):
            span = self.positions.trimmed(span)  # the blanks after the last comma
        return ir.Collection(span, kind, tuple(self.lower(_member(element)) for element in node.elements))

    def starred(self, node: cst.StarredElement) -> ir.Expr:
        return ir.Starred(self.span(node), self.lower(node.value))

    def dictionary(self, node: cst.Dict) -> ir.Expr:
        items: list[tuple[ir.Expr | None, ir.Expr]] = []
        for element in node.elements:
            key = self.lower(element.key) if isinstance(element, cst.DictElement) else None
            items.append((key, self.lower(element.value)))
        return ir.Dict(self.span(node), tuple(items))

    def function(self, node: cst.Lambda) -> ir.Expr:
        given = node.params
        every = [*given.posonly_params, *given.params, *given.kwonly_params]
        if isinstance(given.star_arg, cst.Param):
            every.append(given.star_arg)
        if given.star_kwarg is not None:
            every.append(given.star_kwarg)
        names = tuple(identifier(parameter.name.value) for parameter in every)
        defaults = tuple(self.lower(p.default) for p in every if p.default is not None)
        return ir.Lambda(self.span(node), names, self.lower(node.body), defaults)

    def comprehension(self, node: cst.GeneratorExp | cst.ListComp | cst.SetComp) -> ir.Expr:
        clauses = self.clauses(node.for_in)
        return ir.Comprehension(self.span(node), _COMPREHENSIONS[type(node)], self.lower(node.elt), None, clauses)

    def dict_comprehension(self, node: cst.DictComp) -> ir.Expr:
        return ir.Comprehension(self.span(node), "dict", self.lower(node.key), self.lower(node.value), self.clauses(node.for_in))

    def clauses(self, first: cst.CompFor) -> tuple[ir.Clause, ...]:
        clauses: list[ir.Clause] = []
        link: cst.CompFor | None = first
        while link is not None:
            conditions = tuple(self.lower(condition.test) for condition in link.ifs)
            clauses.append(ir.Clause(self.lower(link.target), self.lower(link.iter), conditions))
            link = link.inner_for_in
        return tuple(clauses)

    def walrus(self, node: cst.NamedExpr) -> ir.Expr:
        target = self.lower(node.target)
        assert isinstance(target, ir.Name)
        return ir.Walrus(self.span(node), target, self.lower(node.value))

    def awaited(self, node: cst.Await) -> ir.Expr:
        return ir.Await(self.span(node), self.lower(node.expression))

    def yielded(self, node: cst.Yield) -> ir.Expr:
        value = node.value.item if isinstance(node.value, cst.From) else node.value
        return ir.Yield(self.span(node), self.optional(value))

    def number(self, node: cst.Integer | cst.Float | cst.Imaginary) -> ir.Expr:
        text = node.value
        try:
            value = int(text) if text.isdecimal() and text[0] != "0" else node.evaluated_value
        except (ValueError, SyntaxError):  # more digits than Python converts
            return ir.Opaque(self.span(node), text[:_OPAQUE_TEXT])
        return ir.Const(self.span(node), value, text)

    def ellipsis(self, node: cst.Ellipsis) -> ir.Expr:
        return ir.Const(self.span(node), "...", "...")

    def string(self, node: cst.SimpleString) -> ir.Expr:
        text = node.value
        try:
            return ir.Const(self.span(node), string_value(text), text)
        except (ValueError, SyntaxError):
            return ir.Opaque(self.span(node), text[:_OPAQUE_TEXT])

    def concatenated(self, node: cst.ConcatenatedString) -> ir.Expr:
        pieces: list[ir.Expr] = []
        rest: cst.CSTNode = node
        while isinstance(rest, cst.ConcatenatedString):
            pieces.append(self.lower(rest.left))
            rest = rest.right
        pieces.append(self.lower(rest))
        span = self.span(node)
        whole = joined([piece.value for piece in pieces if isinstance(piece, ir.Const)], len(pieces))
        if whole is not None:
            return ir.Const(span, whole, self.positions.slice(span))
        return ir.Format(span, tuple(part for p in pieces for part in (p.parts if isinstance(p, ir.Format) else (p,))))

    def formatted(self, node: cst.FormattedString) -> ir.Expr:
        parts: list[ir.Expr] = []
        self._format_parts(node, node.parts, parts)
        return ir.Format(self.span(node), tuple(parts))

    def _format_parts(self, node: cst.FormattedString, content: Sequence[cst.BaseFormattedStringContent], parts: list[ir.Expr]) -> None:
        for part in content:
            if not isinstance(part, _FORMATTED):
                text: str = part.value  # type: ignore[attr-defined]  # the base of both kinds of text does not declare it
                parts.append(ir.Const(self.span(part), literal_part(node, text), text))
                continue
            lowered = self.lower(part.expression)
            if part.equal is not None:  # f"{x=}" prints its own source text first
                span, label = self.positions.label(self.span(part), lowered.span)
                parts.append(ir.Const(span, label, label))
            parts.append(lowered)
            # The literal text of a format specification is no part of what is printed.
            inner = [each for each in part.format_spec or () if isinstance(each, _FORMATTED)]
            self._format_parts(node, inner, parts)


# Template strings came to libcst later; their nodes look like those of f-strings.
_FORMATTED = tuple(getattr(cst, name) for name in ("FormattedStringExpression", "TemplatedStringExpression") if hasattr(cst, name))
_DISPLAYS: dict[type, Literal["tuple", "list", "set"]] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
_COMPREHENSIONS: dict[type, Literal["generator", "list", "set"]] = {
    cst.GeneratorExp: "generator",
    cst.ListComp: "list",
    cst.SetComp: "set",
}

_LOWERINGS: dict[type[cst.CSTNode], Callable[[ExpressionLowering, Any], ir.Expr]] = {
    cst.Name: ExpressionLowering.name,
    cst.Attribute: ExpressionLowering.attribute,
    cst.Subscript: ExpressionLowering.subscript,
    cst.Call: ExpressionLowering.call,
    cst.BinaryOperation: ExpressionLowering.binary,
    cst.UnaryOperation: ExpressionLowering.unary,
    cst.BooleanOperation: ExpressionLowering.boolean,
    cst.Comparison: ExpressionLowering.comparison,
    cst.IfExp: ExpressionLowering.conditional,
    cst.Tuple: ExpressionLowering.display,
    cst.List: ExpressionLowering.display,
    cst.Set: ExpressionLowering.display,
    cst.StarredElement: ExpressionLowering.starred,
    cst.Dict: ExpressionLowering.dictionary,
    cst.Lambda: ExpressionLowering.function,
    cst.GeneratorExp: ExpressionLowering.comprehension,
    cst.ListComp: ExpressionLowering.comprehension,
    cst.SetComp: ExpressionLowering.comprehension,
    cst.DictComp: ExpressionLowering.dict_comprehension,
    cst.NamedExpr: ExpressionLowering.walrus,
    cst.Await: ExpressionLowering.awaited,
    cst.Yield: ExpressionLowering.yielded,
    cst.Integer: ExpressionLowering.number,
    cst.Float: ExpressionLowering.number,
    cst.Imaginary: ExpressionLowering.number,
    cst.SimpleString: ExpressionLowering.string,
    cst.ConcatenatedString: ExpressionLowering.concatenated,
    cst.FormattedString: ExpressionLowering.formatted,
    cst.Ellipsis: ExpressionLowering.ellipsis,
}
if hasattr(cst, "TemplatedString"):
    _LOWERINGS[cst.TemplatedString] = ExpressionLowering.formatted

_SPELLINGS: dict[str, str] = {
    "Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/", "FloorDivide": "//", "Modulo": "%", "Power": "**",
    "LeftShift": "<<", "RightShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "MatrixMultiply": "@", "Minus": "-",
    "Plus": "+", "BitInvert": "~", "Not": "not", "And": "and", "Or": "or", "Equal": "==", "LessThan": "<", "GreaterThan": ">",
    "LessThanEqual": "<=", "GreaterThanEqual": ">=", "In": "in", "Is": "is", "IsNot": "is not", "NotIn": "not in",
}  # fmt: skip


def _spelling(operator: cst.CSTNode) -> str:
    name = type(operator).__name__
    if name == "NotEqual":
        return "!="
    return _SPELLINGS.get(name.removesuffix("Assign"), name)


def _member(element: cst.CSTNode) -> cst.CSTNode:
    return element if isinstance(element, cst.StarredElement) else element.value  # type: ignore[attr-defined]
