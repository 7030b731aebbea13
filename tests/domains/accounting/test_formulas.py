"""Which arithmetic is a formula, what it is called, and what it combines."""

from __future__ import annotations

import pytest
from domains.programs import facts_of, formula


def targets(line: str) -> list[str]:
    return [one.target for one in facts_of(f"class A:\n    def f(self, x_gb, y, z):\n        {line}\n").formulas]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("rest = x_gb - y", ["rest"]),
        ("self.rest = x_gb - y", ["self.rest"]),
        ("self.rest -= x_gb", ["self.rest"]),
        ("return x_gb - y", ["f()"]),
        ("return x_gb - y, x_gb + z", ["f()", "f()"]),
        ("build(x_gb - y, size=x_gb + z)", ["build()", "build(size=)"]),
        ("rest = build(x_gb - y) + z", ["build()"]),
        ("rest = x_gb", []),
        ("if x_gb - y > z: pass", []),
        ("print(f'{x_gb - y}')", []),
        ("rest = y - z", []),
        ("rest = [x_gb - i for i in y]", []),
    ],
)
def test_what_is_kept_is_a_formula(line: str, expected: list[str]) -> None:
    assert sorted(targets(line)) == sorted(expected)


def inputs(body: str) -> list[str]:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return [one.name for one in formula(facts_of(f"def f(x_gb, y, z, flag):\n{lines}"), "rest").inputs]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("rest = x_gb - y * (1 - z)", ["x_gb", "y", "z"]),
        ("rest = x_gb - x_gb * y", ["x_gb", "y"]),
        ("slack = y * (1 - z)\nrest = x_gb - slack", ["x_gb", "y", "z"]),
        ("slack = y * z\nif flag:\n    slack = 2 * z\nrest = x_gb - slack", ["x_gb", "z", "y"]),
        ("slack = read(y) * 1024\nrest = x_gb - slack", ["x_gb", "slack"]),
        ("slack = y * z\nslack = read()\nrest = x_gb - slack", ["x_gb", "slack"]),
        ("rest = int(max(x_gb - y, z) * 1024)", ["x_gb", "y", "z"]),
        ("rest = x_gb - y if flag else z - x_gb", ["x_gb", "y", "z"]),
    ],
)
def test_local_definitions_are_put_in_place(body: str, expected: list[str]) -> None:
    assert inputs(body) == expected


def test_an_input_knows_where_it_was_born() -> None:
    found = formula(
        facts_of(
            """
            from dataclasses import dataclass

            @dataclass
            class Options:
                reserved_gb: float = 2.0

            def f(options: Options, gpu):
                free = get_available_gpu_memory("cuda", gpu)
                rest = free - options.reserved_gb
                return rest
            """
        ),
        "rest",
    )
    free, reserved = found.inputs
    assert (free.origins[0].kind, free.origins[0].location.line) == ("measurement", 9)
    assert free.origins[0].gauge is not None
    assert free.origins[0].gauge.frame.quantity == "free"
    assert (reserved.origins[0].kind, reserved.origins[0].location.line) == ("declaration", 6)
    assert found.is_budget
    assert not found.only_measured
    assert found.negative.verdict == "yes"
    assert found.location.symbol == "serving.case:f"


@pytest.mark.parametrize("line", ["rest = free + options.reserved_gb", "rest = free - other"])
def test_a_sum_is_no_budget_and_a_delta_is_only_measured(line: str) -> None:
    source = f"""
    class Options:
        reserved_gb: float = 2.0

    def f(options: Options):
        free = get_available_gpu_memory("cuda", 0)
        other = get_available_gpu_memory("cuda", 1)
        {line}
        return rest
    """
    found = formula(facts_of(source), "rest")
    assert not found.is_budget or found.only_measured
