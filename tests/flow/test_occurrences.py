"""Which place a name stands for, and how sure that is."""

from __future__ import annotations

import pytest
from flow.small import program_of

from sgmem.flow.occurrences import CONFIDENCE, Occurrence, Occurrences, literal_keys
from sgmem.flow.places import Field, GlobalVariable, LooseField, Parameter, Variable


def found(source: str | dict[str, str], name: str, kind: str = "reads") -> list[tuple[str, str, int]]:
    """The occurrences of a name as (place, grade, line)."""
    seen: tuple[Occurrence, ...] = getattr(Occurrences(program_of(source)), kind)(name)
    return [(str(one.place).removeprefix("prog.main:"), one.grade, one.node.span.line) for one in seen]


RECORDS = """
    class Args:
        budget = 1
        other = 2


    class Base:
        def __init__(self):
            self.share = 0


    class Derived(Base):
        pass


    class Stranger:
        share = 0
"""


@pytest.mark.parametrize(
    ("body", "place", "grade"),
    [
        ("def use(args: Args): show(args.budget)", "Args.budget", "same"),
        ("def use(thing: Derived): show(thing.share)", "Base.share", "hierarchy"),
        ("def use(): show(Args().budget)", "Args.budget", "same"),
        ("def use(thing: Args | None): show(thing.budget)", "Args.budget", "same"),
        ("def use(things: list[Args]): show(things[0].budget)", "Args.budget", "same"),
        ("def use(): show(Args.budget)", "Args.budget", "same"),
        ("def use(args): show(args.budget)", "Args.budget", "instance"),
        ("def use(self): show(self.args.budget)", "Args.budget", "instance"),
        ("def use(whatever): show(whatever.budget)", "?.budget", "name"),
        ("def use(derived): show(derived.share)", "Base.share", "instance"),
    ],
)
def test_a_field_is_found_by_type_then_by_the_naming_of_the_object_then_loosely(body: str, place: str, grade: str) -> None:
    name = "share" if "share" in body else "budget"
    places = [one[:2] for one in found(f"{RECORDS}\n\n    {body}\n", name)]
    assert (place, grade) in places
    if name == "share":
        assert ("Stranger.share", "same") not in places


def test_a_known_class_without_the_field_is_not_joined_with_another_class() -> None:
    """An attribute that some proxy adds is the object's own, whoever else has one of that name."""
    source = f"{RECORDS}\n\n    def use(thing: Stranger): show(thing.budget)\n"
    assert [one[:2] for one in found(source, "budget")] == [("Stranger.budget", "hierarchy")]


def test_what_leads_out_of_the_program_is_no_place() -> None:
    assert found("import torch\n\n\ndef use(): show(torch.budget)\n", "budget") == []


def test_a_variable_that_spells_a_class_without_the_field_is_loose() -> None:
    assert found(f"{RECORDS}\n\n    def use(stranger): show(stranger.budget)\n", "budget")[0][:2] == (
        "?.budget",
        "name",
    )


GLOBALS = {
    "main": """
        from prog import limits
        from prog.limits import budget as again

        budget = 1


        def use():
            show(budget)
            show(limits.budget)
            show(again)


        def shadow(budget):
            show(budget)
    """,
    "limits": """
        budget = 3
    """,
}


def test_globals_are_told_apart_by_module() -> None:
    places = {(place, line) for place, _, line in found(GLOBALS, "budget")}
    assert ("budget", 9) in places
    assert ("prog.limits:budget", 10) in places
    assert ("shadow.budget", 15) in places


def test_an_imported_global_is_the_module_s_under_its_new_name() -> None:
    assert ("prog.limits:budget", "same", 11) in found(GLOBALS, "again")


def test_writes_of_globals_from_functions() -> None:
    source = """
        budget = None


        def set_it(value):
            global budget
            budget = value


        def local(value):
            budget = value
    """
    writes = found(source, "budget", "writes")
    assert [place for place, _, line in writes if line == 7] == ["budget"]
    assert [place for place, _, line in writes if line == 11] == ["local.budget"]


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        ("self.budget = 1", ["Args.budget"]),
        ("self.budget += 1", ["Args.budget"]),
        ("self.budget: int = 1", ["Args.budget"]),
        ("self.other, self.budget = 1, 2", ["Args.budget"]),
        ("for self.budget in (1, 2): pass", ["Args.budget"]),
        ("with opened() as self.budget: pass", ["Args.budget"]),
        ("setattr(self, 'budget', 1)", ["Args.budget"]),
        ("budget = 1", ["Args.change.budget"]),
        ("if (budget := 1): pass", ["Args.change.budget"]),
        ("show([budget := one for one in things])", ["Args.change.budget"]),
        ("del self.budget", []),
        ("self.other = self.budget", []),
        ("setattr(self, 'other', 1)", []),
        ("setattr(self, name, 1)", []),
        ("self.budget == 1", []),
        ("self.table['budget'] = 1", []),
    ],
)
def test_writes(statement: str, expected: list[str]) -> None:
    source = f"class Args:\n    budget = 0\n    other = 0\n\n    def change(self, name, things):\n        {statement}\n"
    assert [place for place, _, line in found(source, "budget", "writes") if line == 6] == expected


