"""Lowers expressions from libcst to the intermediate representation, once each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from sgmem.syntax import ir
from sgmem.syntax.positions import spans_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.syntax.ir import Span

# libcst's native parser overflows its stack on deep nesting and long operator chains, and takes the process with it.
MAX_LENGTH = 60_000
MAX_NESTING = 120
MAX_OPERATORS = 400


def parsable(text: str) -> bool:
    """Whether a slice is shallow and short enough to hand to libcst's native parser."""
    if len(text) > MAX_LENGTH:
        return False
    if len(text) < MAX_NESTING:
        return True
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth -= 1
    chain = text.count(" and ") + text.count(" or ") + text.count("not ") + text.count(".") + text.count(" if ")
    chain += sum(text.count(operator) for operator in "+-*/%|&^@<>=~")
    # Members of a flat display are siblings, not a chain: judge the longest piece between commas.
    if chain > MAX_OPERATORS:
        chain = max(
            sum(piece.count(operator) for operator in (" and ", " or ", "not ", ".", " if ", *"+-*/%|&^@<>=~"))
            for piece in text.split(",")
        )
    return deepest <= MAX_NESTING and chain <= MAX_OPERATORS


def lower_expression(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells. What libcst cannot read becomes `Opaque`."""
    if not parsable(text):
        return ir.Opaque(span, text[:80])
    # An expression may run over several lines without parentheses of its own (they belong to the statement), so lend it a pair.
    try:
        node = cst.parse_expression(f"({text}\n)")
        spans = spans_of(node, span.line, span.column - 1)
        return ExpressionLowering(spans, span).lower(node)
    except (cst.ParserSyntaxError, RecursionError, ValueError):
        return ir.Opaque(span, text[:80])


class ExpressionLowering:
    """Lowers the nodes of one parsed slice; a node whose place is unknown gets the place of the slice."""

    def __init__(self, spans: dict[cst.CSTNode, Span], default: Span) -> None:
        self.spans = spans
        self.default = default

    def span(self, node: cst.CSTNode) -> Span:
        return self.spans.get(node, self.default)

    def lower(self, node: cst.CSTNode) -> ir.Expr:
        method = _LOWERINGS.get(type(node))
        if method is None:
            return ir.Opaque(self.span(node), type(node).__name__)
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
        return ir.Name(span, node.value)

    def attribute(self, node: cst.Attribute) -> ir.Expr:
        # A call chain nests in the base; unroll it, so that its length does not count against the recursion limit.
        chain = [node]
        while isinstance(chain[-1].value, cst.Attribute):
            chain.append(chain[-1].value)
        lowered = self.lower(chain[-1].value)
        for link in reversed(chain):
            lowered = ir.Attribute(self.span(link), lowered, link.attr.value, self.span(link.attr))
        return lowered

    def subscript(self, node: cst.Subscript) -> ir.Expr:
        parts = [self.element(element.slice) for element in node.slice]
        index = parts[0] if len(parts) == 1 else ir.Collection(self.span(node), "tuple", tuple(parts))
        return ir.Subscript(self.span(node), self.lower(node.value), index)

    def element(self, node: cst.BaseSlice) -> ir.Expr:
        if isinstance(node, cst.Slice):
            return ir.Slice(
                self.span(node), self.optional(node.lower), self.optional(node.upper), self.optional(node.step)
            )
        assert isinstance(node, cst.Index)
        return self.lower(node.value)

    def call(self, node: cst.Call) -> ir.Expr:
        arguments = tuple(
            ir.Argument(self.span(a), self.lower(a.value), a.keyword.value if a.keyword else None, a.star)  # type: ignore[arg-type]
            for a in node.args
        )
        return ir.Call(self.span(node), self.lower(node.func), arguments)

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
        while isinstance(left, cst.BooleanOperation) and _spelling(left.operator) == operator:
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
        kind = _DISPLAYS[type(node)]
        return ir.Collection(self.span(node), kind, tuple(self.lower(_member(element)) for element in node.elements))  # type: ignore[arg-type]

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
        return ir.Lambda(self.span(node), tuple(p.name.value for p in every), self.lower(node.body))

    def comprehension(self, node: cst.GeneratorExp | cst.ListComp | cst.SetComp) -> ir.Expr:
        clauses = self.clauses(node.for_in)
        return ir.Comprehension(self.span(node), _COMPREHENSIONS[type(node)], self.lower(node.elt), None, clauses)  # type: ignore[arg-type]

    def dict_comprehension(self, node: cst.DictComp) -> ir.Expr:
        return ir.Comprehension(
            self.span(node), "dict", self.lower(node.key), self.lower(node.value), self.clauses(node.for_in)
        )

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
            value = int(text) if text.isdecimal() and (text[0] != "0" or text == "0") else node.evaluated_value
        except (ValueError, SyntaxError):  # more digits than Python converts
            return ir.Opaque(self.span(node), text[:40])
        return ir.Const(self.span(node), value, text)

    def string(self, node: cst.SimpleString) -> ir.Expr:
        text = node.value
        if "\\" not in text and text[0] in "\"'" and text[:3] not in ('\"\"\"', "'''"):
            return ir.Const(self.span(node), text[1:-1], text)  # nothing to evaluate
        try:
            return ir.Const(self.span(node), node.evaluated_value, text)
        except (ValueError, SyntaxError):
            return ir.Opaque(self.span(node), node.value[:40])

    def concatenated(self, node: cst.ConcatenatedString) -> ir.Expr:
        pieces: list[ir.Expr] = []
        rest: cst.CSTNode = node
        while isinstance(rest, cst.ConcatenatedString):
            pieces.append(self.lower(rest.left))
            rest = rest.right
        pieces.append(self.lower(rest))
        if all(isinstance(piece, ir.Const) and isinstance(piece.value, str) for piece in pieces):
            value = "".join(str(piece.value) for piece in pieces if isinstance(piece, ir.Const))
            return ir.Const(self.span(node), value, value)
        parts = [part for piece in pieces for part in (piece.parts if isinstance(piece, ir.Format) else (piece,))]
        return ir.Format(self.span(node), tuple(parts))

    def formatted(self, node: cst.FormattedString) -> ir.Expr:
        parts: list[ir.Expr] = []
        self._format_parts(node.parts, parts)
        return ir.Format(self.span(node), tuple(parts))

    def _format_parts(self, content: Any, parts: list[ir.Expr]) -> None:
        for part in content:
            if isinstance(part, cst.FormattedStringText):
                parts.append(ir.Const(self.span(part), part.value, part.value))
                continue
            lowered = self.lower(part.expression)
            if part.equal is not None:  # f"{x=}" prints its own source text first
                label = f"{cst.Module([]).code_for_node(part.expression)}="
                parts.append(ir.Const(lowered.span, label, label))
            parts.append(lowered)
            if part.format_spec:
                self._format_parts([p for p in part.format_spec if not isinstance(p, cst.FormattedStringText)], parts)

    def ellipsis(self, node: cst.Ellipsis) -> ir.Expr:
        return ir.Const(self.span(node), "...", "...")


_DISPLAYS: dict[type, str] = {cst.Tuple: "tuple", cst.List: "list", cst.Set: "set"}
_COMPREHENSIONS: dict[type, str] = {cst.GeneratorExp: "generator", cst.ListComp: "list", cst.SetComp: "set"}

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
    return element if isinstance(element, cst.StarredElement) else element.value  # type: ignore[attr-defined,no-any-return]
