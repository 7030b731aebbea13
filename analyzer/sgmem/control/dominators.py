"""Dominators and post-dominators: Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001)."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from sgmem.control.cfg import ENTRY, EXIT, RAISED, Cfg

LEFT = -4
"""The root of the post-dominator tree: the scope was left, normally (EXIT) or by an exception (RAISED)."""

_Neighbours = Callable[[int], Iterable[int]]


class DominatorTree(msgspec.Struct, frozen=True, eq=False):
    """Immediate dominators, and each node's interval in a walk of their tree. What the root misses is absent."""

    root: int
    immediate: dict[int, int]
    """The immediate dominator of every node but the root."""
    intervals: dict[int, tuple[int, int]]

    def dominates(self, above: int, below: int) -> bool:
        """Whether every path from the root to `below` leads through `above`; a node dominates itself. Constant time."""
        outer, inner = self.intervals.get(above), self.intervals.get(below)
        return outer is not None and inner is not None and outer[0] <= inner[0] and inner[1] <= outer[1]

    def chain(self, node: int) -> tuple[int, ...]:
        """The strict dominators of `node`, innermost first; empty for the root and for nodes out of reach."""
        found: list[int] = []
        above = self.immediate.get(node)
        while above is not None:
            found.append(above)
            above = self.immediate.get(above)
        return tuple(found)


def dominators(cfg: Cfg) -> DominatorTree:
    """The dominator tree, rooted at ENTRY."""
    return _tree(
        ENTRY,
        lambda node: [target for target, _ in cfg.out(node)],
        lambda node: [source for source, _ in cfg.into(node)],
    )


def post_dominators(cfg: Cfg) -> DominatorTree:
    """The post-dominator tree, rooted at LEFT. Exceptions count where the graph has an edge for them."""
    ends = [end for end in (EXIT, RAISED) if cfg.reachable(end)]

    def backward(node: int) -> list[int]:
        return ends if node == LEFT else [source for source, _ in cfg.into(node)]

    def forward(node: int) -> list[int]:
        return [LEFT] if node in (EXIT, RAISED) else [target for target, _ in cfg.out(node)]

    return _tree(LEFT, backward, forward)


def _tree(root: int, successors: _Neighbours, predecessors: _Neighbours) -> DominatorTree:
    order = _reverse_postorder(root, successors)
    number = {node: position for position, node in enumerate(order)}
    # Nearest first: the running intersection then climbs each part of the tree once, not once per predecessor.
    sources = [sorted((number[p] for p in predecessors(node) if p in number), reverse=True) for node in order]
    immediate = [-1] * len(order)
    immediate[0] = 0
    changed = True
    while changed:
        changed = False
        for node in range(1, len(order)):
            nearest = -1
            for source in sources[node]:
                if immediate[source] >= 0:
                    nearest = source if nearest < 0 else _intersect(immediate, source, nearest)
            if immediate[node] != nearest:
                immediate[node] = nearest
                changed = True
    named = {order[node]: order[immediate[node]] for node in range(1, len(order))}
    return DominatorTree(root, named, _intervals(order, immediate))


def _intersect(immediate: list[int], left: int, right: int) -> int:
    while left != right:
        while left > right:
            left = immediate[left]
        while right > left:
            right = immediate[right]
    return left


def _reverse_postorder(root: int, successors: _Neighbours) -> list[int]:
    seen = {root}
    finished: list[int] = []
    pending = [(root, iter(successors(root)))]
    while pending:
        node, rest = pending[-1]
        for target in rest:
            if target not in seen:
                seen.add(target)
                pending.append((target, iter(successors(target))))
                break
        else:
            pending.pop()
            finished.append(node)
    finished.reverse()
    return finished


def _intervals(order: list[int], immediate: list[int]) -> dict[int, tuple[int, int]]:
    """Number the tree's nodes in preorder; a subtree is then a range of numbers."""
    size = [1] * len(order)
    for node in range(len(order) - 1, 0, -1):  # in reverse postorder a dominator stands before what it dominates
        size[immediate[node]] += size[node]
    first = [0] * len(order)
    free = [1] * len(order)
    for node in range(1, len(order)):
        above = immediate[node]
        first[node] = first[above] + free[above]
        free[above] += size[node]
    return {name: (first[node], first[node] + size[node] - 1) for node, name in enumerate(order)}
