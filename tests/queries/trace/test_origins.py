"""Where a trace says a value was born, and what it takes for arithmetic: small programs in the shape of a memory budget."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from flow.small import at, line_of, traced

from sgmem.queries.options import TraceOptions

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Formula, Site, Trace

SIZING = """
    from dataclasses import dataclass


    def get_available_gpu_memory(device):
        total = probe(device)
        used = 1
        return total - used


    @dataclass
    class Args:
        fraction: float = 0.9
        cap: int = None
        page: int = 1


    class Runner:
        def __init__(self, args: Args):
            self.args = args
            before = get_available_gpu_memory(0)
            load(before)
            self.tokens = self.profile(before)
            self.requests = self.tokens // 2
            if args.cap is not None:
                self.tokens = min(self.tokens, args.cap)
            self.tokens = self.tokens // args.page * args.page
            self.pool = Pool(self.tokens)

        def profile(self, before):
            after = get_available_gpu_memory(0)
            rest = after - before * (1 - self.args.fraction)
            return int(rest * (1 << 30)) // cell()


    class Pool:
        def __init__(self, size):
            self.buffer = zeros((size + 1, 64))


    class Worker:
        def __init__(self, runner: Runner):
            self.longest = runner.tokens - 5
"""


def formula(result: Trace, line: tuple[str, int]) -> Formula:
    sites = {site.id for site in at(result, line, "formula")}
    found = [one for one in result.formulas if one.site in sites]
    assert len(found) == 1, (line, [one.text for one in found])
    return found[0]


def origin(result: Trace, line: tuple[str, int], name: str) -> Site:
    given = [one.origin for one in formula(result, line).inputs if one.name == name]
    assert len(given) == 1, given
    return next(site for site in result.sites if site.id == given[0])


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("self.tokens = min(self.tokens, args.cap)", "self.tokens"),
        ("self.tokens = self.tokens // args.page", "self.tokens"),
        ("self.requests = self.tokens // 2", "self.tokens"),
        ("self.longest = runner.tokens - 5", "runner.tokens"),
        ("zeros((size + 1, 64))", "size"),
    ],
)
def test_a_capped_and_aligned_amount_comes_from_its_computation(code: str, name: str) -> None:
    result = traced(SIZING, "tokens")
    assert origin(result, line_of(SIZING, code), name).line == line_of(SIZING, "return int(rest")[1]


def test_the_cap_itself_comes_from_its_declaration() -> None:
    result = traced(SIZING, "tokens")
    born = origin(result, line_of(SIZING, "self.tokens = min("), "args.cap")
    assert (born.role, born.line) == ("declaration", line_of(SIZING, "cap: int = None")[1])


@pytest.mark.parametrize("direction", ["back", "both"])
def test_the_way_back_goes_on_through_arithmetic(direction: str) -> None:
    result = traced(SIZING, "tokens", TraceOptions(direction=direction))  # type: ignore[arg-type]
    line = line_of(SIZING, "rest = after")
    assert [one.name for one in formula(result, line).inputs] == ["after", "before", "self.args.fraction"]
    assert origin(result, line, "after").role == "measurement"
    assert origin(result, line, "before").line == line_of(SIZING, "before = get")[1]
    assert origin(result, line, "self.args.fraction").line == line_of(SIZING, "fraction: float")[1]


def test_what_a_gauge_computes_inside_is_not_followed_out_of_it() -> None:
    result = traced(SIZING, "total")
    assert at(result, line_of(SIZING, "return total - used"))
    assert not at(result, line_of(SIZING, "before = get"))
    assert not at(result, line_of(SIZING, "rest = after"))


def test_what_is_written_into_the_parameter_is_the_parameter() -> None:
    """The aligned amount is stored into the field itself: a pool that takes the field takes the parameter."""
    result = traced(SIZING, "tokens")
    line = line_of(SIZING, "self.pool = Pool(self.tokens)")
    assert [site.derived for site in at(result, line, "sink")] == [False]
    assert not any(site.derived for site in at(result, line))


def test_arithmetic_inside_a_display_is_a_formula() -> None:
    result = traced(SIZING, "tokens")
    found = formula(result, line_of(SIZING, "zeros((size + 1, 64))"))
    assert (found.text, found.target) == ("size + 1", "zeros()")


@pytest.mark.parametrize(
    "code",
    [
        'text = "n "; text += f"{budget}"',
        'text = "share %s" % budget',
        "rows = [0] * budget",
        "head = rows[: budget + 1]",
        "twice = (budget, budget)",
    ],
)
def test_what_computes_no_number_from_other_values_is_no_formula(code: str) -> None:
    result = traced(f"def use(budget, rows):\n    {code}\n    print(rows)\n")
    assert result.formulas == ()


@pytest.mark.parametrize("code", ["x = budget * rows", "x = rows[0] - budget", "x = min(budget, rows)", "budget -= rows"])
def test_what_does_is_one(code: str) -> None:
    result = traced(f"def use(budget, rows):\n    {code}\n    print(budget)\n")
    assert len(result.formulas) == 1


def test_an_attribute_of_the_holder_is_not_the_entry_it_holds() -> None:
    source = """
        def make(budget):
            return {"budget": budget}

        def use():
            held = make(3)
            show(held["budget"])
            show(held.hidden)
            show(held["other"])
    """
    result = traced(source)
    assert at(result, line_of(source, 'held["budget"]'))
    assert not at(result, line_of(source, "held.hidden"))
    assert not at(result, line_of(source, 'held["other"]'))


def test_how_a_file_is_started_is_no_condition_of_what_it_calls() -> None:
    source = """
        def use(budget):
            show(budget)

        if __name__ == "__main__":
            if ready:
                use(3)
    """
    result = traced(source)
    assert [site.when for site in at(result, line_of(source, "show(budget)"), "read", "pass")] == [("ready",)]


def test_a_class_s_own_attribute_is_not_what_an_instance_was_given() -> None:
    source = """
        class Args:
            budget: float = 0.9

            def __init__(self, given):
                self.budget = given

        def flags(parser):
            parser.add_argument("--budget", default=Args.budget)

        def use(args: Args):
            show(args.budget)
    """
    result = traced(source)
    sites = {site.id: site for site in result.sites}
    into: dict[int, set[int]] = {}
    for flow in result.flows:
        into.setdefault(sites[flow.target].line, set()).add(sites[flow.source].line)
    declared, given, flag, read = (
        line_of(source, code)[1] for code in ("budget: float", "self.budget = given", "default=Args.budget", "show(args.budget)")
    )
    assert {declared, given} <= into[read]
    assert declared in into[flag]
    assert given not in into[flag]


def test_a_comment_inside_a_statement_is_not_shown() -> None:
    source = """
        def use(budget, rows):
            x = (
                budget  # as given
                + len("#")
                * rows
            )
            return x
    """
    assert traced(source).formulas[0].text == 'budget + len("#") * rows'


def test_where_there_are_many_formulas_what_computes_an_input_is_named_by_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
        def start(args, left, right):
            share = left + right
            args.budget = share * 2
    """
    line = line_of(source, "share * 2")
    whole = traced(source)
    assert sorted(one.text for one in whole.formulas) == ["left + right", "share * 2"]
    monkeypatch.setattr("sgmem.queries.trace.formulas.ENOUGH", 1)
    few = traced(source)
    assert [one.text for one in few.formulas] == ["share * 2"]
    assert origin(few, line, "share").line == origin(whole, line, "share").line == line_of(source, "left + right")[1]
    assert [row.why for row in whole.unresolved] == []
    assert [row.why for row in few.unresolved] == [
        "1 computations of inputs are named and not shown as formulas: there are 1 nearer ones"
    ]


@pytest.mark.parametrize(("field", "told"), [("limit", False), ("budget", True), ("_budget", True)])
def test_only_places_of_the_parameters_name_are_followed_back(field: str, told: bool) -> None:
    source = """
        class Holder:
            def start(self, budget, count):
                other = count * 3
                self.FIELD = budget or other
    """.replace("FIELD", field)
    result = traced(source)
    assert ("count * 3" in [one.text for one in result.formulas]) is told


def test_where_there_are_very_many_formulas_inputs_are_named_only_and_that_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    source = """
        def start(budget):
            share = probe()
            show(budget * share)
            show(budget + share)
    """
    monkeypatch.setattr("sgmem.queries.trace.formulas.MANY", 1)
    result = traced(source)
    assert [[one.name for one in row.inputs] for row in result.formulas] == [["budget", "share"], ["budget", "share"]]
    assert [all(one.origin is None for one in row.inputs) for row in result.formulas] == [False, True]
    assert [row.why for row in result.unresolved if "formulas" in row.why] == [
        "the inputs of 1 formulas are not followed back: there are 1 nearer ones"
    ]
