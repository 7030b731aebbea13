"""The control-flow graph of one scope. Nodes are statement indices; a compound statement's node is its header.

Edges, by label:

- "next": the following statement, the first statement of a `with` or `try`, the target of `break` and `return`.
- "true", "false": the outcome of a test. For `for`: another item, or none left. For `except` and `case`: it matches, or
  not. For `assert`: it holds, or it raises.
- "loop": back to a loop's header, from the end of its body or `continue`.
- "case": from a `match` to its first `case`.
- "exception": to a handler, a `finally` block or `RAISED`.

Approximations. All but the last add paths and lose none:

- A test is symbolic: `while True` has a "false" edge, and so has the last `case`, which may be irrefutable.
- Every statement that evaluates something may raise. Inside a `try` that leads to the handlers or the `finally` block;
  elsewhere only `raise` and `assert` get an edge to `RAISED`, because an edge from each call would make post-dominance
  useless.
- A `finally` block exists once: everything that passes through it leaves it to every continuation that any of them had.
- A `with` statement is taken never to suppress an exception, though `contextlib.suppress` does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.blocks import Blocks, scope_blocks
from sgmem.control.routing import EXIT, RAISED, Edge, Label, Routing

if TYPE_CHECKING:
    from sgmem.syntax.outline import OutlineView, StatementOutline

__all__ = ["ENTRY", "EXIT", "RAISED", "Cfg", "Edge", "Label", "build_cfg"]

ENTRY = -1

_Graph = dict[int, tuple[Edge, ...]]

# Statements that evaluate nothing and so cannot raise.
_SILENT = frozenset({"pass", "break", "continue", "global", "nonlocal", "try"})
# Headers that bind their target only when they go on to their body.
_PARTIAL = frozenset({"for", "except", "case"})


class Cfg(msgspec.Struct, frozen=True, eq=False):
    """A scope's control-flow graph. Unreachable statements are in `blocks` but have no edges."""

    blocks: Blocks
    successors: _Graph
    predecessors: _Graph

    @property
    def scope(self) -> int:
        return self.blocks.scope

    def out(self, node: int) -> tuple[Edge, ...]:
        """The (target, label) pairs of a node."""
        return self.successors.get(node, ())

    def into(self, node: int) -> tuple[Edge, ...]:
        """The (source, label) pairs of a node."""
        return self.predecessors.get(node, ())

    def reachable(self, node: int) -> bool:
        """Whether some path from ENTRY leads to `node`."""
        return node == ENTRY or node in self.predecessors

    def binds_on(self, node: int, label: Label) -> Literal["always", "maybe"]:
        """Whether what a node defines is certainly defined on its edges of this label.

        An exception may come before or after the binding. A `for` binds nothing when no item is left, an `except` or
        `case` nothing when it does not match; they count as "maybe" there, for their header may hold a walrus that was
        evaluated.
        """
        if label == "exception" or (label == "false" and self.blocks.row(node).kind in _PARTIAL):
            return "maybe"
        return "always"


def build_cfg(outline: OutlineView, scope: int) -> Cfg:
    """Build the graph of a function, class body or module, in time linear in its statements and edges."""
    blocks = scope_blocks(outline, scope)
    routing = Routing(blocks)
    successors: _Graph = {ENTRY: _entry(blocks)}
    for index in blocks.indices:
        # In source order, so that everything that passes through a `finally` block is known before its statements are
        # wired.
        routing.place(index)
        successors[index] = tuple(dict.fromkeys(_edges(blocks, routing, index)))
    return _reachable_part(blocks, successors)


def _entry(blocks: Blocks) -> tuple[Edge, ...]:
    body = blocks.of(blocks.top, "body")
    return ((body[0] if body else EXIT, "next"),)


def _edges(blocks: Blocks, routing: Routing, index: int) -> list[Edge]:
    kind = blocks.row(index).kind
    found = _normal_edges(blocks, routing, index)
    handler = routing.handler(index)
    if kind == "assert":
        found.append((handler, "false"))
    if kind == "raise" or (handler != RAISED and kind not in _SILENT):
        found.append((handler, "exception"))
    return found


def _normal_edges(blocks: Blocks, routing: Routing, index: int) -> list[Edge]:
    row = blocks.row(index)
    match row.kind:
        case "if" | "while" | "for":
            return [*_into(blocks, index, "body", "true", routing), *_into(blocks, index, "orelse", "false", routing)]
        case "assert":
            return [(target, "true") for target, _ in routing.after(index)]
        case "with" | "try":
            return _into(blocks, index, "body", "next", routing)
        case "match":
            return _into(blocks, index, "body", "case", routing)
        case "case":
            following = routing.sibling(index)
            other = [following] if following is not None else [target for target, _ in routing.after(row.parent)]
            return [*_into(blocks, index, "body", "true", routing), *((target, "false") for target in other)]
        case "except":
            return [*_into(blocks, index, "body", "true", routing), *_unmatched(routing, index, row)]
        case "return" | "break" | "continue":
            return list(routing.jump(index))
        case "raise":
            return []
        case _:
            return list(routing.after(index))


def _into(blocks: Blocks, index: int, block: Literal["body", "orelse"], label: Label, routing: Routing) -> list[Edge]:
    """The edge into a block, or past the statement where it has no such block."""
    inside = blocks.of(index, block)
    if inside:
        return [(inside[0], label)]
    return [(target, label) for target, _ in routing.after(index)]


def _unmatched(routing: Routing, index: int, row: StatementOutline) -> list[Edge]:
    """Where an exception goes that this handler does not name; a bare `except` names all."""
    if not row.heads:
        return []
    following = routing.sibling(index)
    return [(following, "false")] if following is not None else [(routing.handler(index), "exception")]


def _reachable_part(blocks: Blocks, successors: _Graph) -> Cfg:
    """Drop what ENTRY does not reach, so that dead code defines nothing and precedes nothing."""
    seen = {ENTRY}
    pending = [ENTRY]
    predecessors: dict[int, list[Edge]] = {}
    while pending:
        node = pending.pop()
        for target, label in successors.get(node, ()):
            predecessors.setdefault(target, []).append((node, label))
            if target not in seen:
                seen.add(target)
                pending.append(target)
    kept = {node: edges for node, edges in successors.items() if node in seen}
    return Cfg(blocks, kept, {node: tuple(edges) for node, edges in predecessors.items()})
