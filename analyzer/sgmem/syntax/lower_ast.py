"""Lowers expressions and simple statements from `ast`, which gives exact places itself: a tenth of what libcst takes."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, Any, Literal

from sgmem.syntax import ir
from sgmem.syntax.build_ast import parse
from sgmem.syntax.ir import Binding, Span, Statement
from sgmem.syntax.slices import Slice
from sgmem.syntax.strings import literal_part, pieces, string_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.syntax.ir import StatementKind
    from sgmem.syntax.strings import Piece

UNREAD = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)
"""What says that `ast` cannot read a text, or that it holds what this module does not know."""

_OPENED = re.compile(r"#[^\n]*|\(")
_CLOSED = re.compile(r"#[^\n]*|\)")
_BLANK = re.compile(r"(?:\s|\\\n|#[^\n]*\n)+")


def expression_by_ast(text: str, span: Span) -> ir.Expr:
    """Lower the expression that `text`, the slice of `span`, spells. Raises one of `UNREAD`."""
    try:
        node = _parsed(text)
    except SyntaxError:
        if not text.startswith("*"):
            raise
        # `*Ts`, as an annotation of `*args`.
        inner = Span(span.line, span.column + 1, span.end_line, span.end_column)
        return ir.Starred(span, expression_by_ast(text[1:], inner))
    return _at(span, _Lowering(text, span, lent=1).lower(node))


def _parsed(text: str) -> ast.expr:
    # An expression may run over several lines in parentheses that are not its own but the statement's, so lend it a pair.
    body = parse(f"({text}\n)").body
    if len(body) != 1 or not isinstance(body[0], ast.Expr):
        raise ValueError("no single expression")
    return body[0].value


def _at(span: Span, node: ir.Expr) -> ir.Expr:
    """An expression at its true place: the lent parentheses are not a tuple's own."""
    if node.span == span:
        return node
    return type(node)(span, *(getattr(node, name) for name in node.__struct_fields__[1:]))


def statement_by_ast(text: str, kind: StatementKind, span: Span) -> Statement:
    """Lower the simple statement that `text`, the slice of `span`, spells. Raises one of `UNREAD`."""
    body = parse(text).body
    if len(body) != 1:
        raise ValueError("no single statement")
    at = _Lowering(text, span)
    bindings: tuple[Binding, ...] = ()
    values: tuple[ir.Expr, ...] = ()
    annotation: ir.Expr | None = None
    match node := body[0]:
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
            bindings = tuple(Binding(each, None, "delete") for target in node.targets for each in targets(at.lower(target)))
        case _:
            raise ValueError(f"no lowering of {type(node).__name__}")
    return Statement(kind, span, bindings, values, annotation)


def targets(target: ir.Expr) -> list[ir.Expr]:
    """The single targets of a target, tuples taken apart."""
    if isinstance(target, ir.Collection):
        return [each for item in target.items for each in targets(item)]
    return [target]


