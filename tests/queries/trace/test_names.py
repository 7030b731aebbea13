"""What a NAME means: bare, qualified, cut short, inherited, of every kind; and what is said when it means nothing or too much."""

from __future__ import annotations

import pytest
from flow.small import at, line_of, lines_of, traced

from sgmem.config.errors import NothingAnalysed

PROGRAM = {
    "main": """
        from prog.args import Args, Derived

        budget = 1


        def start(budget):
            share = budget
            show(share)


        def local():
            budget = 2
            show(budget)


        def read(args: Args, derived: Derived):
            show(args.budget)
            show(derived.headroom)


        def give():
            return budget


        class Twin:
            budget = 3

            def use(self):
                show(self.budget)
    """,
    "args": """
        class Args:
            budget = 4
            headroom = 5

            def start(self, budget):
                show(budget)


        class Derived(Args):
            pass


        class Outer:
            class Args:
                size = 6


        def options(table):
            show(table["quota"])


        def start(other):
            show(other)
    """,
}

MEANINGS = [
    ("prog.main:budget", "main", "budget = 1", "def start(budget)"),
    ("main:budget", "main", "budget = 1", "budget = 2"),
    ("prog.main:start.budget", "main", "def start(budget)", "budget = 2"),
    ("main:start.budget", "main", "share = budget", "budget = 1"),
    ("prog.main:local.budget", "main", "budget = 2", "budget = 1"),
    ("local.budget", "main", "show(budget)", "share = budget"),
    ("prog.main:Twin.budget", "main", "show(self.budget)", "show(args.budget)"),
    ("Twin.budget", "main", "budget = 3", "show(args.budget)"),
    ("prog.args:Args.budget", "main", "show(args.budget)", "show(self.budget)"),
    ("args:Args.budget", "args", "budget = 4", "headroom = 5"),
    ("Args.start.budget", "args", "def start(self, budget)", "budget = 4"),
    ("Derived.headroom", "main", "show(derived.headroom)", "show(args.budget)"),
    ("prog.args:Derived.headroom", "args", "headroom = 5", "budget = 4"),
    ("Outer.Args.size", "args", "size = 6", "headroom = 5"),
    ("Args.size", "args", "size = 6", "headroom = 5"),
    ("prog.main:give", "main", "def give", "budget = 2"),
    ("prog.main:give()", "main", "return budget", "budget = 2"),
    ("give", "main", "def give", "budget = 2"),
    ("quota", "args", 'table["quota"]', "show(other)"),
    ("start.other", "args", "show(other)", "show(budget)"),
]


@pytest.mark.parametrize(("name", "module", "code", "twin"), MEANINGS)
def test_a_name_means_its_place_and_no_other(name: str, module: str, code: str, twin: str) -> None:
    covered = lines_of(traced(PROGRAM, name).sites)
    assert line_of(PROGRAM, code, module) in covered
    modules = [each for each in PROGRAM if twin in PROGRAM[each]]
    assert not [line for each in modules if (line := line_of(PROGRAM, twin, each)) in covered]


def test_a_bare_name_means_everything_that_bears_it() -> None:
    result = traced(PROGRAM, "budget")
    for code in ("budget = 1", "budget = 2", "budget = 3", "def start(budget)", "show(args.budget)"):
        assert at(result, line_of(PROGRAM, code)), code
    for code in ("budget = 4", "def start(self, budget)"):
        assert at(result, line_of(PROGRAM, code, "args")), code
    assert not at(result, line_of(PROGRAM, "headroom = 5", "args"))


def test_the_trace_keeps_the_name_as_it_was_asked_for() -> None:
    assert traced(PROGRAM, "Twin.budget").parameter == "Twin.budget"


def failure(name: str, source: dict[str, str] = PROGRAM) -> NothingAnalysed:
    with pytest.raises(NothingAnalysed) as caught:
        traced(source, name)
    assert caught.value.exit_code == 3
    assert repr(name.strip().removesuffix("()")) in caught.value.message
    return caught.value


@pytest.mark.parametrize(
    ("name", "candidates"),
    [
        ("start.budget", ("prog.args:Args.start.budget", "prog.main:start.budget")),
    ],
)
def test_a_qualified_name_that_fits_several_places_is_ambiguous(name: str, candidates: tuple[str, ...]) -> None:
    found = failure(name)
    assert found.candidates == candidates
    assert "2 places" in found.message
    for candidate in candidates:
        traced(PROGRAM, candidate)


def test_the_same_class_name_in_two_modules_is_ambiguous() -> None:
    source = {"main": "class Args:\n    budget = 1\n", "more": "class Args:\n    budget = 2\n"}
    assert failure("Args.budget", source).candidates == ("prog.main:Args.budget", "prog.more:Args.budget")
    result = traced(source, "more:Args.budget")
    assert {site.path for site in result.sites} == {"prog/more.py"}


