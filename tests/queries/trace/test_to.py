"""`--to CALLEE` keeps exactly the paths that end in an argument of that callee."""

from __future__ import annotations

import pytest
from flow.small import at, line_of, lines_of, traced

from sgmem.config.errors import NothingAnalysed
from sgmem.queries.options import TraceOptions

POOLS = """
    import torch
    import torch as th
    from torch import zeros
    from torch import zeros as blank

    from elsewhere import Buffer


    class Args:
        budget: int = 0


    class Pool:
        def __init__(self, size, page_size):
            self.size = size
            self.page_size = page_size
            shape = (size + page_size, 4)
            self.keys = [torch.zeros(shape, dtype=torch.uint8) for _ in range(8)]
            self.mask = torch.ones(page_size)

        def grow(self, more):
            self.keys.append(torch.empty(self.size + more))


    class LatentPool(Pool):
        pass


    class Sized:
        def __init__(self, size):
            self.size = size


    def start(args: Args, limit):
        tokens = args.budget // 2
        pages = args.budget * 3
        pool = Pool(tokens, limit)
        latent = LatentPool(size=tokens, page_size=limit)
        sized = Sized(pages)
        show(pages)
        log.info(f"{tokens} tokens")
        Buffer(pages)
"""


def to(callee: str, source: str | dict[str, str] = POOLS, name: str = "budget") -> set[tuple[str, int]]:
    return lines_of(traced(source, name, TraceOptions(to=callee)).sites)


def kept(callee: str, source: str = POOLS, name: str = "budget") -> dict[str, bool]:
    """Every line of the program, and whether it is kept (one of those that read the same, at least)."""
    covered = to(callee, source, name)
    lines: dict[str, bool] = {}
    for number, line in enumerate(source.splitlines(), 1):
        lines[line.strip()] = lines.get(line.strip(), False) or ("prog/main.py", number) in covered
    return lines


def test_a_callee_that_is_defined_nowhere_is_reached_through_constructors() -> None:
    lines = kept("torch.zeros")
    for code in (
        "budget: int = 0",
        "tokens = args.budget // 2",
        "pool = Pool(tokens, limit)",
        "latent = LatentPool(size=tokens, page_size=limit)",
        "shape = (size + page_size, 4)",
        "self.keys = [torch.zeros(shape, dtype=torch.uint8) for _ in range(8)]",
    ):
        assert lines[code], code
    for code in (
        "pages = args.budget * 3",
        "self.size = size",
        "self.mask = torch.ones(page_size)",
        "sized = Sized(pages)",
        "show(pages)",
        'log.info(f"{tokens} tokens")',
        "self.keys.append(torch.empty(self.size + more))",
        "Buffer(pages)",
    ):
        assert not lines[code], code


def test_without_it_a_computed_value_ends_at_the_constructor() -> None:
    covered = lines_of(traced(POOLS).sites)
    assert line_of(POOLS, "pool = Pool(") in covered
    assert line_of(POOLS, "shape = ") not in covered


def test_a_path_through_a_field_of_the_object() -> None:
    lines = kept("torch.empty")
    assert lines["self.size = size"]
    assert lines["self.keys.append(torch.empty(self.size + more))"]
    assert not lines["shape = (size + page_size, 4)"]


def test_no_path_keeps_nothing() -> None:
    for callee in ("torch.ones", "Pool.grow"):
        assert to(callee) == set(), callee


def test_a_class_of_the_program() -> None:
    lines = kept("Pool")
    assert lines["pool = Pool(tokens, limit)"]
    assert not lines["shape = (size + page_size, 4)"], "the path ends in the argument"
    assert not lines["sized = Sized(pages)"]
    assert kept("Sized")["sized = Sized(pages)"]
    assert not kept("Sized")["pool = Pool(tokens, limit)"]


def test_a_class_from_outside_the_program() -> None:
    for callee in ("Buffer", "elsewhere.Buffer"):
        lines = kept(callee)
        assert lines["Buffer(pages)"]
        assert lines["pages = args.budget * 3"]
        assert not lines["tokens = args.budget // 2"]


SPELLINGS = """
    import torch
    import torch as th
    from torch import zeros
    from torch import zeros as blank


    def start(budget, numpy):
        torch.zeros(budget)
        th.zeros(budget)
        zeros(budget)
        blank(budget)
        numpy.zeros(budget)
        torch.zeros_like(budget)
"""


@pytest.mark.parametrize(
    ("callee", "codes"),
    [
        ("torch.zeros", {"torch.zeros(budget)", "th.zeros(budget)", "zeros(budget)", "blank(budget)"}),
        ("zeros", {"torch.zeros(budget)", "th.zeros(budget)", "zeros(budget)", "blank(budget)", "numpy.zeros(budget)"}),
        ("th.zeros", {"th.zeros(budget)"}),
        ("numpy.zeros", {"numpy.zeros(budget)"}),
        ("zeros_like", {"torch.zeros_like(budget)"}),
        ("torch", set()),
    ],
)
def test_a_callee_is_known_by_its_spelling_and_by_its_full_name(callee: str, codes: set[str]) -> None:
    lines = kept(callee, SPELLINGS)
    assert {code for code, is_kept in lines.items() if is_kept and code.endswith("(budget)")} == codes


QUALIFIED = """
    class Pool:
        def alloc(self, size):
            return size

        @classmethod
        def build(cls, size):
            return cls()


    class Other:
        def alloc(self, size):
            return size


    def alloc(size):
        return size


    def start(budget, pool: Pool, other: Other):
        pool.alloc(budget)
        other.alloc(budget)
        alloc(budget)
        Pool.build(budget)
"""


