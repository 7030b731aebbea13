"""The conditions of a site: of its statement, of the expression itself, and inherited from the only call that leads there."""

from __future__ import annotations

import pytest
from flow.small import at, line_of, traced

from sgmem.queries.options import TraceOptions


def when(source: str, code: str, name: str = "budget") -> set[tuple[str, ...]]:
    return {site.when for site in at(traced(source, name, TraceOptions()), line_of(source, code)) if site.role != "declaration"}


OWN = """
    class Args:
        budget = 0

        def fill(self, flag, other):
            if self.budget is None:
                self.budget = 1
            else:
                self.budget = 2
            if not flag:
                return
            self.budget = 3
            self.budget = 4 if other else self.budget
            while other:
                self.budget = 5
            self.budget = 6
"""


@pytest.mark.parametrize(
    ("code", "conditions"),
    [
        ("self.budget = 1", ("self.budget is None",)),
        ("self.budget = 2", ("self.budget is not None",)),
        ("self.budget = 3", ("flag",)),
        ("self.budget = 5", ("flag", "other")),
    ],
)
def test_conditions_within_the_function(code: str, conditions: tuple[str, ...]) -> None:
    assert conditions in when(OWN, code)


def test_an_early_return_before_is_the_same_as_being_nested() -> None:
    nested = "class Args:\n    budget = 0\n    def fill(self, flag):\n        if flag:\n            self.budget = 3\n"
    assert when(nested, "self.budget = 3") == {("flag",)}


def test_a_read_in_a_conditional_expression_is_under_its_test() -> None:
    source = "def start(budget, flag):\n    value = budget if flag else 0\n    show(value)\n"
    assert ("flag",) in when(source, "value = budget")
    twin = "def start(budget, flag):\n    value = 0 if flag else budget\n    show(value)\n"
    assert ("not flag",) in when(twin, "value = 0")


CALLED = """
    class Args:
        budget = 0

        def __post_init__(self, flag, other):
            if flag:
                self.outer(other)
            if other:
                self.shared()
            self.shared()

        def outer(self, other):
            if other:
                self.inner()

        def inner(self):
            self.budget = 1

        def shared(self):
            self.budget = 2

        def alone(self):
            self.budget = 3
"""


def test_the_only_call_s_condition_is_inherited_all_the_way() -> None:
    assert when(CALLED, "self.budget = 1") == {("flag", "other")}


def test_with_several_callers_nothing_is_inherited() -> None:
    assert when(CALLED, "self.budget = 2") == {()}


def test_without_a_caller_there_is_nothing_to_inherit() -> None:
    assert when(CALLED, "self.budget = 3") == {()}


def test_a_constructor_inherits_nothing() -> None:
    source = """
        class Args:
            def __init__(self):
                self.budget = 1


        def main(flag):
            if flag:
                Args()
    """
    assert when(source, "self.budget = 1") == {()}


def test_recursion_ends() -> None:
    source = """
        class Args:
            budget = 0

            def fill(self, n):
                if n:
                    self.budget = 1
                    self.fill(n - 1)
    """
    assert when(source, "self.budget = 1") == {("n",)}


def test_a_condition_is_told_once() -> None:
    source = """
        class Args:
            budget = 0

            def fill(self, flag):
                if flag:
                    self.set(flag)

            def set(self, flag):
                if flag:
                    self.budget = 1
    """
    assert when(source, "self.budget = 1") == {("flag",)}
