"""Places of a source file where a defect can be planted, found by structure, and the edit that plants it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

ACCOUNTING = re.compile(
    r"mem_|_mem\b|[Mm]emory|bytes|[GM]i?B\b|cell_size|[Pp]ool|cache_size|host_size|max_running_requests|num_reqs|max_total|capacity"
)
"""Words of functions that account for memory; code without any is no place for a defect of this kind."""
CONVERTING = re.compile(r"1024|<< *[23]0|1e9|10\*\*9")
ASIDE = re.compile(r"(^|/)(tests?|benchmarks?|debug_utils|examples?|\w*kernels?)(/|$)")
"""Folders of code that accounts for no memory of a server: kernels share out a chip's own."""
ALLOCATES = re.compile(r"\btorch\.(?:empty|zeros|ones|full)\w*\(|alloc\w*\(|Pool\w*\(")


_WORKING = (ast.BinOp, ast.Call, ast.Compare)
_BARE = (ast.expr_context, ast.operator, ast.cmpop, ast.boolop, ast.unaryop)


@dataclass(frozen=True)
class Defect:
    """`text` in place of the characters `start` to `end` of a file; `function` is the first and last line of the function around, as
    it is then."""

    kind: str
    path: str
    line: int
    start: int
    end: int
    text: str
    function: tuple[int, int]
    what: str


@dataclass(frozen=True)
class Place:
    """A node with its function and its ancestors, outermost first."""

    source: Source
    node: ast.expr
    above: tuple[ast.AST, ...]
    allocating: frozenset[str] = frozenset()
    """The names of classes and functions of the tree that allocate."""

    @cached_property
    def definition(self) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The function around."""
        return next((node for node in reversed(self.above) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)), None)

    @cached_property
    def function(self) -> tuple[int, int]:
        if self.definition is not None:
            return self.definition.lineno, self.definition.end_lineno or self.definition.lineno
        statement = next(node for node in reversed(self.above) if isinstance(node, ast.stmt))
        return statement.lineno, statement.end_lineno or statement.lineno

    @property
    def statement(self) -> str:
        statement = next(node for node in reversed(self.above) if isinstance(node, ast.stmt))
        first = statement.lineno
        last = statement.body[0].lineno - 1 if getattr(statement, "body", None) else statement.end_lineno or first
        return "\n".join(self.source.lines[first - 1 : max(last, first)])

    @property
    def accounts_for_memory(self) -> bool:
        return self.function_says(ACCOUNTING)

    def function_says(self, words: re.Pattern[str]) -> bool:
        """Whether the text of the function around matches."""
        return self.source.says(self.function, words)

    def code(self, node: ast.expr) -> str:
        start, end = self.source.span(node)
        return self.source.text[start:end]

    def replaced(self, kind: str, node: ast.expr, text: str) -> Defect:
        start, end = self.source.span(node)
        old = " ".join(self.source.text[start:end].split())
        new = " ".join(text.split())
        return self.edited(kind, node.lineno, start, end, text, f"{old}  ->  {new}")

    def edited(self, kind: str, line: int, start: int, end: int, text: str, what: str) -> Defect:
        """A defect planted by writing `text` in place of some characters."""
        first, last = self.function
        more = text.count("\n") - self.source.text.count("\n", start, end)
        return Defect(kind, self.source.path, line, start, end, text, (first, last + more), what)


@dataclass
class Source:
    """One file of a tree."""

    path: str
    text: str
    tree: ast.Module = field(init=False)
    lines: list[str] = field(init=False)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        self.lines = self.text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

        self._said: dict[tuple[tuple[int, int], re.Pattern[str]], bool] = {}

    def says(self, lines: tuple[int, int], words: re.Pattern[str]) -> bool:
        """Whether some lines, the first and the last one given, match."""
        key = (lines, words)
        if key not in self._said:
            self._said[key] = words.search("\n".join(self.lines[lines[0] - 1 : lines[1]])) is not None
        return self._said[key]

    def span(self, node: ast.expr) -> tuple[int, int]:
        """Offsets of a node, in characters; `ast` counts columns in bytes."""
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno or 0, node.end_col_offset or 0)

    def _offset(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode(errors="ignore"))

    @cached_property
    def allocating(self) -> frozenset[str]:
        """The names of the classes and functions whose text allocates."""
        if not ALLOCATES.search(self.text):
            return frozenset()
        outer = [node for node in self.tree.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
        defined = [*outer, *(one for node in outer for one in node.body if isinstance(one, ast.FunctionDef))]
        return frozenset(node.name for node in defined if self.says((node.lineno, node.end_lineno or node.lineno), ALLOCATES))

    def places(self, allocating: frozenset[str] | None = None) -> Iterator[Place]:
        """Every expression that calculates, calls, compares or is the value of a statement, outermost first."""
        pending: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(self.tree, ())]
        while pending:
            node, above = pending.pop()
            if isinstance(node, ast.expr) and (isinstance(node, _WORKING) or isinstance(above[-1], ast.stmt)):
                yield Place(self, node, above, self.allocating if allocating is None else allocating)
            children = [child for child in ast.iter_child_nodes(node) if not isinstance(child, _BARE)]
            pending += [(child, (*above, node)) for child in reversed(children)]


def last_name(node: ast.AST) -> str:
    """The last word of a name, or of what is called."""
    node = node.func if isinstance(node, ast.Call) else node
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


Finder = Callable[[Place], Iterator[Defect]]


def number(node: ast.expr) -> float | int | None:
    """The value of a number written as a literal or as a product, power or shift of literals."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int | float) and not isinstance(node.value, bool) else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = number(node.left), number(node.right)
    if left is None or right is None:
        return None
    if isinstance(node.op, ast.Mult):
        return left * right
    if isinstance(node.op, ast.LShift) and isinstance(left, int) and isinstance(right, int) and 0 <= right <= 64:
        return left << right
    if isinstance(node.op, ast.Pow) and abs(left) <= 1024 and 0 <= right <= 12:
        return left**right
    return None