@pytest.mark.parametrize("name", ["Nothing.budget", "prog.main:Args.budget", "prog.other:budget", "local.nested.budget"])
def test_an_unknown_qualifier_lists_the_places_that_bear_the_name(name: str) -> None:
    candidates = failure(name).candidates
    assert "prog.args:Args.budget" in candidates
    assert "prog.main:budget" in candidates
    for candidate in candidates:
        assert traced(PROGRAM, candidate).sites


def test_a_name_that_nothing_bears_lists_what_looks_like_it() -> None:
    assert failure("budgets").candidates[0] == "budget"
    assert failure("headrom").candidates[0] == "headroom"
    assert failure("zzzzzz").candidates == ()
    assert failure("Args.headrom").candidates[0] == "headroom"


def test_a_class_is_no_value() -> None:
    found = failure("Derived")
    assert found.hint is not None
    assert "class" in found.hint
    assert "Derived" not in found.candidates


@pytest.mark.parametrize("name", ["", ":", ".", "a b", "budget.", "@budget", "prog.main:", "3", "budget\n:()", "*", "é\x00"])
def test_what_is_no_name_is_not_found(name: str) -> None:
    failure(name)


def test_words_in_comments_and_strings_are_no_places() -> None:
    failure("quotas", {"main": '"""About quotas."""\n\n# quotas\nshow("quotas")\n'})


def test_a_local_that_is_assigned_twice_is_one_name() -> None:
    source = {"main": "def start(flag):\n    share = 1\n    if flag:\n        share = 2\n    show(share)\n"}
    covered = lines_of(traced(source, "start.share").sites)
    assert {line for _, line in covered} == {2, 4, 5}


def test_a_flag_belongs_to_the_class_that_declares_it() -> None:
    source = {
        "main": """
            from dataclasses import dataclass


            @dataclass
            class Args:
                budget: int = 0

                @staticmethod
                def add(parser):
                    parser.add_argument("--budget", type=int)


            @dataclass
            class Twin:
                budget: int = 0


            def add(parser):
                parser.add_argument("--budget", type=float)
        """
    }
    own, other = line_of(source, "type=int"), line_of(source, "type=float")
    covered = lines_of(traced(source, "Args.budget").sites)
    assert own in covered
    assert other not in covered
    assert own not in lines_of(traced(source, "Twin.budget").sites)
    assert {own, other} <= lines_of(traced(source, "budget").sites)


def test_a_file_that_cannot_be_read_is_named_where_it_may_hold_the_name() -> None:
    found = failure("quota", {"main": "def start(quota:\n    show(quota)\n"})
    assert found.hint is not None
    assert "prog/main.py" in found.hint
    assert failure("quota", {"main": "show(1)\n"}).hint is None


def test_a_broken_file_does_not_keep_the_others_from_being_traced() -> None:
    source = {"main": "def start(quota):\n    show(quota)\n", "broken": "def start(quota:\n"}
    result = traced(source, "quota")
    assert {site.path for site in result.sites} == {"prog/main.py"}
    assert [row.path for row in result.source.unreadable] == ["prog/broken.py"]


def test_names_need_not_be_ascii() -> None:
    source = {"main": "def start(größe, breite):\n    wert = größe\n    show(wert)\n    show(breite)\n"}
    covered = lines_of(traced(source, "größe").sites)
    assert {line for _, line in covered} == {1, 2, 3}
    (site,) = (one for one in traced(source, "start.größe").sites if one.line == 2)
    assert (site.column, site.end_column) == (12, 17)


@pytest.mark.parametrize("name", ["--head-room", "head-room", "head_room\n", "self.head_room", " head_room() "])
def test_a_name_as_a_user_has_it_at_hand(name: str) -> None:
    """The flag of the command line, a line copied from the code."""
    result = traced("class Args:\n    head_room = 5\n", name)
    assert [site.code for site in result.sites] == ["head_room = 5"]
    assert result.parameter == "head_room"


def test_an_endless_name_is_cut_in_the_error() -> None:
    with pytest.raises(NothingAnalysed) as caught:
        traced("budget = 1\n", "x" * 100_000)
    assert len(caught.value.message) < 400


LONG = "budget = [" + "1, " * 30_000 + "]\n"


def test_a_name_that_stands_only_in_what_cannot_be_read_is_said_to_stand_there() -> None:
    hint = failure("budget", {"main": LONG}).hint
    assert hint == "prog/main.py:1 holds it, and is too long, too deeply nested or too new to be read"
    assert failure("budget", {"main": "other = 1\n"}).hint is None


def test_what_could_not_be_read_is_among_what_was_not_followed() -> None:
    result = traced(LONG + "budget = 1\nshare = budget\n")
    assert [(one.line, one.why) for one in result.unresolved] == [(1, "too long, too deeply nested or too new to be read")]
    assert not traced("budget = 1\nshare = budget\n").unresolved
