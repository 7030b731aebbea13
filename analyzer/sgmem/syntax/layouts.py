"""Exact spans for the nodes of a parsed slice: what each kind of node consists of, in source order, is a row of a table.

To generate the code of a node, as libcst can, takes several times as long as to count its characters. What is not in the table is
generated all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import libcst as cst

from sgmem.syntax.ir import Span
from sgmem.syntax.positions import PositionState

if TYPE_CHECKING:
    from collections.abc import Iterator

_Step = int | str
"""The width of a token that is always the same, or the name of a field: a node, a text, a sequence of nodes, or nothing."""
_Steps = tuple[_Step, ...]
_Layout = tuple[bool, bool, _Steps, _Steps]
"""Whether a node may stand in parentheses, whether its place is noted, what it consists of, and what follows that is not part of it."""


def spans_of(node: cst.CSTNode, line: int, column: int, indent: str = "") -> dict[cst.CSTNode, Span]:
    """Return the span of every node below `node`, whose text begins at this 1-based place.

    `indent` is the indentation of the block that it was parsed in.
    """
    state = PositionState(line, column)
    state.increase_indent(indent)
    _lay(state, node)
    return state.spans


def _lay(state: PositionState, node: Any) -> None:
    """Move on behind a node, or the value of one of its fields, and note the places of all that is in it."""
    kind = node.__class__
    if kind is cst.SimpleWhitespace:
        if node.value:
            state.add_token(node.value)
        return
    layout = _LAYOUTS.get(kind)
    if layout is None:
        _lay_other(state, node, kind)
        return
    parenthesized, noted, steps, behind = layout
    opened = None
    for bracket in node.lpar if parenthesized else ():
        opened = state.opened = (state.line, state.column)
        state.column += 1
        _lay(state, bracket.whitespace_after)
    line, column = opened if opened is not None and kind in _OWN_PARENTHESES else (state.line, state.column)
    for step in steps:
        if isinstance(step, int):
            state.column += step
        else:
            _lay(state, getattr(node, step))
    if noted:
        state.spans[node] = Span(line, column, state.line, state.column)
    for place, bracket in enumerate(node.rpar if parenthesized else ()):
        _lay(state, bracket.whitespace_before)
        state.column += 1
        if place == 0 and kind in _OWN_PARENTHESES:
            state.spans[node] = Span(line, column, state.line, state.column)
    for step in behind:
        if isinstance(step, int):
            state.column += step
        else:
            _lay(state, getattr(node, step))


def _lay_other(state: PositionState, node: Any, kind: type) -> None:
    if kind is str:
        state.add_token(node)
    elif kind is list or kind is tuple:
        for each in node:
            _lay(state, each)
    elif kind is cst.ParenthesizedWhitespace and _is_plain(node):
        state.line += 1
        state.column = 1
        if node.indent:
            state.add_indent_tokens()
        _lay(state, node.last_line)
    elif node is not None and kind is not cst.MaybeSentinel:
        node._codegen(state)


def _is_plain(blank: cst.ParenthesizedWhitespace) -> bool:
    """Whether it is the end of one line and the beginning of the next."""
    first = blank.first_line
    return not blank.empty_lines and first.comment is None and first.newline.value is None and "\n" not in first.whitespace.value


_OWN_PARENTHESES = frozenset({cst.Tuple, cst.GeneratorExp})
"""Their innermost pair of parentheses is their own, as `ast` has it."""

_EXPRESSIONS: dict[type[cst.CSTNode], _Steps] = {
    cst.Name: ("value",),
    cst.Integer: ("value",),
    cst.Float: ("value",),
    cst.SimpleString: ("value",),
    cst.FormattedString: ("start", "parts", "end"),
    cst.Attribute: ("value", "dot", "attr"),
    cst.Call: ("func", "whitespace_after_func", 1, "whitespace_before_args", "args", 1),
    cst.Subscript: ("value", "whitespace_after_value", "lbracket", "slice", "rbracket"),
    cst.BinaryOperation: ("left", "operator", "right"),
    cst.BooleanOperation: ("left", "operator", "right"),
    cst.UnaryOperation: ("operator", "expression"),
    cst.Comparison: ("left", "comparisons"),
    cst.IfExp: (
        "body", "whitespace_before_if", 2, "whitespace_after_if", "test",
        "whitespace_before_else", 4, "whitespace_after_else", "orelse",
    ),
    cst.Tuple: ("elements",),
    cst.List: ("lbracket", "elements", "rbracket"),
    cst.Set: ("lbrace", "elements", "rbrace"),
    cst.Dict: ("lbrace", "elements", "rbrace"),
    cst.GeneratorExp: ("elt", "for_in"),
    cst.ListComp: ("lbracket", "elt", "for_in", "rbracket"),
    cst.SetComp: ("lbrace", "elt", "for_in", "rbrace"),
}  # fmt: skip
_WITH_PLACE: dict[type[cst.CSTNode], tuple[_Steps, _Steps]] = {
    cst.Arg: (("star", "whitespace_after_star", "keyword", "equal", "value"), ("comma", "whitespace_after_arg")),
    cst.Element: (("value",), ("comma",)),
    cst.DictElement: (("key", "whitespace_before_colon", 1, "whitespace_after_colon", "value"), ("comma",)),
    cst.SubscriptElement: (("slice",), ("comma",)),
    cst.Expr: (("value",), ()),
    cst.Return: ((6, "whitespace_after_return", "value"), ()),
    cst.Assert: ((6, "whitespace_after_assert", "test", "comma", "msg"), ()),
    cst.AnnAssign: (("target", "annotation", "equal", "value"), ()),
    cst.Assign: (("targets", "value"), ()),
    cst.AssignTarget: (("target",), ("whitespace_before_equal", 1, "whitespace_after_equal")),
    cst.AugAssign: (("target", "operator", "value"), ()),
}
_WITHOUT_PLACE: dict[type[cst.CSTNode], _Steps] = {
    cst.Dot: ("whitespace_before", 1, "whitespace_after"),
    cst.Comma: ("whitespace_before", 1, "whitespace_after"),
    cst.Colon: ("whitespace_before", 1, "whitespace_after"),
    cst.AssignEqual: ("whitespace_before", 1, "whitespace_after"),
    cst.LeftSquareBracket: (1, "whitespace_after"),
    cst.RightSquareBracket: ("whitespace_before", 1),
    cst.LeftCurlyBrace: (1, "whitespace_after"),
    cst.RightCurlyBrace: ("whitespace_before", 1),
    cst.Annotation: ("whitespace_before_indicator", 1, "whitespace_after_indicator", "annotation"),
    cst.Index: ("star", "whitespace_after_star", "value"),
    cst.Slice: ("lower", "first_colon", "upper", "second_colon", "step"),
    cst.ComparisonTarget: ("operator", "comparator"),
    cst.NotEqual: ("whitespace_before", "value", "whitespace_after"),
    cst.Not: (3, "whitespace_after"),
    cst.Minus: (1, "whitespace_after"),
    cst.CompFor: (
        "whitespace_before", "asynchronous", 3, "whitespace_after_for", "target",
        "whitespace_before_in", 2, "whitespace_after_in", "iter", "ifs", "inner_for_in",
    ),
    cst.CompIf: ("whitespace_before", 2, "whitespace_before_test", "test"),
}  # fmt: skip
_OPERATORS: dict[int, tuple[type[cst.CSTNode], ...]] = {
    1: (cst.Add, cst.Subtract, cst.Multiply, cst.Divide, cst.Modulo, cst.LessThan, cst.GreaterThan, cst.BitAnd, cst.BitOr),
    2: (
        cst.FloorDivide, cst.Power, cst.LeftShift, cst.RightShift, cst.Equal, cst.LessThanEqual, cst.GreaterThanEqual,
        cst.Or, cst.Is, cst.In, cst.AddAssign, cst.SubtractAssign, cst.MultiplyAssign, cst.DivideAssign,
    ),
    3: (cst.And, cst.FloorDivideAssign),
}  # fmt: skip
"""Operators of one word, by its width."""


def _layouts() -> Iterator[tuple[type[cst.CSTNode], _Layout]]:
    yield from ((kind, (True, True, steps, ())) for kind, steps in _EXPRESSIONS.items())
    yield from ((kind, (False, True, *steps)) for kind, steps in _WITH_PLACE.items())
    yield from ((kind, (False, False, steps, ())) for kind, steps in _WITHOUT_PLACE.items())
    for width, kinds in _OPERATORS.items():
        yield from ((kind, (False, False, ("whitespace_before", width, "whitespace_after"), ())) for kind in kinds)


_LAYOUTS: dict[type[cst.CSTNode], _Layout] = dict(_layouts())
