"""Whether anything writes a field once its owner is constructed."""

from __future__ import annotations

import pytest
from flow.small import line_of, program_of

from sgmem.flow.construction import Construction
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.places import Field


def verdict(source: str, owner: str = "Runner", name: str = "budget") -> tuple[str, list[int]]:
    program = program_of(source)
    occurrences = Occurrences(program)
    place = next(Field(each, name) for each in occurrences.owners(name) if each.name == owner)
    said, late = Construction(program, occurrences).after(place)
    return said, sorted(seen.node.span.line for seen in late)


NONE = {
    "only the constructor": """
        class Runner:
            def __init__(self, budget):
                self.budget = budget
    """,
    "a method that only the constructor calls": """
        class Runner:
            def __init__(self, budget):
                self.first(budget)

            def first(self, budget):
                self.second(budget)

            def second(self, budget):
                self.budget = budget
    """,
    "after the fields of a dataclass are set": """
        from dataclasses import dataclass


        @dataclass
        class Runner:
            budget: int = 0

            def __post_init__(self):
                self.fill()

            def fill(self):
                self.budget = 3
    """,
    "a function that the constructor calls": """
        class Runner:
            budget = 0

            def __init__(self):
                fill(self)


        def fill(runner: Runner):
            runner.budget = 3
    """,
    "the constructor of a subclass": """
        class Runner:
            def __init__(self):
                self.budget = 0


        class Derived(Runner):
            def __init__(self):
                super().__init__()
                self.budget = 1
    """,
    "a mixin's constructor": """
        class Mixin:
            def fill(self):
                self.budget = 1


        class Runner(Mixin):
            def __init__(self):
                self.budget = 0
                self.fill()
    """,
    "a class attribute": """
        class Runner:
            budget = 0
    """,
    "a field of the same name elsewhere": """
        class Runner:
            def __init__(self):
                self.budget = 0


        class Other:
            def run(self):
                self.budget = 1
    """,
    "a local of the same name": """
        class Runner:
            def __init__(self):
                self.budget = 0

            def run(self):
                budget = 1
                return budget
    """,
    "it is only read": """
        class Runner:
            def __init__(self):
                self.budget = 0

            def run(self):
                return self.budget + 1
    """,
}


@pytest.mark.parametrize("name", NONE)
def test_nothing_writes_it_later(name: str) -> None:
    owner = "Mixin" if "Mixin" in NONE[name] else "Runner"
    assert verdict(NONE[name], owner) == ("none", [])


SOME = {
    "a method that anybody calls": """
        class Runner:
            def __init__(self):
                self.budget = 0

            def change(self):
                self.budget = 1  #


        def main(runner: Runner):
            runner.change()
    """,
    "a method that nobody calls": """
        class Runner:
            def __init__(self):
                self.budget = 0

            def change(self):
                self.budget += 1  #
    """,
    "a method of the constructor that another calls too": """
        class Runner:
            def __init__(self):
                self.fill()

            def fill(self):
                self.budget = 1  #

            def reset(self):
                self.fill()
    """,
    "a function outside": """
        class Runner:
            def __init__(self):
                self.budget = 0


        def main(runner: Runner):
            runner.budget = 1  #
    """,
    "the constructor of another class": """
        class Runner:
            def __init__(self):
                self.budget = 0


        class Other:
            def __init__(self, runner: Runner):
                runner.budget = 1  #
    """,
    "a module": """
        class Runner:
            def __init__(self):
                self.budget = 0


        runner = Runner()
        runner.budget = 1  #
    """,
    "by a literal name": """
        class Runner:
            def __init__(self):
                self.budget = 0


        def main(runner: Runner):
            setattr(runner, "budget", 1)  #
    """,
}


@pytest.mark.parametrize("name", SOME)
def test_something_writes_it_later(name: str) -> None:
    assert verdict(SOME[name]) == ("some", [line_of(SOME[name], "#")[1]])


def test_two_writers_that_call_each_other_outside_the_constructor() -> None:
    source = """
        class Runner:
            def __init__(self):
                self.budget = 0

            def ping(self):
                self.budget = 1
                self.pong()

            def pong(self):
                self.budget = 2
                self.ping()
    """
    assert verdict(source) == ("some", [7, 11])
    built = source.replace("self.budget = 0", "self.ping()")
    assert verdict(built) == ("none", [])


def test_too_many_callers_leave_it_open() -> None:
    chain = "".join(f"    def step{i}(self):\n        self.step{i + 1}()\n" for i in range(220))
    source = f"class Runner:\n    def __init__(self):\n        self.step0()\n{chain}    def step220(self):\n        self.budget = 1\n"
    assert verdict(source) == ("unknown", [])


def test_a_late_write_decides_whatever_else_is_open() -> None:
    chain = "".join(f"    def step{i}(self):\n        self.step{i + 1}()\n" for i in range(220))
    source = (
        f"class Runner:\n    def __init__(self):\n        self.step0()\n{chain}    def step220(self):\n        self.budget = 1\n"
        "    def late(self):\n        self.budget = 2\n"
    )
    assert verdict(source)[0] == "some"
