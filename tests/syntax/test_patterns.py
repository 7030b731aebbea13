"""Match patterns bind parts of the subject."""

from __future__ import annotations

import pytest
from syntax.samples import Sample

from sgmem.syntax import ir


def bound(pattern: str) -> list[tuple[str, str]]:
    """The names that a pattern binds, each with the part of the subject it receives."""
    sample = Sample(f"match s:\n    case {pattern}:\n        pass\n")
    found = []
    for binding in sample.lowered("case").bindings:
        assert binding.how == "match"
        assert binding.value is not None
        assert isinstance(binding.target, ir.Name)
        assert sample.show(binding.target) == binding.target.id
        found.append((binding.target.id, part(binding.value)))
    return found


def part(expr: ir.Expr) -> str:
    match expr:
        case ir.Name():
            return expr.id
        case ir.Attribute():
            return f"{part(expr.base)}.{expr.attr}"
        case ir.Subscript():
            return f"{part(expr.base)}[{part(expr.index)}]"
        case ir.Const():
            return repr(expr.value)
        case ir.Opaque():
            return f"?{expr.text}"
    raise AssertionError(expr)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("x", [("x", "s")]),
        ("_", []),
        ("1 | 'a' | None | -1 | 1+2j", []),
        ("A.b", []),
        ("(x)", [("x", "s")]),
        ("[x, y]", [("x", "s[0]"), ("y", "s[1]")]),
        ("x, y", [("x", "s[0]"), ("y", "s[1]")]),
        ("x,", [("x", "s[0]")]),
        ("(x, [y, _])", [("x", "s[0]"), ("y", "s[1][0]")]),
        ("[x, *rest]", [("x", "s[0]"), ("rest", "s")]),
        ("[x, *_]", [("x", "s[0]")]),
        ("A(x, b=y)", [("x", "s[0]"), ("y", "s.b")]),
        ("A(b=B(c=x))", [("x", "s.b.c")]),
        ("A() as x", [("x", "s")]),
        ("[A(b=x) as y]", [("y", "s[0]"), ("x", "s[0].b")]),
        ("{'k': x, 1: y, **rest}", [("x", "s['k']"), ("y", "s[1]"), ("rest", "s")]),
        ("{A.b: x}", [("x", "s[?A.b]")]),
        ("[x] | {'k': x}", [("x", "s[0]"), ("x", "s['k']")]),
        ("(\n    A(b=é,\n      c=ß))", [("é", "s.b"), ("ß", "s.c")]),
        ("[ # (comment\n   x]", [("x", "s[0]")]),
    ],
)
def test_what_a_pattern_binds(pattern: str, expected: list[tuple[str, str]]) -> None:
    assert bound(pattern) == expected


def test_all_parts_come_from_one_subject() -> None:
    first, second = Sample("match f(a):\n    case [x, y]: pass\n").lowered("case").bindings
    assert isinstance(first.value, ir.Subscript)
    assert isinstance(second.value, ir.Subscript)
    assert first.value.base is second.value.base
    assert isinstance(first.value.base, ir.Call)


@pytest.mark.parametrize("pattern", ["{1: " * 9 + "x" + "}" * 9, "[" * 40 + "x" + "]" * 40])
def test_a_pattern_too_deep_to_read_is_opaque(pattern: str) -> None:
    (binding,) = Sample(f"match s:\n    case {pattern}: pass\n").lowered("case").bindings
    assert isinstance(binding.target, ir.Opaque)
    assert pattern.startswith(binding.target.text)
