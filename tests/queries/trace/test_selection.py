"""What a trace shows of the slice: `--direction`, `--depth`, `--writes`, `--min-confidence`."""

from __future__ import annotations

import pytest
from flow.small import at, line_of, lines_of, traced

from sgmem.queries.options import TraceOptions

PROGRAM = """
    import torch


    class Args:
        budget: int = 0

        def fill(self, scale):
            self.budget = scale * 3
            self.budget = measured()


    class Runner:
        def __init__(self, budget, free):
            self.budget = budget
            spare = free
            self.rest = self.budget - spare
            show(self.budget)

        def run(self):
            show(self.rest)


    def main(args: Args, options):
        amount = probe()
        args.fill(amount)
        runner = Runner(budget=args.budget, free=gauge())
        other = Runner(options.share, free=gauge())
        show(amount)


    def scaled(args: Args):
        double = args.budget * 2
        show(double)
        return double
"""

ORIGINS = [
    "budget: int = 0",
    "self.budget = scale * 3",
    "self.budget = measured()",
    "def __init__(self, budget, free)",
    "self.budget = budget",
    "amount = probe()",
    "args.fill(amount)",
    "runner = Runner(budget=args.budget",
    "other = Runner(options.share",
]
USES = [
    "self.rest = self.budget - spare",
    "show(self.budget)",
    "show(self.rest)",
    "double = args.budget * 2",
    "show(double)",
    "return double",
]


def covered(**options: object) -> dict[str, bool]:
    lines = lines_of(traced(PROGRAM, "budget", TraceOptions(**options)).sites)  # type: ignore[arg-type]
    return {line.strip(): ("prog/main.py", number) in lines for number, line in enumerate(PROGRAM.splitlines(), 1)}


def test_both_directions_show_where_it_comes_from_and_where_it_goes() -> None:
    lines = covered()
    assert not [code for line, is_kept in lines.items() for code in ORIGINS + USES if line.startswith(code) and not is_kept]
    assert not lines["show(amount)"]


def test_back_shows_only_where_it_comes_from() -> None:
    lines = covered(direction="back")
    assert not [code for line, is_kept in lines.items() for code in ORIGINS if line.startswith(code) and not is_kept]
    assert not [code for line, is_kept in lines.items() for code in USES if line.startswith(code) and is_kept]
    assert not lines["spare = free"], "another input of a formula further on is no origin"


def test_forward_shows_only_where_it_goes() -> None:
    lines = covered(direction="forward")
    assert not [code for line, is_kept in lines.items() for code in USES if line.startswith(code) and not is_kept]
    for code in ("budget: int = 0", "self.budget = budget", "self.budget = measured()"):
        assert lines[code], "the parameter's own writes are where it starts"
    for code in ("amount = probe()", "args.fill(amount)", "spare = free"):
        assert not lines[code]


def test_the_two_directions_together_are_the_whole() -> None:
    whole = {(site.role, site.line, site.column) for site in traced(PROGRAM).sites}
    parts = {
        (site.role, site.line, site.column)
        for direction in ("back", "forward")
        for site in traced(PROGRAM, "budget", TraceOptions(direction=direction)).sites  # type: ignore[arg-type]
    }
    inputs = {
        site for site in whole - parts if site[1] in {line_of(PROGRAM, code)[1] for code in ("spare = free", "runner = ", "other = ")}
    }
    assert whole - parts == inputs, "only the origins of what it is combined with are on neither side"


def test_back_has_no_formula_but_those_that_compute_the_parameter() -> None:
    assert [one.target for one in traced(PROGRAM, "budget", TraceOptions(direction="back")).formulas] == ["self.budget"]
    forward = traced(PROGRAM, "budget", TraceOptions(direction="forward"))
    assert {one.target for one in forward.formulas} == {"self.rest", "double"}
    rest = next(one for one in forward.formulas if one.target == "self.rest")
    origins = {one.name: one.origin for one in rest.inputs}
    assert origins["spare"] is None, "where the other inputs come from was not asked for"


