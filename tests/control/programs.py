"""Random structured programs, their text, and an interpreter that watches what they do.

The analysed text is never executed: the program is a small tree of our own, which is spelled out for the analysis and
interpreted here. Chance decides each test, loop, pattern and exception.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any

from control.outlines import Program
from hypothesis import strategies as st

if TYPE_CHECKING:
    from sgmem.control.predicates import Scalar

VARIABLES = ("a", "b")
SIMPLE = ("define", "augment", "use", "maybe", "return", "raise", "assert")
LOOPS = ("while", "for")
COMPOUND = ("if", "with", "match", "try", *LOOPS)
TESTS = ("{t}", "not {t}", "{t} and {u}", "{t} or not {u}")
MAX_STEPS = 120


@dataclass
class Node:
    """A statement. `choice` picks a variant; `index` is its statement index once the program is numbered."""

    kind: str
    variable: str = "a"
    choice: int = 0
    blocks: dict[str, list[Node]] = field(default_factory=dict)
    index: int = -1

    @property
    def test(self) -> str:
        return TESTS[self.choice % len(TESTS)].format(t=f"t{self.index}", u=f"u{self.index}")

    @property
    def defines(self) -> bool:
        return self.kind in ("define", "augment", "maybe", "for", "with") or (self.kind == "except" and not self.bare)

    @property
    def bare(self) -> bool:
        return self.choice % 3 == 0


@st.composite
def programs(draw: st.DrawFn, simple: tuple[str, ...] = SIMPLE, compound: tuple[str, ...] = COMPOUND) -> list[Node]:
    """A function's body, numbered."""
    body = _block(draw, simple, compound, depth=0, loop=False)
    number_from(body, 1)  # the function's own statement is 0
    return body


def _block(draw: st.DrawFn, simple: tuple[str, ...], compound: tuple[str, ...], depth: int, loop: bool) -> list[Node]:
    return [_node(draw, simple, compound, depth, loop) for _ in range(draw(st.integers(1, 3 if depth else 4)))]


def _node(draw: st.DrawFn, simple: tuple[str, ...], compound: tuple[str, ...], depth: int, loop: bool) -> Node:
    kinds = simple + (("break", "continue") if loop else ()) + (compound * 2 if depth < 3 else ())
    node = Node(draw(st.sampled_from(kinds)), draw(st.sampled_from(VARIABLES)), draw(st.integers(0, 11)))

    def block(inside: bool = loop) -> list[Node]:
        return _block(draw, simple, compound, depth + 1, inside)

    optional = draw(st.integers(0, 7))
    match node.kind:
        case "if":
            node.blocks = {"body": block()} | ({"orelse": block()} if optional & 1 else {})
        case "while" | "for":
            node.blocks = {"body": block(True)} | ({"orelse": block()} if optional & 1 else {})
        case "with":
            node.blocks = {"body": block()}
        case "match":
            node.blocks = {"body": [_child("case", node, number, block()) for number in range(1 + optional % 3)]}
        case "try":
            node.blocks = {"body": block()}
            handlers = [_child("except", node, number, block()) for number in range(optional % 3)]
            for handler in handlers[:-1]:
                handler.choice = 1  # only the last one may be bare
            if handlers:
                node.blocks["handlers"] = handlers
                if optional & 4:
                    node.blocks["orelse"] = block()
            if not handlers or optional & 2:
                node.blocks["finally"] = block()
    return node


def _child(kind: str, parent: Node, number: int, body: list[Node]) -> Node:
    return Node(kind, parent.variable, parent.choice + number, {"body": body})


def number_from(block: list[Node], free: int) -> int:
    for node in block:
        node.index = free
        free += 1
        for inner in node.blocks.values():
            free = number_from(inner, free)
    return free


def every(block: list[Node]) -> list[Node]:
    """All statements, in preorder."""
    return [found for node in block for found in (node, *(n for b in node.blocks.values() for n in every(b)))]


def analysed(body: list[Node]) -> Program:
    """The program as the analysis sees it."""
    return Program("def f():\n" + "\n".join(_spell(body, 1)) + "\n", "f")


_HEADERS = {"orelse": "else:", "finally": "finally:"}


def _spell(block: list[Node], depth: int) -> list[str]:
    lines: list[str] = []
    indent = "    " * depth
    for node in block:
        lines.append(indent + _header(node))
        for label, inner in node.blocks.items():
            if label in _HEADERS:
                lines.append(indent + _HEADERS[label])
            lines += _spell(inner, depth if label == "handlers" else depth + 1)
    return lines


def pattern(case: Node) -> int | None:
    """The constant a case matches; None for a wildcard."""
    return None if case.choice % 4 == 3 else case.choice % 4


def guarded(case: Node) -> bool:
    # A wildcard that is not last has to have a guard.
    return case.choice % 2 == 0 or pattern(case) is None


