from __future__ import annotations

import msgspec
import pytest

from sgmem.control.predicates import FALSE, TRUE, And, Atom, Not, Opaque, Or, Predicate, all_of, any_of, leaves, negate
from sgmem.syntax.ir import Span

HERE, THERE = Span(1, 1, 1, 9), Span(7, 1, 7, 9)
A, B, C = Atom("a", "truthy"), Atom("b", "==", 1), Opaque("f(x)", HERE)


def test_conjunctions_are_flat_and_without_repetition() -> None:
    assert all_of([A, all_of([B, A])]) == And((A, B))
    assert all_of([A, TRUE]) == A
    assert all_of([A, FALSE]) == FALSE
    assert all_of([]) == TRUE


def test_disjunctions_are_flat_and_without_repetition() -> None:
    assert any_of([any_of([A, B]), A, FALSE]) == Or((A, B))
    assert any_of([A, TRUE]) == TRUE
    assert any_of([]) == FALSE


def test_order_does_not_matter_but_kind_does() -> None:
    assert And((A, B)) == And((B, A))
    assert len({Or((A, B)), Or((B, A))}) == 1
    assert And((A, B)) != Or((A, B))
    assert Atom("x", "in", (1, 2)) == Atom("x", "in", (2, 1)) != Atom("x", "in", (1, 3))
    assert Atom("x", "==", 1024, "1 << 10") == Atom("x", "==", 1024)


def test_contradictions_of_different_moments_are_kept() -> None:
    assert all_of([A, negate(A)]) == And((A, Atom("a", "falsy")))


@pytest.mark.parametrize(
    ("operator", "complement"),
    [("truthy", "falsy"), ("is", "is not"), ("==", "!="), ("<", ">="), (">", "<="), ("in", "not in")],
)
def test_every_operator_has_a_complement(operator: str, complement: str) -> None:
    atom, other = Atom("x", operator, 1), Atom("x", complement, 1)  # type: ignore[arg-type]
    assert negate(atom) == other
    assert negate(other) == atom


def test_negation_goes_down_to_the_leaves() -> None:
    assert negate(And((A, Or((B, C))))) == Or((Atom("a", "falsy"), And((Atom("b", "!=", 1), Not(C)))))
    assert negate(Not(C)) == C
    assert negate(TRUE) == FALSE


def test_opaque_leaves_compare_by_text_and_events_by_place() -> None:
    assert Opaque("f(x)", THERE) == C != Opaque("g(x)", HERE)
    assert Opaque("except E", HERE, event=True) != Opaque("except E", THERE, event=True)
    assert Opaque("except E", HERE, event=True) == Opaque("except E", HERE, event=True)


def test_leaves() -> None:
    assert leaves(And((A, Or((B, Not(C)))))) == 3
    assert leaves(TRUE) == 0


def test_predicates_can_be_stored() -> None:
    predicate = And((A, Or((Atom("x", "in", (1, "b", None)), Not(C), Atom("y", "<", 0.5, "1 / 2"))), Atom("z", "is", None)))
    stored = msgspec.msgpack.encode(predicate)
    assert msgspec.msgpack.decode(stored, type=Predicate) == predicate