BACK = {
    "keywords of a record": (
        """
        from dataclasses import dataclass


        @dataclass
        class Args:
            budget: int = 0
            limit: int = 0


        def main(table):
            mine = probe()
            other = probe()
            return Args(budget=mine, limit=other)
        """,
        ["mine = probe()", "return Args(budget=mine"],
        ["other = probe()"],
    ),
    "setattr": (
        """
        class Args:
            budget = 0
            limit = 0


        def main(args: Args):
            mine = probe()
            other = probe()
            setattr(args, "budget", mine)
            setattr(args, "limit", other)
        """,
        ["mine = probe()", 'setattr(args, "budget"'],
        ["other = probe()", 'setattr(args, "limit"'],
    ),
    "one of several targets": (
        """
        class Args:
            def __init__(self):
                mine = probe()
                other = probe()
                self.limit, self.budget = other, mine
        """,
        ["mine = probe()", "self.limit, self.budget"],
        ["other = probe()"],
    ),
    "an unpacked result": (
        """
        class Args:
            def __init__(self):
                self.limit, self.budget = both()


        def both():
            other = probe()
            mine = probe()
            return other, mine
        """,
        ["mine = probe()", "return other, mine"],
        ["other = probe()"],
    ),
    "a dictionary entry": (
        """
        def main():
            mine = probe()
            other = probe()
            return {"budget": mine, "limit": other}
        """,
        ["mine = probe()", 'return {"budget"'],
        ["other = probe()"],
    ),
    "what a function returns": (
        """
        def budget():
            mine = probe()
            other = probe()
            show(other)
            return mine


        def main():
            share = budget()
            show(share)
        """,
        ["mine = probe()", "return mine", "def budget"],
        ["other = probe()", "share = budget()", "show(share)"],
    ),
    "a local": (
        """
        def main():
            mine = probe()
            other = probe()
            budget = mine
            show(budget)
            show(other)
        """,
        ["mine = probe()", "budget = mine"],
        ["other = probe()", "show(budget)"],
    ),
    "a flag and the spread that carries it": (
        """
        from dataclasses import dataclass, fields


        @dataclass
        class Args:
            budget: int = 0
            limit: int = 0

            @staticmethod
            def add(parser):
                parser.add_argument("--budget")
                parser.add_argument("--limit")

            @classmethod
            def parsed(cls, args):
                return cls(**{f.name: getattr(args, f.name) for f in fields(cls)})


        def main(args: Args):
            show(args.budget)
        """,
        ['parser.add_argument("--budget")', "return cls(**"],
        ['parser.add_argument("--limit")', "show(args.budget)"],
    ),
    "through the caller of a caller": (
        """
        def outer(amount):
            inner(amount)


        def inner(budget):
            show(budget)


        def main():
            mine = probe()
            other = probe()
            outer(mine)
            show(other)
        """,
        ["mine = probe()", "outer(mine)", "inner(amount)", "def inner(budget)"],
        ["other = probe()", "show(budget)"],
    ),
}


@pytest.mark.parametrize("name", BACK)
def test_where_values_come_from(name: str) -> None:
    source, wanted, unwanted = BACK[name]
    lines = lines_of(traced(source, "budget", TraceOptions(direction="back")).sites)
    assert not [code for code in wanted if line_of(source, code) not in lines]
    assert not [code for code in unwanted if line_of(source, code) in lines]


# -- depth ----------------------------------------------------------------------------------------------------------------------------

STEPS = """
    def start(budget):
        one = budget
        two = one
        three = two
        show(three)


    def main():
        first = probe()
        second = first
        start(second)
"""


@pytest.mark.parametrize(
    ("depth", "last", "first"),
    [(1, "two = one", "start(second)"), (2, "three = two", "second = first"), (3, "show(three)", "first = probe()")],
)
def test_depth_limits_the_hops_both_ways(depth: int, last: str, first: str) -> None:
    result = traced(STEPS, "budget", TraceOptions(depth=depth))
    forward = [code for code in ("two = one", "three = two", "show(three)") if at(result, line_of(STEPS, code))]
    assert forward[-1] == last
    back = [code for code in ("start(second)", "second = first", "first = probe()") if at(result, line_of(STEPS, code))]
    assert back[-1] == first