class _Lowering(Slice):
    """Lowers the nodes of one parsed slice. `lent` is how many characters the parsed text has before those of the slice."""

    def __init__(self, text: str, place: Span, lent: int = 0) -> None:
        super().__init__(text, place)
        self.first = place.column - lent
        self.lent = lent
        self.is_ascii = text.isascii()

    def lower(self, node: ast.expr) -> ir.Expr:
        return _LOWERINGS[type(node)](self, node)

    def optional(self, node: ast.expr | None) -> ir.Expr | None:
        return None if node is None else self.lower(node)

    def many(self, nodes: list[ast.expr]) -> tuple[ir.Expr, ...]:
        return tuple([_LOWERINGS[type(node)](self, node) for node in nodes])

    # -- places ----------------------------------------------------------------------------------------------------------------

    def span(self, node: Any) -> Span:
        """The place of a node in the file."""
        line, column, end_line, end_column = node.lineno, node.col_offset, node.end_lineno, node.end_col_offset
        if not self.is_ascii:
            column, end_column = self._characters(line, column), self._characters(end_line, end_column)
        above = self.place.line - 1
        return Span(
            line + above,
            column + (self.first if line == 1 else 1),
            end_line + above,
            end_column + (self.first if end_line == 1 else 1),
        )

    def _characters(self, line: int, column: int) -> int:
        """A column in bytes of UTF-8 as one in characters."""
        lent = self.lent if line == 1 else 0
        if column < lent or line > len(self.starts):  # a lent parenthesis
            return column
        start = self.starts[line - 1]
        return lent + len(self.text[start : start + column].encode()[: column - lent].decode())

    # -- each kind -------------------------------------------------------------------------------------------------------------

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
        while isinstance(base := chain[-1].value, ast.Attribute):
            chain.append(base)
        lowered = self.lower(base)
        for link in reversed(chain):
            span = self.span(link)
            lowered = ir.Attribute(span, lowered, link.attr, self._name_at_end(span, link.attr))
        return lowered

    def _name_at_end(self, span: Span, name: str) -> Span:
        """The place of the name with which a span ends; its spelling may be longer than the name that Python makes of it."""
        width = len(name)
        if not self.is_ascii:
            end = start = self.offset(span.end_line, span.end_column)
            while self.text[start - 1].isalnum() or self.text[start - 1] == "_":
                start -= 1
            width = end - start
        return Span(span.end_line, span.end_column - width, span.end_line, span.end_column)

    def subscript(self, node: ast.Subscript) -> ir.Expr:
        return ir.Subscript(self.span(node), self.lower(node.value), self.lower(node.slice))

    def part(self, node: ast.Slice) -> ir.Expr:
        return ir.Slice(self.span(node), self.optional(node.lower), self.optional(node.upper), self.optional(node.step))

    def call(self, node: ast.Call) -> ir.Expr:
        span, func = self.span(node), self.lower(node.func)
        if not node.args and not node.keywords:
            return ir.Call(span, func, ())
        given: list[ir.Argument] = []
        for each in node.args:
            value = self.lower(each.value if isinstance(each, ast.Starred) else each)
            if isinstance(each, ast.Starred):
                given.append(ir.Argument(self.span(each), value, None, "*"))
            else:
                given.append(ir.Argument(value.span, value))
        for keyword in node.keywords:
            star: Literal["", "**"] = "" if keyword.arg else "**"
            given.append(ir.Argument(self.span(keyword), self.lower(keyword.value), keyword.arg, star))
        if node.keywords and node.args:
            given.sort(key=lambda argument: argument.span)
        return ir.Call(span, func, self._in_parentheses(func.span, given))

    def _in_parentheses(self, func: Span, given: list[ir.Argument]) -> tuple[ir.Argument, ...]:
        """The arguments, each with its own parentheses, which `ast` does not count; a lone generator without those of the call."""
        before, own = self.offset(func.end_line, func.end_column), 1
        for number, argument in enumerate(given):
            start, end = (
                self.offset(argument.span.line, argument.span.column),
                self.offset(argument.span.end_line, argument.span.end_column),
            )
            if self.text.count("(", before, start) != own:
                opened = [found.start() for found in _OPENED.finditer(self.text, before, start) if found.group() == "("]
                if len(opened) > own:
                    start, end = opened[own], self._closed(end, len(opened) - own)
                    given[number] = ir.Argument(self.between(start, end), argument.value)
                elif len(opened) < own and isinstance(argument.value, ir.Comprehension):
                    given[number] = ir.Argument(self._bare(argument.value, start + 1, end - 1), argument.value)
            before, own = end, 0
        return tuple(given)

    def _closed(self, end: int, pairs: int) -> int:
        """Where some closing parentheses after an offset end."""
        for _ in range(pairs):
            blank = _BLANK.match(self.text, end)
            end = (blank.end() if blank is not None else end) + 1
        return end

    def _bare(self, generator: ir.Comprehension, start: int, end: int) -> Span:
        """The place of a generator in a pair of parentheses, between which it stands, without blanks and comments around it."""
        blank = _BLANK.match(self.text, start)
        last = generator.children()[-1].span
        inner = self.offset(last.end_line, last.end_column)
        closing = [found.end() for found in _CLOSED.finditer(self.text, inner, end) if found.group() == ")"]
        return self.between(blank.end() if blank is not None else start, closing[-1] if closing else inner)

    def binary(self, node: ast.BinOp) -> ir.Expr:
        spine = [node]
        while isinstance(left := spine[-1].left, ast.BinOp):
            spine.append(left)
        lowered = self.lower(left)
        for link in reversed(spine):
            lowered = ir.Binary(self.span(link), _SPELLINGS[type(link.op)], lowered, self.lower(link.right))
        return lowered

    def unary(self, node: ast.UnaryOp) -> ir.Expr:
        return ir.Unary(self.span(node), _SPELLINGS[type(node.op)], self.lower(node.operand))

    def boolean(self, node: ast.BoolOp) -> ir.Expr:
        return ir.Boolean(self.span(node), "and" if isinstance(node.op, ast.And) else "or", self.many(node.values))

    def comparison(self, node: ast.Compare) -> ir.Expr:
        operators = tuple([_SPELLINGS[type(operator)] for operator in node.ops])
        return ir.Compare(self.span(node), operators, self.many([node.left, *node.comparators]))

    def conditional(self, node: ast.IfExp) -> ir.Expr:
        return ir.Conditional(self.span(node), self.lower(node.test), self.lower(node.body), self.lower(node.orelse))

    def display(self, node: ast.Tuple | ast.List | ast.Set) -> ir.Expr:
        return ir.Collection(self.span(node), _DISPLAYS[type(node)], self.many(node.elts))

    def starred(self, node: ast.Starred) -> ir.Expr:
        return ir.Starred(self.span(node), self.lower(node.value))

    def dictionary(self, node: ast.Dict) -> ir.Expr:
        pairs = zip(node.keys, node.values, strict=True)
        return ir.Dict(self.span(node), tuple([(self.optional(key), self.lower(value)) for key, value in pairs]))

    def function(self, node: ast.Lambda) -> ir.Expr:
        given = node.args
        every = [*given.posonlyargs, *given.args, *given.kwonlyargs, *filter(None, (given.vararg, given.kwarg))]
        defaults = self.many([default for default in (*given.defaults, *given.kw_defaults) if default is not None])
        return ir.Lambda(self.span(node), tuple([each.arg for each in every]), self.lower(node.body), defaults)

    def comprehension(self, node: ast.GeneratorExp | ast.ListComp | ast.SetComp) -> ir.Expr:
        return ir.Comprehension(self.span(node), _COMPREHENSIONS[type(node)], self.lower(node.elt), None, self.clauses(node.generators))

    def dict_comprehension(self, node: ast.DictComp) -> ir.Expr:
        key, value = self.lower(node.key), self.lower(node.value)
        return ir.Comprehension(self.span(node), "dict", key, value, self.clauses(node.generators))

    def clauses(self, generators: list[ast.comprehension]) -> tuple[ir.Clause, ...]:
        return tuple([ir.Clause(self.lower(each.target), self.lower(each.iter), self.many(each.ifs)) for each in generators])

    def walrus(self, node: ast.NamedExpr) -> ir.Expr:
        return ir.Walrus(self.span(node), ir.Name(self.span(node.target), node.target.id), self.lower(node.value))

    def awaited(self, node: ast.Await) -> ir.Expr:
        return ir.Await(self.span(node), self.lower(node.value))

    def yielded(self, node: ast.Yield | ast.YieldFrom) -> ir.Expr:
        return ir.Yield(self.span(node), self.optional(node.value))

    def formatted(self, node: ast.JoinedStr) -> ir.Expr:
        span = self.span(node)
        start = self.offset(span.line, span.column)
        text = self.slice(span)
        found = pieces(text)
        if sum(piece.kind == "expression" for piece in found) != _replacements(node):
            raise ValueError("an f-string whose parts are not where they seem to be")
        return ir.Format(span, tuple([self._piece(piece, text, start) for piece in found]))

    def _piece(self, piece: Piece, text: str, start: int) -> ir.Expr:
        code = text[piece.start : piece.end]
        if piece.kind == "expression":
            blanks = len(code) - len(code.lstrip())
            inner = code.strip()
            at = start + piece.start + blanks
            place = self.between(at, at + len(inner))
            lowered = _Lowering(inner, place, lent=1).lower(_parsed(inner))
            return lowered if place.contains(lowered.span) else _at(place, lowered)
        span = self.between(start + piece.start, start + piece.end)
        if piece.kind == "string":
            return ir.Const(span, string_value(code), code)
        return ir.Const(span, code if piece.kind == "label" else literal_part(code, piece.prefix, piece.quote), code)


