"""Which of the places that bear a name a NAME means."""

from __future__ import annotations

import pytest
from flow.small import program_of

from sgmem.flow.frontier import Budget
from sgmem.flow.seeds import Seeds
from sgmem.flow.slicer import Slicer
from sgmem.flow.wanted import Wanted, full_name

SOURCE = """
    budget = 0


    class Base:
        budget = 1


    class Derived(Base):
        def use(self, budget):
            return budget


    def budget_of(): pass


    class Deep:
        class Base:
            budget = 2
"""


def chosen(name: str) -> tuple[str, ...]:
    program = program_of(SOURCE)
    wanted = Wanted(name)
    places, names = wanted.choose(program, Seeds(Slicer(program, Budget()), wanted.bare).bearers())
    assert {full_name(place) for place in places} == set(names)
    return names


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("prog.main:budget", ("prog.main:budget",)),
        ("main:budget", ("prog.main:budget",)),
        ("prog.main:Base.budget", ("prog.main:Base.budget",)),
        ("Base.budget", ("prog.main:Base.budget", "prog.main:Deep.Base.budget")),
        ("Deep.Base.budget", ("prog.main:Deep.Base.budget",)),
        ("Derived.budget", ("prog.main:Base.budget",)),
        ("main:Derived.budget", ("prog.main:Base.budget",)),
        ("Derived.use.budget", ("prog.main:Derived.use.budget",)),
        ("use.budget", ("prog.main:Derived.use.budget",)),
        ("prog.main:budget_of", ("prog.main:budget_of",)),
        ("main:budget_of()", ("prog.main:budget_of",)),
        ("ain:budget", ()),
        ("ase.budget", ()),
        ("Other.budget", ()),
        ("other:Base.budget", ()),
    ],
)
def test_whole_parts_are_compared_from_the_end(name: str, names: tuple[str, ...]) -> None:
    assert chosen(name) == names


@pytest.mark.parametrize(
    ("name", "bare", "qualified"),
    [
        ("budget", "budget", False),
        ("a:budget", "budget", True),
        ("A.budget", "budget", True),
        ("f()", "f", False),
        (" a.b ", "b", True),
    ],
)
def test_the_bare_name(name: str, bare: str, qualified: bool) -> None:
    assert (Wanted(name).bare, Wanted(name).is_qualified) == (bare, qualified)
