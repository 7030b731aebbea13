"""What building a pool allocates, traced to the arguments of the function that builds it."""

from __future__ import annotations

import pytest
from domains.programs import MODELS, facts_of

from sgmem.domains.estimate.construction import Constructing
from sgmem.domains.estimate.factors import Factors
from sgmem.domains.estimate.pools import Pools

SIZES = ("size", 0)

BASE = """
import torch

class BasePool:
    def __init__(self, size, width):
        self.size = size
        self.width = width
        self.create()

    def create(self):
        self.rows = torch.zeros((self.size + 1, self.width))
"""


def sizes_of(source: str) -> list[list[set[str]]]:
    """For every allocation of the one pool that a program builds, what each dimension depends on."""
    facts = facts_of(source)
    (construction,) = Pools(facts.program, MODELS).constructions
    found = Constructing(facts.program, MODELS).allocations(construction)
    factors = Factors(facts.program)
    return [[set(one) for one in factors.dimensions(allocation, SIZES)] for allocation in found]


@pytest.mark.parametrize(
    ("derived", "build", "expected"),
    [
        ("", "return BasePool(self.tokens, self.model.width)", [[{"tokens"}, {"width"}]]),
        ("", "return BasePool(self.tokens, width=get_width(self.model))", [[{"tokens"}, {"get_width"}]]),
        ("", "wide = max(1, self.model.rank // 2)\n        return BasePool(self.tokens, wide)", [[{"tokens"}, {"rank"}]]),
        ("", "more = {'width': self.model.width}\n        return BasePool(self.tokens, **more)", [[{"tokens"}, {"width"}]]),
        ("", "kind = BasePool\n        return kind(self.tokens, getattr(self.model, 'rank', 8))", [[{"tokens"}, {"rank"}]]),
        (
            # The method of the derived class runs, with what the base stored.
            """
class DoublePool(BasePool):
    def create(self):
        self.rows = torch.zeros((2, self.size, self.width))
""",
            "return DoublePool(self.tokens, self.model.width)",
            [[set(), {"tokens"}, {"width"}]],
        ),
        (
            """
class ExtraPool(BasePool):
    def __init__(self, size, extra, **rest):
        super().__init__(size, **rest)
        self.extra = torch.zeros((size, extra))
""",
            "return ExtraPool(self.tokens, self.model.extra, width=self.model.width)",
            [[{"tokens"}, {"width"}], [{"tokens"}, {"extra"}]],
        ),
        (
            # `super(BasePool2, self)` goes past BasePool2.
            """
class BasePool2(BasePool):
    def __init__(self, size, width):
        self.never = torch.zeros((size, width, 7))

class ThirdPool(BasePool2):
    def __init__(self, size, width):
        super(BasePool2, self).__init__(size, width)
""",
            "return ThirdPool(self.tokens, self.model.width)",
            [[{"tokens"}, {"width"}]],
        ),
        (
            # A class that is handed in, and a pool within a pool.
            """
class OuterPool:
    def __init__(self, size, inner, **rest):
        self.inner = inner(size=size, **rest)
""",
            "return OuterPool(self.tokens, BasePool, width=self.model.width)",
            [[{"tokens"}, {"width"}]],
        ),
    ],
)
def test_dimensions_in_terms_of_the_building_function(derived: str, build: str, expected: list[list[set[str]]]) -> None:
    runner = f"\nclass Runner:\n    def build(self):\n        {build}\n"
    assert sizes_of(BASE + derived + runner) == expected


def test_a_class_that_builds_itself_comes_to_an_end() -> None:
    source = """
import torch

class LoopPool:
    def __init__(self, size):
        self.rows = torch.zeros((size, 4))
        self.again = LoopPool(size)
        self.fill(size)

    def fill(self, size):
        self.fill(size)

def build(tokens):
    return LoopPool(tokens)
"""
    assert sizes_of(source)[0] == [{"tokens"}, set()]


@pytest.mark.parametrize("path", ["test_pools", "bench_pools"])
def test_pools_of_trials_are_no_constructions(path: str) -> None:
    facts = facts_of(BASE, **{path: "from serving.case import BasePool\n\ndef build():\n    return BasePool(1, 2)\n"})
    assert Pools(facts.program, MODELS).constructions == ()
