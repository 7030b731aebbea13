"""Symbolic execution: what it says a function computes is what Python computes, and its formula says the same."""

from __future__ import annotations

from fractions import Fraction
from textwrap import indent

import pytest
from domains.programs import facts_of
from hypothesis import given, settings
from hypothesis import strategies as st

from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.execution.context import Context
from sgmem.domains.execution.execute import Machine, Returned
from sgmem.domains.execution.values import Known, Value
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

NAMES = ("a", "b", "c")


def run(source: str, function: str, target: str = "", /, **given_: Known) -> tuple[Machine, Value | None]:
    """Execute a function of a program; its result, or what `target` holds in the end."""
    facts = facts_of(source)
    (found,) = facts.occurrences.functions(function)
    machine = Machine(Context(facts), given_)
    frame, end = machine.run(found, target)
    if not target:
        return machine, end.value if isinstance(end, Returned) else None
    fields = {path.rpartition(".")[2]: value for path, value in machine.fields.items()}
    return machine, frame.locals.get(target) or fields.get(target)


def number_of(source: str, function: str, target: str = "", /, **given_: Known) -> Fraction | None:
    value = run(source, function, target, **given_)[1]
    return value.number if value is not None else None


expressions = st.recursive(
    st.one_of(st.sampled_from(NAMES), st.sampled_from(["1", "2", "7", "0.5"])),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda parts: f"({' '.join(parts)})"),
        st.tuples(inner, inner).map(lambda parts: f"max({parts[0]}, {parts[1]})"),
        st.tuples(inner, inner, inner).map(lambda parts: f"({parts[0]} if {parts[1]} > 2 else {parts[2]})"),
        inner.map(lambda part: f"int({part})"),
    ),
    max_leaves=6,
)
assignments = st.tuples(st.sampled_from(NAMES), expressions).map(lambda parts: f"{parts[0]} = {parts[1]}")
statements = st.recursive(
    assignments,
    lambda inner: st.tuples(expressions, st.lists(inner, min_size=1, max_size=2), st.lists(inner, min_size=1, max_size=2)).map(
        lambda parts: f"if {parts[0]} > 1:\n{indent(chr(10).join(parts[1]), '    ')}\nelse:\n{indent(chr(10).join(parts[2]), '    ')}"
    ),
    max_leaves=6,
)


@settings(max_examples=120, deadline=None)
@given(body=st.lists(statements, min_size=1, max_size=4), numbers=st.tuples(*(st.integers(-4, 9) for _ in NAMES)))
def test_it_computes_what_python_computes(body: list[str], numbers: tuple[int, ...]) -> None:
    source = f"def f(p, q, r):\n    a, b, c = p, q, r\n{indent(chr(10).join(body), '    ')}\n    return a\n"
    space: dict[str, object] = {}
    exec(source, space)  # of our own making, a few lines above
    expected = space["f"](*map(Fraction, numbers))  # type: ignore[operator]
    inputs = dict(zip(("p", "q", "r"), map(Fraction, numbers), strict=True))
    machine, value = run(source, "f", **inputs)
    assert value is not None
    assert value.number == Fraction(expected), source
    # The formula, evaluated again on its inputs, gives the same.
    assert value_of(value.expr, lambda leaf: inputs.get(leaf.id) if isinstance(leaf, ir.Name) else None) == value.number
    assert not machine.decisions


CALLS = """
    class Box:
        def __init__(self, size):
            self.size = size

        def fill(self, free):
            self._set(free)
            self.size = self.size - share(free, keep=0.5)

        def _set(self, free):
            self.size = free * 2

    def share(amount, keep=0.25):
        if amount > 100:
            return 0
        return amount * keep
"""


def test_functions_are_entered_with_arguments_defaults_and_stores() -> None:
    assert number_of(CALLS, "fill", "size", free=Fraction(10)) == 15
    assert number_of(CALLS, "fill", "size", free=Fraction(200)) == 400
    assert number_of(CALLS, "share", amount=Fraction(8), keep=Fraction(1, 4)) == 2


def test_steps_keep_only_what_the_value_came_about_by() -> None:
    source = """
        def f(a):
            other = a * 3
            b = a + 1
            c = b * 2
            return c
    """
    machine, value = run(source, "f", a=Fraction(2))
    assert value is not None
    assert [machine.steps[number].arithmetic for number in sorted(value.steps)] == ["2 + 1", "3 * 2", "6"]


def test_lists_are_counted_when_they_are_known() -> None:
    source = """
        def f(top):
            sizes = [1, 2, 4] + list(range(8, top + 1, 8))
            sizes = [size for size in sizes if size <= top]
            return len(sizes) * 10 + max(sizes)
    """
    assert number_of(source, "f", top=Fraction(20)) == 5 * 10 + 16


def test_views_and_keyword_stores_are_the_object_itself() -> None:
    source = """
        class View:
            def __init__(self, args):
                self._args = args

            def __getattr__(self, name):
                return getattr(self._args, name)

        def view_of(args) -> View:
            return View(args)

        def declare(args, why, **fields):
            args.stash.append((why, fields))

        def fill(args, card):
            cfg = view_of(args)
            if cfg.chunk is None:
                declare(args, "fill", chunk=4096 if card > 30 else 2048)
            reserved = cfg.chunk * 2
            return card - reserved
    """
    assert number_of(source, "fill", card=Fraction(40), chunk=None) == 40 - 8192
    assert number_of(source, "fill", card=Fraction(40), chunk=Fraction(5)) == 30


@pytest.mark.parametrize(
    ("test", "holds"),
    [("x.wide", False), ("not x.wide", True), ("x.mode == 'a'", False), ("x.extra is not None", False), ("x.extra is None", True)],
)
def test_an_undecided_test_is_assumed_as_it_usually_is(test: str, holds: bool) -> None:
    source = f"""
        def f(x, a):
            b = a
            if {test}:
                b = b + 1
            return b
    """
    machine, value = run(source, "f", a=Fraction(1))
    assert value is not None
    assert value.number == (2 if holds else 1)
    assert [one.holds for one in machine.decisions.values()] == [holds]


def test_what_a_loop_sets_is_not_known() -> None:
    source = """
        def f(items, a):
            total = a
            for item in items:
                total = total + item
            return total * 2
    """
    _, value = run(source, "f", a=Fraction(1))
    assert value is not None
    assert value.number is None
    assert text_of(value.expr) == "total * 2"


def test_recursion_and_depth_end() -> None:
    deep = " + ".join(["a"] * 300)
    source = f"""
        def f(a):
            return f(a - 1) + 1

        def g(a):
            return {deep}
    """
    assert number_of(source, "f", a=Fraction(3)) is None
    run(source, "g", a=Fraction(1))