def test_a_depth_beyond_the_end_changes_nothing() -> None:
    assert traced(STEPS, "budget", TraceOptions(depth=40)).sites == traced(STEPS).sites


def test_the_shortest_way_counts() -> None:
    source = """
        class Args:
            budget = 0


        def start(args: Args):
            one = args.budget
            two = one
            two = args.budget
            show(two)
    """
    result = traced(source, "budget", TraceOptions(depth=1))
    assert at(result, line_of(source, "show(two)"))
    assert at(result, line_of(source, "two = one"))
    longer = traced(source.replace("two = args.budget", "pass"), "budget", TraceOptions(depth=1))
    assert not at(longer, line_of(source, "show(two)"))


def test_a_stop_by_depth_is_no_stop_by_a_budget() -> None:
    result = traced(STEPS, "budget", TraceOptions(depth=1))
    assert not [one for one in result.unresolved if "could not be resolved" not in one.why]


# -- writes and confidence ------------------------------------------------------------------------------------------------------------


def test_writes_are_what_sets_the_parameter() -> None:
    result = traced(PROGRAM, "budget", TraceOptions(writes=True))
    assert {site.role for site in result.sites} <= {"declaration", "write", "store"}
    lines = lines_of(result.sites)
    for code in ("budget: int = 0", "self.budget = scale * 3", "self.budget = measured()", "self.budget = budget"):
        assert line_of(PROGRAM, code) in lines, code
    for code in ("self.rest = ", "show(self.budget)", "double = "):
        assert line_of(PROGRAM, code) not in lines, code


GRADES = """
    class Args:
        budget = 0


    class Twin:
        budget = 0


    def start(args: Args, twin, whatever):
        show(args.budget)
        show(twin.budget)
        show(whatever.budget)
"""


@pytest.mark.parametrize(
    ("least", "kept"),
    [
        ("low", ["show(args.budget)", "show(twin.budget)", "show(whatever.budget)"]),
        ("medium", ["show(args.budget)", "show(twin.budget)"]),
        ("high", ["show(args.budget)"]),
    ],
)
def test_min_confidence_drops_weaker_joins(least: str, kept: list[str]) -> None:
    result = traced(GRADES, "budget", TraceOptions(min_confidence=least))  # type: ignore[arg-type]
    shown = [code for code in ("show(args.budget)", "show(twin.budget)", "show(whatever.budget)") if at(result, line_of(GRADES, code))]
    assert shown == kept
    order = ("low", "medium", "high")
    assert all(order.index(site.confidence) >= order.index(least) for site in result.sites)


def test_options_combine() -> None:
    result = traced(PROGRAM, "budget", TraceOptions(direction="back", depth=1, writes=True))
    lines = lines_of(result.sites)
    assert line_of(PROGRAM, "self.budget = measured()") in lines
    assert line_of(PROGRAM, "amount = probe()") not in lines


def test_hops_does_not_change_what_is_found() -> None:
    assert traced(PROGRAM, "budget", TraceOptions(hops="all")).sites == traced(PROGRAM).sites


def test_every_flow_and_origin_is_a_site_that_is_shown() -> None:
    for options in (
        TraceOptions(),
        TraceOptions(direction="back"),
        TraceOptions(direction="forward"),
        TraceOptions(depth=1),
        TraceOptions(writes=True),
        TraceOptions(to="show"),
        TraceOptions(min_confidence="high"),
    ):
        result = traced(PROGRAM, "budget", options)
        known = {site.id for site in result.sites}
        assert len(known) == len(result.sites)
        for flow in result.flows:
            assert {flow.source, flow.target} <= known
        for formula in result.formulas:
            assert formula.site in known
            assert {one.origin for one in formula.inputs} <= {*known, None}
            assert {via for one in formula.inputs for via in one.via} <= known
            assert formula.guard is None or formula.guard in known
        for row in result.after_construction:
            assert set(row.sites) <= known
