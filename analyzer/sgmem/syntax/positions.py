"""Exact spans for the nodes of a parsed slice, by generating its code with a state that only counts.

libcst's own position metadata wants whole modules and costs three times the parse; a slice of one statement costs little.
"""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING, Any

import libcst as cst
from libcst._nodes.internal import CodegenState

from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from types import TracebackType

_RECURSION = 20_000
"""Enough for what `limits` lets through."""
_BLANK_END = re.compile(r"(?:\s|\\\n|#[^\n]*\n)+\Z")
_BLANK_START = re.compile(r"(?:\s|\\\n|#[^\n]*\n)+")

_UNRECORDED = {
    getattr(cst, name)
    for name in (
        "FormattedStringText",
        "FormattedStringExpression",
        "TemplatedStringText",
        "TemplatedStringExpression",
    )
    if hasattr(cst, name)
}
"""Nodes that libcst generates without recording their place."""


_OWN_PARENTHESES = (cst.Tuple, cst.GeneratorExp, cst.MatchTuple)


class DeepRecursion:
    """While entered, Python code may recurse as deep as a slice within the limits needs, however deep the caller stands."""

    def __enter__(self) -> None:
        self.before = sys.getrecursionlimit()
        sys.setrecursionlimit(max(self.before, _RECURSION))

    def __exit__(self, *_: object) -> None:
        sys.setrecursionlimit(self.before)


class _Recording:
    """Notes where a node's own syntax begins and ends, as `ast` has it: without its parentheses, except for a tuple and a
    generator, whose innermost pair is their own."""

    __slots__ = ("column", "line", "node", "state")

    def __init__(self, state: PositionState, node: cst.CSTNode) -> None:
        self.state, self.node = state, node

    def __enter__(self) -> None:
        state, node = self.state, self.node
        if isinstance(node, _OWN_PARENTHESES) and node.lpar:
            self.line, self.column = state.opened
        else:
            self.line, self.column = state.line, state.column

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is None:
            state, node = self.state, self.node
            state.spans[node] = Span(self.line, self.column, state.line, state.column)
            if isinstance(node, _OWN_PARENTHESES) and node.lpar:
                state.closing = node


class PositionState(CodegenState):
    """Counts lines and columns of generated code; `spans` maps each node to its place."""

    def __init__(self, line: int, column: int, indent: str = "    ") -> None:
        super().__init__(default_indent=indent, default_newline="\n")
        self.line = line
        self.column = column
        self.spans: dict[cst.CSTNode, Span] = {}
        self.opened = (line, column)
        self.closing: cst.CSTNode | None = None

    def before_codegen(self, node: cst.CSTNode) -> None:
        kind = node.__class__
        if kind is cst.LeftParen:
            self.opened = (self.line, self.column)
        elif kind in _UNRECORDED:
            self.spans[node] = Span(self.line, self.column, self.line, self.column)

    def after_codegen(self, node: cst.CSTNode) -> None:
        kind = node.__class__
        if kind is cst.RightParen and self.closing is not None:
            self._end(self.closing)
            self.closing = None
        elif kind in _UNRECORDED:
            self._end(node)

    def _end(self, node: cst.CSTNode) -> None:
        begin = self.spans[node]
        self.spans[node] = Span(begin.line, begin.column, self.line, self.column)

    def add_token(self, value: str) -> None:
        newlines = value.count("\n")
        if newlines:
            self.line += newlines
            self.column = len(value) - value.rfind("\n")
        else:
            self.column += len(value)

    def add_indent_tokens(self) -> None:
        for token in self.indent_tokens:
            self.column += len(token)

    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Any:
        return _Recording(self, node)


class Positions:
    """Where the nodes of one parsed slice stand, and what is written there.

    `text` is the slice, `place` its span in the file; a node whose place is unknown gets the place of the slice.
    """

    def __init__(self, spans: dict[cst.CSTNode, Span], text: str, place: Span) -> None:
        self.spans = spans
        self.text = text
        self.place = place
        self._starts: list[int] | None = None

    def of(self, node: cst.CSTNode) -> Span:
        return self.spans.get(node, self.place)

    def slice(self, span: Span) -> str:
        """The text of a span within the slice."""
        return self.text[self._offset(span.line, span.column) : self._offset(span.end_line, span.end_column)]

    def trimmed(self, span: Span) -> Span:
        """The span without blanks and comments at its ends."""
        text = self.slice(span)
        before, after = _BLANK_START.match(text), _BLANK_END.search(text)
        if before is None and after is None:
            return span
        begin = self._offset(span.line, span.column) + (before.end() if before is not None else 0)
        end = self._offset(span.end_line, span.end_column) - (len(after.group()) if after is not None else 0)
        return Span(*self._position(begin), *self._position(end))

    def through_comma(self, span: Span) -> Span:
        """The span with the comma after it, if one follows."""
        text, end = self.text, self._offset(span.end_line, span.end_column)
        blank = _BLANK_START.match(text, end)
        end = blank.end() if blank is not None else end
        return Span(span.line, span.column, *self._position(end + 1)) if text[end : end + 1] == "," else span

    def from_bracket(self, inner: Span, outer: Span) -> Span:
        """From the last opening parenthesis before `inner` to the end of `outer`."""
        begin = self.text.rindex("(", 0, self._offset(inner.line, inner.column))
        return Span(*self._position(begin), outer.end_line, outer.end_column)

    def label(self, braces: Span, value: Span) -> tuple[Span, str]:
        """What `{value = }` prints before the value: all from the brace to the blanks after `=`."""
        begin, end = self._offset(braces.line, braces.column) + 1, self._offset(value.end_line, value.end_column)
        equal = self.text.index("=", end) + 1
        while self.text[equal].isspace():
            equal += 1
        return Span(*self._position(begin), *self._position(equal)), self.text[begin:equal]

    def _offset(self, line: int, column: int) -> int:
        if line == self.place.line:
            return column - self.place.column
        return self._lines()[line - self.place.line] + column - 1

    def _position(self, offset: int) -> tuple[int, int]:
        newlines = self.text.count("\n", 0, offset)
        if not newlines:
            return self.place.line, self.place.column + offset
        return self.place.line + newlines, offset - self.text.rfind("\n", 0, offset)

    def _lines(self) -> list[int]:
        if self._starts is None:
            self._starts = [0, *(found.end() for found in re.finditer("\n", self.text))]
        return self._starts