@pytest.mark.parametrize(
    ("callee", "codes"),
    [
        ("alloc", {"pool.alloc(budget)", "other.alloc(budget)", "alloc(budget)"}),
        ("Pool.alloc", {"pool.alloc(budget)"}),
        ("prog.main:Pool.alloc", {"pool.alloc(budget)"}),
        ("main:Other.alloc", {"other.alloc(budget)"}),
        ("main:alloc", {"alloc(budget)"}),
        ("Pool.build", {"Pool.build(budget)"}),
        ("more:alloc", set()),
    ],
)
def test_a_callee_of_the_program_may_be_qualified(callee: str, codes: set[str]) -> None:
    lines = kept(callee, QUALIFIED)
    assert {code for code, is_kept in lines.items() if is_kept and code.endswith("(budget)")} == codes


ARGUMENTS = """
    def start(budget, limit, things):
        show(budget)
        show(value=budget)
        show(budget + 1)
        show([0, budget])
        show({"k": budget})
        show(int(budget))
        show(budget if limit else 0)
        show(other(budget))
        show(*[budget])
        show(**{"k": budget})
        show(limit if budget else 0)
        show(budget > 3)
        show(things[budget])
        show(f"{budget}")
        show(len(budget))
        budget.show(limit)
        show(limit)
        show()


    def other(value):
        return value
"""


def test_only_what_is_handed_in_ends_in_an_argument() -> None:
    lines = kept("show", ARGUMENTS)
    for code in (
        "show(budget)",
        "show(value=budget)",
        "show(budget + 1)",
        "show([0, budget])",
        'show({"k": budget})',
        "show(int(budget))",
        "show(budget if limit else 0)",
        "show(other(budget))",
        "return value",
        "show(*[budget])",
        'show(**{"k": budget})',
    ):
        assert lines[code], code
    for code in (
        "show(limit if budget else 0)",
        "show(budget > 3)",
        "show(things[budget])",
        'show(f"{budget}")',
        "show(len(budget))",
        "budget.show(limit)",
        "show(limit)",
        "show()",
    ):
        assert not lines[code], code


def test_a_callee_that_the_value_goes_through() -> None:
    """`int` and `min` hand the value on; it was their argument all the same."""
    source = "def start(budget):\n    share = min(int(budget), 8)\n    show(share)\n    show(budget)\n"
    for callee in ("int", "min"):
        lines = kept(callee, source)
        assert lines["share = min(int(budget), 8)"]
        assert not lines["show(share)"]
        assert not lines["show(budget)"]


def test_two_values_that_pass_the_same_site_are_told_apart() -> None:
    """Only the first goes on to the callee; the second only passes the same helper."""
    source = """
        class Args:
            budget: int = 0


        def same(value):
            return value


        def start(args: Args):
            first = same(args.budget)
            torch.zeros(first)


        def other(args: Args):
            second = same(args.budget)
            show(second)
    """
    lines = kept("torch.zeros", source)
    assert lines["return value"]
    assert lines["first = same(args.budget)"]
    assert lines["torch.zeros(first)"]
    assert not lines["second = same(args.budget)"]
    assert not lines["show(second)"]


def test_a_formula_on_the_path_is_kept_with_the_origins_of_its_inputs() -> None:
    source = """
        def start(budget, free):
            spare = free
            rest = budget - spare
            alone = budget - 1
            torch.zeros(rest)
            show(alone)


        def main():
            start(3, measured())
    """
    result = traced(source, "start.budget", TraceOptions(to="torch.zeros"))
    assert [one.target for one in result.formulas] == ["rest"]
    inputs = {one.name: one.origin for one in result.formulas[0].inputs}
    assert inputs["spare"] in {site.id for site in at(result, line_of(source, "start(3, measured())"))}
    assert at(result, line_of(source, "spare = free"))
    assert not at(result, line_of(source, "alone = "))


@pytest.mark.parametrize(("callee", "meant"), [("torch.zeroes", "zeros"), ("eros", "zeros"), ("", None)])
def test_a_callee_that_is_nowhere_in_the_source_is_an_error(callee: str, meant: str | None) -> None:
    with pytest.raises(NothingAnalysed, match="--to: nothing in") as caught:
        traced(POOLS, options=TraceOptions(to=callee))
    assert caught.value.candidates[:1] == ((meant,) if meant else ())


@pytest.mark.parametrize("callee", ["show", "show()"])
def test_a_callee_that_nothing_reaches_leaves_no_site(callee: str) -> None:
    source = "budget = 1\n\n\ndef use(other):\n    show(other)\n"
    assert traced(source, "budget", TraceOptions(to=callee)).sites == ()
    assert traced(source.replace("other", "budget"), "budget", TraceOptions(to=callee)).sites


def test_flows_join_only_what_is_kept() -> None:
    result = traced(POOLS, "budget", TraceOptions(to="torch.zeros"))
    known = {site.id for site in result.sites}
    assert result.flows
    for flow in result.flows:
        assert {flow.source, flow.target} <= known
    ends = {flow.target for flow in result.flows}
    starts = {flow.source for flow in result.flows}
    last = {site.id for site in at(result, line_of(POOLS, "torch.zeros(shape"))}
    assert ends - starts <= last, "no path ends elsewhere"


def test_a_longer_chain_of_objects_and_arithmetic() -> None:
    """Deeper than a trace without `--to` follows computed values."""
    source = """
        class A:
            def __init__(self, size):
                self.size = size * 2
                self.b = B(self.size)


        class B:
            def __init__(self, size):
                self.size = size + 1
                self.c = C(self.size - 3)


        class C:
            def __init__(self, size):
                self.size = size // 4

            def make(self):
                return torch.zeros(self.size)


        def start(budget):
            return A(budget + 7)
    """
    assert kept("torch.zeros", source)["return torch.zeros(self.size)"]
    assert kept("torch.zeros", source)["return A(budget + 7)"]
