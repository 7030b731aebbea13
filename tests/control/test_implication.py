from __future__ import annotations

from itertools import product

import pytest
from control.outlines import expression
from hypothesis import given, settings
from hypothesis import strategies as st

from sgmem.control.expressions import from_expression
from sgmem.control.implication import contradicts, implies
from sgmem.control.predicates import TRUE, And, Atom, Or, Predicate, all_of, any_of, negate


def predicate(text: str) -> Predicate:
    return from_expression(expression(text))


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [
        ("x", "x"),
        ("x is None", "not x"),
        ("x", "x is not None"),
        ("x == 1", "x != 2"),
        ("x == 'a'", "x in ('a', 'b')"),
        ("x in ('a', 'b')", "x is not None"),
        ("x in (1, 2)", "x < 3"),
        ("x > 5", "x >= 5"),
        ("x > 5", "x > 4"),
        ("x >= 5", "x"),
        ("x < 5", "x != 7"),
        ("x < 5", "x is not None"),
        ("x not in ('a', 'b')", "x != 'a'"),
        ("a and b", "a"),
        ("a", "a or b"),
        ("a and x > 5", "(b or x > 1) and a"),
        ("a or b", "b or a or c"),
        ("f(y) and a", "f(y)"),
        ("False", "a"),
        ("a", "True"),
    ],
)
def test_implies(premise: str, conclusion: str) -> None:
    assert implies(predicate(premise), predicate(conclusion))


@pytest.mark.parametrize(
    ("premise", "conclusion"),
    [
        ("x", "y"),
        ("x is not None", "x"),
        ("not x", "x is None"),
        ("x >= 5", "x > 5"),
        ("x != 1", "x != 2"),
        ("x is None", "x >= 5"),  # it is not less than 5 either: it does not compare
        ("x == 1", "x is not True"),
        ("x >= 0", "x"),
        ("a or b", "a"),
        ("a", "a and b"),
        ("f(y)", "f(z)"),
        ("x < 'b'", "x < 5"),
    ],
)
def test_does_not_imply(premise: str, conclusion: str) -> None:
    assert not implies(predicate(premise), predicate(conclusion))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x is None", "x is not None"),
        ("x is None", "x == 1"),
        ("x is None", "x > 1"),
        ("x is None", "x"),
        ("x == 1", "x == 2"),
        ("x == 'a'", "x not in ('a', 'b')"),
        ("x < 1", "x > 1"),
        ("x < 1", "x >= 1"),
        ("x > 1", "not x"),
        ("x in (1, 2)", "x in (3, 4)"),
        ("f(y)", "not f(y)"),
        ("a % b == 0", "a % b != 0"),
        ("a and x < 1", "b and x > 2"),
        ("x == 1 or x == 2", "x > 3"),
        ("False", "a"),
    ],
)
def test_contradicts(left: str, right: str) -> None:
    assert contradicts(predicate(left), predicate(right))
    assert contradicts(predicate(right), predicate(left))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("x is None", "y is not None"),
        ("x", "x == 1"),
        ("x == 1", "x is True"),
        ("x <= 1", "x >= 1"),
        ("x > 1", "x < 2"),  # 1.5
        ("x == 1 or x == 5", "x > 3"),
        ("f(y)", "f(z)"),
        ("x >= 0", "not x"),
    ],
)
def test_does_not_contradict(left: str, right: str) -> None:
    assert not contradicts(predicate(left), predicate(right))


VALUES = (None, True, False, 0, 1, 2, 2.5, -3, "", "a", "b")
_scalars = st.sampled_from(VALUES)
_numbers = st.sampled_from([0, 1, 2, 2.5, -3])
_atoms = st.one_of(
    st.builds(Atom, st.just("x"), st.sampled_from(["truthy", "falsy"])),
    st.builds(Atom, st.just("x"), st.sampled_from(["is", "is not"]), st.sampled_from([None, True, False])),
    st.builds(Atom, st.just("x"), st.sampled_from(["==", "!="]), _scalars),
    st.builds(Atom, st.just("x"), st.sampled_from(["<", "<=", ">", ">="]), _numbers),
    st.builds(Atom, st.just("x"), st.sampled_from(["<", "<=", ">", ">="]), st.sampled_from(["", "a", "b"])),
    st.builds(Atom, st.just("x"), st.sampled_from(["in", "not in"]), st.lists(_scalars, min_size=2, max_size=3).map(tuple)),
)
_predicates = st.recursive(
    _atoms,
    lambda inner: st.builds(lambda f, parts: f(parts), st.sampled_from([all_of, any_of]), st.lists(inner, max_size=3)),
    max_leaves=6,
)


def holds(found: Predicate, value: object) -> bool:
    """Python's own answer; what does not compare does not hold."""
    if isinstance(found, And | Or):
        return (all if isinstance(found, And) else any)(holds(part, value) for part in found.parts)
    if not isinstance(found, Atom):
        return found == TRUE
    operators = {
        "truthy": lambda v, c: bool(v), "falsy": lambda v, c: not v,
        "is": lambda v, c: v is c, "is not": lambda v, c: v is not c,
        "==": lambda v, c: v == c, "!=": lambda v, c: v != c,
        "<": lambda v, c: v < c, "<=": lambda v, c: v <= c, ">": lambda v, c: v > c, ">=": lambda v, c: v >= c,
        "in": lambda v, c: v in c, "not in": lambda v, c: v not in c,
    }  # fmt: skip
    try:
        return bool(operators[found.operator](value, found.constant))
    except TypeError:
        return False


@settings(max_examples=200, deadline=None)
@given(_predicates, _predicates)
def test_claims_are_sound(left: Predicate, right: Predicate) -> None:
    if implies(left, right):
        assert all(holds(right, value) for value in VALUES if holds(left, value))
    if contradicts(left, right):
        assert not any(holds(left, value) and holds(right, value) for value in VALUES)


@settings(max_examples=60, deadline=None)
@given(_predicates)
def test_a_predicate_implies_itself_and_contradicts_its_complement(found: Predicate) -> None:
    assert implies(found, found)
    if isinstance(found, Atom):
        assert contradicts(found, negate(found))


def test_alternating_and_or_ends() -> None:
    left: Predicate = Atom("x", "truthy")
    right: Predicate = Atom("y", "truthy")
    for number, join in product(range(8), (all_of, any_of)):
        left = join([left, *(Atom(f"a{number}{i}", "truthy") for i in range(4))])
        right = join([right, *(Atom(f"b{number}{i}", "truthy") for i in range(4))])
    assert not implies(left, right)
    assert not contradicts(left, right)
