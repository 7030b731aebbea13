"""Where a value goes with its sign, and which checks stop it."""

from __future__ import annotations

import pytest
from domains.programs import facts_of, formula

HEAD = """
import torch

class Options:
    reserved_gb: float = 2.0

class TokenPool:
    def __init__(self, size, device=None):
        self.size = size

class Record:
    pass
"""
FREE = 'spare = get_available_gpu_memory("cuda", 0) - options.reserved_gb'


def reached(*lines: str, target: str = "spare") -> tuple[list[tuple[str, str]], list[tuple[str, int]]]:
    """The sinks, and the checks with how many calculations lie before them."""
    body = "".join(f"    {line}\n" for line in (FREE, *lines))
    source = f"{HEAD}\ndef build(options: Options, other, record: Record):\n{body}"
    reach = formula(facts_of(source), target).reach
    return [(sink.kind, sink.name) for sink in reach.sinks], [(check.text, check.images) for check in reach.checks]


@pytest.mark.parametrize(
    ("lines", "sinks"),
    [
        (["return TokenPool(spare)"], [("allocation", "TokenPool")]),
        (["return TokenPool(size=int(spare * 1024) // 8)"], [("allocation", "TokenPool")]),
        (["tokens = int(spare) * 8", "return torch.zeros(tokens, dtype=other)"], [("allocation", "zeros")]),
        (["return torch.zeros((other, int(spare)))"], [("allocation", "zeros")]),
        (["return torch.zeros(other, dtype=spare)"], []),
        (["return other / spare"], [("divisor", "other / spare")]),
        (["return spare / other"], []),
        (["record.budget = spare"], [("stored", "budget")]),
        (["record.max_total_num_tokens = int(spare * 9)"], [("tokens", "max_total_num_tokens")]),
        (["return TokenPool(min(spare, other))"], [("allocation", "TokenPool")]),
        (["return TokenPool(spare - other)"], [("allocation", "TokenPool")]),
        (["return TokenPool(spare + other)"], []),
        (["return TokenPool(other - spare)"], []),
        (["return TokenPool(-spare)"], []),
        (["return TokenPool(spare % other)"], []),
        (["print(spare)", "return other"], []),
        (["spare = other", "return TokenPool(spare)"], []),
    ],
)
def test_sinks_are_reached_by_what_keeps_the_sign(lines: list[str], sinks: list[tuple[str, str]]) -> None:
    assert reached(*lines)[0] == sinks


@pytest.mark.parametrize(
    ("lines", "checks"),
    [
        (["if spare <= 0:", "    raise ValueError", "return TokenPool(spare)"], [("spare <= 0", 0)]),
        (["if spare < 0:", "    return None", "return TokenPool(spare)"], [("spare < 0", 0)]),
        (["if 0 > spare: raise ValueError", "return TokenPool(spare)"], [("0 > spare", 0)]),
        (["assert spare >= 0", "return TokenPool(spare)"], [("spare >= 0", 0)]),
        (["if spare > 0:", "    return TokenPool(spare)"], [("spare > 0", 0)]),
        (["return TokenPool(spare if spare > 0 else 1)"], [("spare > 0", 0)]),
        (["return spare > 0 and TokenPool(spare)"], [("spare > 0", 0)]),
        (["return TokenPool(max(0, spare))"], [("max(0, spare)", 0)]),
        (["tokens = int(spare * 8)", "return TokenPool(max(tokens, 1))"], [("max(tokens, 1)", 1)]),
        (["tokens = int(spare * 8)", "assert tokens > 0", "return TokenPool(tokens)"], [("tokens > 0", 1)]),
    ],
)
def test_checks_stop_it(lines: list[str], checks: list[tuple[str, int]]) -> None:
    assert reached(*lines) == ([], checks)


@pytest.mark.parametrize(
    "lines",
    [
        ["if spare <= 0:", "    print('short')", "return TokenPool(spare)"],
        ["if spare > -1:", "    return TokenPool(spare)"],
        ["if other > 0:", "    return TokenPool(spare)"],
        ["if spare:", "    return TokenPool(spare)"],
        ["pool = TokenPool(spare)", "assert spare > 0", "return pool"],
        ["try:", "    assert spare > 0", "except AssertionError:", "    pass", "return TokenPool(spare)"],
        ["return TokenPool(max(other, spare))"],
        ["return TokenPool(max(-1, spare))"],
        ["if spare <= 0 and other:", "    raise ValueError", "return TokenPool(spare)"],
    ],
)
def test_what_is_no_check_does_not(lines: list[str]) -> None:
    assert reached(*lines)[0] == [("allocation", "TokenPool")]


def test_a_late_check_of_what_was_calculated_is_found_in_another_method() -> None:
    source = f"""{HEAD}
class Runner:
    def size(self, options: Options):
        {FREE}
        self.max_total_num_tokens = int(spare * (1 << 30)) // self.cell
        self.build()

    def build(self):
        if self.max_total_num_tokens <= 0:
            raise RuntimeError("not enough memory")
        self.pool = TokenPool(self.max_total_num_tokens)
"""
    reach = formula(facts_of(source), "spare").reach
    assert [(sink.kind, sink.images) for sink in reach.sinks] == [("tokens", 2)]
    assert reach.late_check is not None
    assert reach.late_check.text == "self.max_total_num_tokens <= 0"


def test_calls_and_returns_are_followed_to_the_caller_that_matters() -> None:
    source = f"""{HEAD}
def spare_of(options: Options):
    {FREE}
    return spare

def build(options: Options):
    return pool_of(spare_of(options))

def pool_of(amount):
    return TokenPool(amount)

def show(options: Options):
    print(spare_of(options))
"""
    reach = formula(facts_of(source), "spare").reach
    assert [(sink.kind, sink.name) for sink in reach.sinks] == [("allocation", "TokenPool")]
    assert reach.sinks[0].hops[0].code.startswith("return spare")


def test_it_ends_on_cycles() -> None:
    source = f"""{HEAD}
def f(options: Options, record):
    {FREE}
    while record:
        spare = g(spare)
        record.x = spare
    return spare

def g(value):
    return g(value * 2) if value else f(value, value)
"""
    assert formula(facts_of(source), "spare").reach is not None
