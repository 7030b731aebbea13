"""Which single input explains an observed value: solved, checked by running again, ranked by what the source says."""

from __future__ import annotations

from fractions import Fraction

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from queries.explained import BUDGET, OPTIONS, asked, tree_of

from sgmem.config.errors import UsageError


def test_numbers_that_agree_are_no_contradiction() -> None:
    found = asked(BUDGET, "rest", "share=0.90", "total=100", "free=20.0", observed="rest=10.4").observed
    assert found is not None
    assert found.consistent is True
    assert not found.explanations


def test_the_input_whose_value_is_written_in_the_source_comes_first() -> None:
    found = asked(OPTIONS, "rest", "share=0.55", "total=94", "free=21.7", observed="rest=-1.8").observed
    assert found is not None
    assert found.consistent is False
    first = found.explanations[0]
    assert (first.input, first.value) == ("share", 0.75)
    assert [(site.line, site.code, site.when) for site in first.written_at] == [
        (19, "0.75", ("self.share is None", "card is None")),
    ]
    assert [one.input for one in found.explanations[1:]] == ["free", "total"]


def test_a_solution_that_no_constant_equals_is_not_put_first() -> None:
    """The twin: the same numbers, but for a share that is written nowhere."""
    found = asked(OPTIONS, "rest", "share=0.55", "total=94", "free=21.7", observed="rest=1.1").observed
    assert found is not None
    assert not any(one.written_at for one in found.explanations)


def test_implausible_explanations_come_last_and_say_why() -> None:
    found = asked(OPTIONS, "share", "card=2000", "ranks=4", observed="share=0.737").observed
    assert found is not None
    by_name = {one.input: one for one in found.explanations}
    assert by_name["ranks"].value == 1
    assert all(one.plausible for one in found.explanations[:1])


def test_an_observation_of_something_else_is_refused() -> None:
    with pytest.raises(UsageError, match="is for the target"):
        asked(BUDGET, "rest", "share=0.5", observed="free=3")


def test_no_single_input_is_said() -> None:
    source = """
        def budget(a, b):
            rest = a * a + b * 0
            return rest
    """
    found = asked(source, "rest", "a=2", "b=1", observed="rest=5").observed
    assert found is not None
    assert not found.explanations
    assert len(found.without_solution) == 2


TREE = tree_of(BUDGET)
amounts = st.integers(1, 4000).map(lambda n: Fraction(n, 40))
shares = st.integers(1, 99).map(lambda n: Fraction(n, 100))


def text(value: Fraction) -> str:
    return f"{float(value):.4f}"


@settings(max_examples=40, deadline=None)
@given(share=shares, total=amounts, free=amounts, wanted=amounts)
def test_solve_then_evaluate_gives_what_was_observed(share: Fraction, total: Fraction, free: Fraction, wanted: Fraction) -> None:
    numbers = {"share": share, "total": total, "free": free}
    given_ = [f"{name}={text(value)}" for name, value in numbers.items()]
    found = asked(TREE, "rest", *given_, observed=f"rest={text(wanted)}", exact=True).observed
    assert found is not None
    assert found.consistent is (free - total * (1 - share) == wanted)
    symbols = {name: sympy.Symbol(name) for name in numbers}
    whole = symbols["free"] - symbols["total"] * (1 - symbols["share"])
    for one in found.explanations:
        others = {symbols[name]: sympy.Rational(v.numerator, v.denominator) for name, v in numbers.items() if name != one.input}
        target = sympy.Rational(wanted.numerator, wanted.denominator)
        (solution,) = sympy.solve(whole.subs(others) - target, symbols[one.input])
        assert one.value == pytest.approx(float(solution), rel=1e-12, abs=1e-12)
        again = {**numbers, one.input: Fraction(one.value).limit_denominator(10**9)}
        result = again["free"] - again["total"] * (1 - again["share"])
        assert float(result) == pytest.approx(float(wanted), abs=1e-4)


@settings(max_examples=40, deadline=None)
@given(
    share=shares,
    total=amounts,
    free=amounts,
    wrong=st.integers(1, 99),
    off=st.tuples(*(st.fractions(Fraction(-1, 20), Fraction(1, 20)) for _ in range(3))),
)
def test_the_interval_contains_the_truth(
    share: Fraction, total: Fraction, free: Fraction, wrong: int, off: tuple[Fraction, Fraction, Fraction]
) -> None:
    """Round the true numbers, give one of them wrongly: its interval holds the true one."""
    true_free, true_total = free + off[0], total + off[1]
    rest = true_free - true_total * (1 - share)
    printed = [f"{float(round(value, 1)):.1f}" for value in (true_free, true_total, rest)]
    given_ = [f"free={printed[0]}", f"total={printed[1]}", f"share={wrong}e-2"]
    found = asked(TREE, "rest", *given_, observed=f"rest={printed[2]}").observed
    assert found is not None
    for one in found.explanations:
        if one.input == "share" and true_total > 1:
            assert one.low - 1e-9 <= float(share) <= one.high + 1e-9


def test_an_option_left_at_its_default_may_be_the_cause_even_across_a_branch() -> None:
    source = (
        OPTIONS
        + """
    def budget(args: Args, total):
        graphs = 10
        if args.ranks >= 4:
            graphs = 20
        spare = total - graphs - args.ranks * 5
        return spare
"""
    )
    found = asked(source, "spare", "total=100", observed="spare=40").observed
    assert found is not None
    by_name = {one.input: one.value for one in found.explanations}
    assert by_name == {"total": 55, "ranks": 8}