def _replacements(node: ast.JoinedStr) -> int:
    """How many pairs of braces an f-string has, those in format specifications included."""
    found = [part for part in node.values if isinstance(part, ast.FormattedValue)]
    inner = [part.format_spec for part in found if isinstance(part.format_spec, ast.JoinedStr)]
    return len(found) + sum(map(_replacements, inner))


_DISPLAYS: dict[type, Literal["tuple", "list", "set"]] = {ast.Tuple: "tuple", ast.List: "list", ast.Set: "set"}
_COMPREHENSIONS: dict[type, Literal["generator", "list", "set"]] = {
    ast.GeneratorExp: "generator",
    ast.ListComp: "list",
    ast.SetComp: "set",
}
_SPELLINGS: dict[type[ast.AST], str] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<",
    ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@", ast.Not: "not", ast.USub: "-",
    ast.UAdd: "+", ast.Invert: "~", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
    ast.In: "in", ast.NotIn: "not in", ast.Is: "is", ast.IsNot: "is not",
}  # fmt: skip
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
    ast.ListComp: _Lowering.comprehension,
    ast.SetComp: _Lowering.comprehension,
    ast.GeneratorExp: _Lowering.comprehension,
    ast.DictComp: _Lowering.dict_comprehension,
    ast.NamedExpr: _Lowering.walrus,
    ast.Await: _Lowering.awaited,
    ast.Yield: _Lowering.yielded,
    ast.YieldFrom: _Lowering.yielded,
    ast.JoinedStr: _Lowering.formatted,
}