def _header(node: Node) -> str:
    v, i = node.variable, node.index
    match node.kind:
        case "define":
            return f"{v} = f{i}()"
        case "augment":
            return f"{v} += f{i}()"
        case "use":
            return f"f{i}({v})"
        case "maybe":
            return f"maybe{i}({v})"
        case "return":
            return f"return {v}"
        case "assert" | "if" | "while":
            return f"{node.kind} {node.test}" + ("" if node.kind == "assert" else ":")
        case "for":
            return f"for {v} in f{i}():"
        case "with":
            return f"with f{i}() as {v}:"
        case "match":
            return f"match m{i}:"
        case "case":
            value = pattern(node)
            return f"case {'_' if value is None else value}{f' if g{i}' if guarded(node) else ''}:"
        case "except":
            return "except:" if node.bare else f"except E{i} as {v}:"
        case _:
            return node.kind + (":" if node.blocks else "")


class OutOfSteps(Exception):
    """The run was cut off."""


class Raised(Exception):
    """The interpreted program raised."""


class Run:
    """One run. `visits` are the nodes in order, ENTRY first and, unless it was cut off, EXIT or RAISED last; `uses` are
    observed (variable, using statement, defining statement); `states` holds the latest test values at each visit."""

    def __init__(self, body: list[Node], chance: Random | dict[str, Scalar]) -> None:
        self.chance = chance
        self.visits = [-1]
        self.uses: set[tuple[str, int, int]] = set()
        self.values: dict[str, Scalar] = {}
        self.states: list[tuple[int, dict[str, Scalar]]] = []
        self.defined = dict.fromkeys(VARIABLES, -1)
        try:
            self._run(body, False)
            self.visits.append(-2)
        except Raised:
            self.visits.append(-3)
        except OutOfSteps:
            pass

    def _draw(self, name: str, values: tuple[Any, ...] = (False, True)) -> Any:
        found = self.chance[name] if isinstance(self.chance, dict) else self.chance.choice(values)
        self.values[name] = found
        return found

    def _happens(self, one_in: int) -> bool:
        return isinstance(self.chance, Random) and self.chance.randrange(one_in) == 0

    def _visit(self, node: Node) -> None:
        if len(self.visits) > MAX_STEPS:
            raise OutOfSteps
        self.visits.append(node.index)
        self.states.append((node.index, dict(self.values)))
        if node.kind in ("use", "augment", "return"):
            self.uses.add((node.variable, node.index, self.defined[node.variable]))

    def _run(self, block: list[Node], protected: bool) -> str:
        for node in block:
            outcome = self._step(node, protected)
            if outcome:
                return outcome
        return ""

    def _step(self, node: Node, protected: bool) -> str:
        """Execute a statement; return "" or how it jumps."""
        if node.kind in LOOPS:
            return self._loop(node, protected)
        self._visit(node)
        if node.kind not in ("break", "continue", "try"):
            self._fail(protected)
        if node.kind in ("define", "augment", "with") or (node.kind == "maybe" and self._happens(2)):
            self.defined[node.variable] = node.index
            self._fail(protected)
        match node.kind:
            case "return" | "break" | "continue":
                return node.kind
            case "raise":
                raise Raised
            case "assert":
                if not self._test(node):
                    raise Raised
            case "if":
                return self._run(node.blocks.get("body" if self._test(node) else "orelse", []), protected)
            case "with":
                return self._run(node.blocks["body"], protected)
            case "match":
                return self._match(node, protected)
            case "try":
                return self._try(node, protected)
        return ""

    def _fail(self, protected: bool) -> None:
        # Where nothing catches, the graph has no edges for the exceptions of calls, and a run has none.
        if protected and self._happens(9):
            raise Raised

    def _test(self, node: Node) -> bool:
        t, u = self._draw(f"t{node.index}"), self._draw(f"u{node.index}")
        return bool((t, not t, t and u, t or not u)[node.choice % len(TESTS)])

    def _loop(self, node: Node, protected: bool) -> str:
        while True:
            self._visit(node)
            self._fail(protected)
            if node.kind == "for":
                if self._happens(3):
                    break
                self.defined[node.variable] = node.index
            elif not self._test(node):
                break
            outcome = self._run(node.blocks["body"], protected)
            if outcome == "break":
                return ""
            if outcome == "return":
                return outcome
        return self._run(node.blocks.get("orelse", []), protected)

    def _match(self, node: Node, protected: bool) -> str:
        subject = self._draw(f"m{node.index}", (0, 1, 2, 3))
        for case in node.blocks["body"]:
            self._visit(case)
            self._fail(protected)
            if pattern(case) in (None, subject) and (not guarded(case) or self._draw(f"g{case.index}")):
                return self._run(case.blocks["body"], protected)
        return ""

    def _try(self, node: Node, protected: bool) -> str:
        finalizer = node.blocks.get("finally")
        outside = protected or finalizer is not None
        try:
            outcome = self._handled(node, outside)
        except Raised:
            outcome = self._run(finalizer or [], protected)
            if outcome:
                return outcome  # a jump in the finally block swallows the exception
            raise
        return self._run(finalizer or [], protected) or outcome

    def _handled(self, node: Node, outside: bool) -> str:
        try:
            outcome = self._run(node.blocks["body"], True)
        except Raised:
            for handler in node.blocks.get("handlers", []):
                self._visit(handler)
                self._fail(outside)
                if handler.bare or self._happens(2):
                    if handler.defines:
                        self.defined[handler.variable] = handler.index
                    return self._run(handler.blocks["body"], outside)
            raise
        return outcome or self._run(node.blocks.get("orelse", []), outside)
