"""What the slice claims, checked against random programs whose true flows are known (see `random_flows` and `walks`)."""

from __future__ import annotations

from random import Random

import pytest
from flow.drawn_flows import EXACT, Features, Maker
from flow.random_flows import SEED, START, Flows
from flow.walks import TooLong, reached
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from sgmem.flow.frontier import Budget
from sgmem.flow.seeds import Seeds
from sgmem.flow.slicer import Slicer
from sgmem.flow.wanted import Wanted
from sgmem.program.program import Program
from sgmem.queries.options import TraceOptions
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

NO_LIMIT = Budget(states=100_000, derivations=1_000, fields=1_000, through_constructors=True)
repeatable = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)


@st.composite
def programs(draw: st.DrawFn, features: Features = Features()) -> Flows:
    return Maker(draw(st.randoms(use_true_random=False)), features).program()


def known(flows: Flows) -> set[int]:
    try:
        return reached(flows)
    except TooLong:
        assume(False)
        raise


def tree_of(flows: Flows) -> SourceTree:
    return SourceTree.from_texts({flows.path: flows.text})


def covered(flows: Flows) -> set[int]:
    tree = tree_of(flows)
    slicer = Slicer(Program(tree, tuple(tree.files)), NO_LIMIT)
    seeds = Seeds(slicer, SEED)
    seeds.wanted, _ = Wanted(f"{START}.{SEED}").choose(slicer.program, seeds.bearers())
    seeds.plant()
    slicer.run()
    return {line for key in slicer.slice.sites for line in range(key.span.line, key.span.end_line + 1)}


def shown(flows: Flows, lines: set[int]) -> str:
    return "\n".join(f"{'>>' if n in lines else '  '} {n:3} {line}" for n, line in enumerate(flows.text.splitlines(), 1))


@repeatable
@given(programs())
def test_every_line_that_the_value_truly_reaches_has_a_site(flows: Flows) -> None:
    missed = known(flows) - covered(flows)
    assert not missed, shown(flows, missed)


@repeatable
@given(programs())
def test_nothing_is_reached_in_a_function_that_nothing_leads_to(flows: Flows) -> None:
    wrong = covered(flows) & flows.island
    assert not wrong, shown(flows, wrong)


@repeatable
@given(programs(EXACT))
def test_without_shared_places_the_slice_is_exact(flows: Flows) -> None:
    """Numbers and pairs, calls and branches: nothing is reached but what the value truly reaches."""
    truly = known(flows) | {flows.functions[START].line}
    wrong = covered(flows) ^ truly
    assert not wrong, shown(flows, wrong)


@settings(repeatable, max_examples=25)
@given(programs(Features(functions=4, statements=4)))
def test_a_whole_trace_holds_together(flows: Flows) -> None:
    result = trace(tree_of(flows), f"{START}.{SEED}", TraceOptions(hops="all"))
    sites = {site.id: site for site in result.sites}
    assert len(sites) == len(result.sites)
    lines = flows.text.splitlines()
    for site in result.sites:
        assert 1 <= site.line <= site.end_line <= len(lines)
        assert (site.line, site.column) < (site.end_line, site.end_column)
        assert site.end_column <= len(lines[site.end_line - 1]) + 1
    for flow in result.flows:
        assert {flow.source, flow.target} <= set(sites)
    for formula in result.formulas:
        assert sites[formula.site].role == "formula"
        assert {one.origin for one in formula.inputs} <= {*sites, None}


@settings(repeatable, max_examples=25)
@given(programs(Features(functions=4, statements=4)), st.sampled_from(["back", "forward"]), st.integers(1, 3))
def test_options_only_take_away(flows: Flows, direction: str, depth: int) -> None:
    def asked(**options: object) -> set[tuple[str, int, int]]:
        found = trace(tree_of(flows), f"{START}.{SEED}", TraceOptions(**options))  # type: ignore[arg-type]
        return {(site.role, site.line, site.column) for site in found.sites}

    whole = asked()
    assert asked(direction=direction) <= whole
    assert asked(depth=depth) <= asked(depth=depth + 1)
    assert asked(writes=True) <= whole
    assert asked(min_confidence="high") <= asked(min_confidence="medium") <= whole


@pytest.mark.parametrize("kind", ["if flag()", "for ", "class Record", "**{", "*[", ".append(", "def inner", "global ", ".get_", "+="])
def test_the_programs_hold_every_construct(kind: str) -> None:
    """A generator that never draws a construct proves nothing about it."""
    drawn = [Maker(Random(seed), Features()).program() for seed in range(40)]
    assert sum(kind in flows.text for flows in drawn) >= 3


def test_the_value_reaches_far_in_the_programs() -> None:
    far = 0
    for seed in range(40):
        flows = Maker(Random(seed), Features()).program()
        try:
            far += len(reached(flows)) >= 5
        except TooLong:
            continue
    assert far >= 10
