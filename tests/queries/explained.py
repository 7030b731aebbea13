"""Small programs for tests of explain, and a short way to ask."""

from __future__ import annotations

from textwrap import dedent

from sgmem.queries.explain.query import explain
from sgmem.queries.options import ExplainOptions
from sgmem.queries.results.explain import Explain
from sgmem.source.tree import SourceTree

BUDGET = """
    import torch

    class Pool:
        def __init__(self, share):
            self.share = share

        def size(self, total):
            free = torch.cuda.mem_get_info()[0]
            rest = free - total * (1 - self.share)
            if rest <= 0:
                raise ValueError(f"no room, share={self.share}")
            return int(rest) // 512
"""
"""A budget with its guard, in one class."""

OPTIONS = """
    import argparse
    import dataclasses

    @dataclasses.dataclass
    class Args:
        share: float | None = None
        ranks: int = 1
        wide: bool = False
        cap: int | None = None

        def fill(self, card):
            if self.share is None:
                room = 512
                if card is not None and card > 1000:
                    room += self.ranks * 16
                if self.wide:
                    room += 100
                self.share = round((card - room) / card, 3) if card is not None else 0.75

    def add(parser: argparse.ArgumentParser):
        parser.add_argument("--share", type=float, default=Args.share, help="The share of the card.")
        parser.add_argument("--ranks", type=int, default=Args.ranks)
        parser.add_argument("--wide", action="store_true", default=Args.wide)
        parser.add_argument("--cap", type=int, default=Args.cap)

    class Pool:
        def __init__(self, args: Args):
            self.args = args

        def size(self, total, free):
            rest = free - total * (1 - self.args.share)
            return rest
"""
"""Options with defaults, a share that is computed when it is not given, and a budget that uses it."""


def tree_of(source: str) -> SourceTree:
    return SourceTree.from_texts({"serving/__init__.py": "", "serving/case.py": dedent(source)})


def asked(source: str | SourceTree, target: str, *given: str, observed: str | None = None, exact: bool = False) -> Explain:
    """What explain says of `target`; `given` and `observed` are NAME=VALUE."""
    tree = tree_of(source) if isinstance(source, str) else source
    return explain(tree, target, ExplainOptions(given=given, observed=observed, exact=exact))
