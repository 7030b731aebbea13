"""What the analyses claim, checked against runs of random programs."""

from __future__ import annotations

import math
from itertools import pairwise, product
from random import Random
from typing import TYPE_CHECKING

import networkx as nx
import pytest
from control.programs import VARIABLES, Node, Run, analysed, every, guarded, number_from, pattern, programs
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sgmem.control.cfg import ENTRY, EXIT, RAISED, Cfg
from sgmem.control.conditions import ScopeConditions, conjunction
from sgmem.control.dominators import LEFT, dominators, post_dominators
from sgmem.control.predicates import And, Atom, False_, Not, Opaque, Or, Predicate, True_
from sgmem.control.reaching import reached_uses, reaching_definitions

if TYPE_CHECKING:
    from control.outlines import Program

    from sgmem.control.predicates import Scalar

RUNS = 8
seeds = st.integers(0, 2**32)


def runs(body: list[Node], seed: int) -> list[Run]:
    return [Run(body, Random(seed + number)) for number in range(RUNS)]


def definitions(body: list[Node], variable: str) -> dict[int, bool]:
    return {n.index: n.kind != "maybe" for n in every(body) if n.defines and n.variable == variable}


def truth(predicate: Predicate, values: dict[str, Scalar]) -> bool | None:
    """Kleene's three values; a test that was not evaluated yet is unknown, and so is an event."""
    match predicate:
        case True_():
            return True
        case False_():
            return False
        case Not(operand):
            inner = truth(operand, values)
            return None if inner is None else not inner
        case And(parts) | Or(parts):
            decisive = isinstance(predicate, Or)
            found = [truth(part, values) for part in parts]
            return decisive if decisive in found else None if None in found else not decisive
        case Opaque():
            return None
        case Atom(place, operator, constant):
            if place not in values:
                return None
            value = values[place]
            return {
                "truthy": lambda: bool(value),
                "falsy": lambda: not value,
                "==": lambda: value == constant,
                "!=": lambda: value != constant,
            }[operator]()


def all_conditions(program: Program) -> dict[int, Predicate]:
    scope = ScopeConditions(program.cfg, program.lower_test, program.lower_head)
    return {statement: conjunction(scope.of(statement)) for statement in program.cfg.blocks.indices}


@settings(max_examples=80, deadline=None)
@given(programs(), seeds)
def test_every_observed_step_is_an_edge(body: list[Node], seed: int) -> None:
    cfg = analysed(body).cfg
    for run in runs(body, seed):
        for source, target in pairwise(run.visits):
            assert target in {node for node, _ in cfg.out(source)}, (source, target)


@settings(max_examples=80, deadline=None)
@given(programs(), seeds)
def test_observed_definitions_reach_their_uses(body: list[Node], seed: int) -> None:
    cfg = analysed(body).cfg
    for run in runs(body, seed):
        for variable, use, definition in run.uses:
            assert definition in reaching_definitions(cfg, use, definitions(body, variable))


@settings(max_examples=50, deadline=None)
@given(programs())
def test_reached_uses_mirror_reaching_definitions(body: list[Node]) -> None:
    cfg = analysed(body).cfg
    nodes = {node.index for node in every(body)}
    for variable in VARIABLES:
        defined = definitions(body, variable)
        kills = {node for node, certain in defined.items() if certain}
        backward = {(d, use) for use in nodes for d in reaching_definitions(cfg, use, defined)}
        forward = {(d, use) for d in (ENTRY, *defined) for use in reached_uses(cfg, d, kills, nodes)}
        assert backward == forward


@settings(max_examples=80, deadline=None)
@given(programs(), seeds)
def test_dominators_stand_before_on_every_observed_path(body: list[Node], seed: int) -> None:
    cfg = analysed(body).cfg
    before, behind = dominators(cfg), post_dominators(cfg)
    for run in runs(body, seed):
        passed: set[int] = set()
        for node in run.visits:
            assert passed.issuperset(before.chain(node))
            passed.add(node)
        if run.visits[-1] not in (EXIT, RAISED):
            continue
        ahead = {LEFT}
        for node in reversed(run.visits):
            assert ahead.issuperset(behind.chain(node))
            ahead.add(node)


def graph(cfg: Cfg) -> nx.DiGraph[int]:
    return nx.DiGraph((source, target) for source in cfg.successors for target, _ in cfg.out(source))


@settings(max_examples=50, deadline=None)
@given(programs())
def test_dominator_trees_agree_with_networkx(body: list[Node]) -> None:
    cfg = analysed(body).cfg
    flow = graph(cfg)
    expected = nx.immediate_dominators(flow, ENTRY)
    found = dominators(cfg)
    assert found.immediate == {node: above for node, above in expected.items() if node != ENTRY}
    for node in flow:
        chain = {node, *found.chain(node)}
        assert all(found.dominates(other, node) == (other in chain) for other in flow)
    backward = flow.reverse()
    backward.add_edges_from((LEFT, end) for end in (EXIT, RAISED) if end in flow)
    expected = nx.immediate_dominators(backward, LEFT)
    assert post_dominators(cfg).immediate == {node: above for node, above in expected.items() if node != LEFT}


@settings(max_examples=120, deadline=None)
@given(programs(), seeds)
def test_conditions_hold_whenever_the_statement_is_reached(body: list[Node], seed: int) -> None:
    conditions = all_conditions(analysed(body))
    for run in runs(body, seed):
        for statement, values in run.states:
            assert truth(conditions[statement], values) is not False, (statement, conditions[statement], values)


@settings(max_examples=60, deadline=None)
@given(programs(compound=("if", "with", "match")))
def test_without_loops_and_handlers_conditions_are_exact(body: list[Node]) -> None:
    """The statement is reached if, and only if, its conditions hold."""
    conditions = all_conditions(analysed(body))
    domains = domains_of(every(body))
    assume(math.prod(map(len, domains.values())) <= 512)
    for choice in product(*domains.values()):
        values = dict(zip(domains, choice, strict=True))
        visited = set(Run(body, values).visits)
        for statement, condition in conditions.items():
            assert truth(condition, values) is (statement in visited), (statement, condition, values)


def domains_of(nodes: list[Node]) -> dict[str, tuple[Scalar, ...]]:
    """The values that each test of a program may have."""
    found: dict[str, tuple[Scalar, ...]] = {}
    for node in nodes:
        if node.kind in ("if", "assert"):
            found |= {f"t{node.index}": (False, True), f"u{node.index}": (False, True)}
        elif node.kind == "match":
            found[f"m{node.index}"] = (0, 1, 2, 3)
        elif node.kind == "case" and guarded(node):
            found[f"g{node.index}"] = (False, True)
    return found


def test_the_runs_are_worth_something() -> None:
    """The interpreter must reach handlers, finally blocks and both outcomes of tests, or the properties are empty."""
    define, use = Node("define"), Node("use")
    handler = Node("except", choice=1, blocks={"body": [use]})
    tried = Node("try", blocks={"body": [define], "handlers": [handler], "finally": [Node("use")]})
    loop = Node("while", blocks={"body": [tried]})
    number_from([loop], 1)
    seen = {step for seed in range(200) for run in (Run([loop], Random(seed)),) for step in pairwise(run.visits)}
    assert {(1, -2), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6), (3, 6), (6, 1), (6, -3)} <= seen
    assert pattern(Node("case", choice=3)) is None
    with pytest.raises(KeyError):
        Run([Node("if", index=1, blocks={"body": [Node("use", index=2)]})], {})