@pytest.mark.parametrize(
    ("expression", "reads"),
    [
        ("getattr(args, 'budget')", 1),
        ("getattr(args, 'budget', 3)", 1),
        ("getattr(args, name)", 0),
        ("getattr(args, 'other')", 0),
        ("args.budget + args.budget", 2),
        ("[budget for budget in things]", 0),
        ("(lambda budget: budget)(1)", 0),
        ("args.table['budget']", 0),
        ("args.budget.real", 1),
    ],
)
def test_reads(expression: str, reads: int) -> None:
    source = f"class Args:\n    budget = 0\n\n\ndef use(args: Args, name, things):\n    return {expression}\n"
    assert len([one for one in found(source, "budget") if one[0] == "Args.budget"]) == reads


def test_an_assignment_does_not_read_its_target() -> None:
    source = """
        class Args:
            budget = 0


        def change(args: Args):
            args.budget = 1
            args.budget += 1
            args.budget.real = 2
    """
    assert [line for _, _, line in found(source, "budget")] == [8, 9]


def test_owners_are_the_topmost_classes_that_have_the_field() -> None:
    occurrences = Occurrences(program_of(RECORDS))
    assert [owner.name for owner in dict.fromkeys(occurrences.owners("share"))] == ["Base", "Stranger"]
    assert not occurrences.is_lonely("share")


def test_parameters_and_functions_are_found_by_name() -> None:
    source = """
        def take(budget, *, other): pass


        def budget(): pass


        class Args:
            @property
            def budget(self): pass

            @budget.setter
            def budget(self, value): pass
    """
    occurrences = Occurrences(program_of(source))
    assert [str(one) for one in occurrences.parameters("budget")] == ["prog.main:take.budget"]
    assert [one.qualified for one in occurrences.functions("budget")] == ["prog.main:budget", "prog.main:Args.budget"]
    assert [str(one) for one in occurrences.parameters("other")] == ["prog.main:take.other"]
    assert not list(occurrences.parameters("missing"))


def test_nonlocal_writes_the_variable_of_the_function_around() -> None:
    source = """
        def outer():
            budget = 0

            def inner():
                nonlocal budget
                budget = 1

            def twin():
                budget = 2
    """
    writes = found(source, "budget", "writes")
    assert [place for place, _, line in writes] == ["outer.budget", "outer.budget", "outer.twin.budget"]


def test_grades_map_to_confidence() -> None:
    assert CONFIDENCE == {"same": "high", "hierarchy": "high", "instance": "medium", "name": "low"}
    assert literal_keys("page_size") == ("page_size", "--page-size")


def test_places_name_themselves() -> None:
    program = program_of("budget = 1\n\n\nclass Args:\n    budget = 2\n\n    def use(self, budget):\n        share = budget\n")
    occurrences = Occurrences(program)
    kinds = {type(one.place): str(one.place) for one in occurrences.writes("budget")}
    kinds |= {Parameter: str(next(iter(occurrences.parameters("budget"))))}
    kinds |= {Variable: str(occurrences.writes("share")[0].place), LooseField: str(LooseField("budget"))}
    assert kinds == {
        GlobalVariable: "prog.main:budget",
        Field: "prog.main:Args.budget",
        Parameter: "prog.main:Args.use.budget",
        Variable: "prog.main:Args.use.share",
        LooseField: "?.budget",
    }


TWINS = {
    "left/settings": "class Settings:\n    budget = 1\n",
    "right/settings": "class Settings:\n    budget = 2\n",
    "left/user": "def use(holder):\n    return holder.settings.budget\n",
    "right/deep/user": "def use(holder):\n    return holder.settings.budget\n",
    "main": "def use(holder):\n    return holder.settings.budget\n",
    "left/guest": "from prog.right.settings import Settings\n\ndef use(holder):\n    return holder.settings.budget\n",
}


def test_of_two_classes_of_a_name_a_variable_spells_the_one_that_its_file_knows_or_that_is_nearest() -> None:
    seen = Occurrences(program_of(TWINS)).reads("budget")
    places: dict[str, set[str]] = {}
    for one in seen:
        places.setdefault(one.file.module, set()).add(str(one.place))
    left, right = "prog.left.settings:Settings.budget", "prog.right.settings:Settings.budget"
    assert places == {"prog.left.user": {left}, "prog.right.deep.user": {right}, "prog.main": {left, right}, "prog.left.guest": {right}}
