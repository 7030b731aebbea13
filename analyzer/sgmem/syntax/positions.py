"""Exact spans for the nodes of a parsed slice, by generating its code with a state that only counts.

libcst's own position metadata wants whole modules and costs three times the parse; a slice of one statement costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from libcst._nodes.internal import CodegenState

from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from types import TracebackType

    from libcst import CSTNode


class _Recording:
    """Notes where a node's own syntax begins and ends, its parentheses excluded, as `ast` has it."""

    __slots__ = ("column", "line", "node", "state")

    def __init__(self, state: PositionState, node: CSTNode) -> None:
        self.state, self.node = state, node

    def __enter__(self) -> None:
        self.line, self.column = self.state.line, self.state.column

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        state = self.state
        state.spans[self.node] = Span(self.line, self.column, state.line, state.column)


class PositionState(CodegenState):
    """Counts lines and columns of generated code; `spans` maps each node to its place."""

    def __init__(self, line: int, column: int) -> None:
        super().__init__(default_indent="    ", default_newline="\n")
        self.line = line
        self.column = column
        self.spans: dict[CSTNode, Span] = {}

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
        self, node: CSTNode, *, start_node: CSTNode | None = None, end_node: CSTNode | None = None
    ) -> Any:
        return _Recording(self, node)


def spans_of(node: CSTNode, line: int, column: int) -> dict[CSTNode, Span]:
    """Return the span of every node below `node`, whose text begins at this 1-based place.

    A tree too deep for libcst's recursive generator yields what was reached before it gave up.
    """
    state = PositionState(line, column)
    try:
        node._codegen(state)
    except RecursionError:
        pass
    return state.spans
