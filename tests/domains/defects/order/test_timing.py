"""Order in time: what was measured first, by which calls, and what happened in between."""

from __future__ import annotations

import pytest
from domains.programs import facts_of, formula

RUNNER = """
class Runner:
    def __init__(self, fraction):
        self.fraction = fraction
        {first}
        {second}

    def measure(self):
        self.before = get_available_gpu_memory("cuda", 0)

    def load(self):
        self.load_model()

    def size(self):
        after = get_available_gpu_memory("cuda", 0)
        self.budget = after - self.before * (1 - self.fraction)
"""


def between(source: str, target: str = "self.budget", **files: str) -> list[tuple[str, bool]] | None:
    """The events between the two measurements of a formula, each with whether it always happens."""
    mixed = formula(facts_of(source, **files), target).mixed_times
    return None if mixed is None else [(event.name, event.always) for event in mixed.events]


def in_one_function(*lines: str) -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"class Runner:\n    def start(self, fraction, flag):\n{body}"


BEFORE = 'before = get_available_gpu_memory("cuda", 0)'
AFTER = 'after = get_available_gpu_memory("cuda", 0)'
BUDGET = "self.budget = after - before * (1 - fraction)"


@pytest.mark.parametrize(
    ("lines", "events"),
    [
        ([BEFORE, "self.load_model()", AFTER, BUDGET], [("load_model", True)]),
        (
            [BEFORE, "self.load_model()", "if flag:", "    self.init_lora_manager()", AFTER, BUDGET],
            [("load_model", True), ("init_lora_manager", False)],
        ),
        ([BEFORE, "with flag:", "    self.load_model()", AFTER, BUDGET], [("load_model", True)]),
        ([BEFORE, "x = self.load_model() if flag else None", AFTER, BUDGET], None),
        ([BEFORE, "if flag:", "    self.load_model()", AFTER, BUDGET], None),
        ([BEFORE, "if flag:", "    return self.load_model()", AFTER, BUDGET], None),
        (["self.load_model()", BEFORE, AFTER, BUDGET], None),
        ([BEFORE, AFTER, "self.load_model()", BUDGET], None),
        ([BEFORE, "torch.empty(8)", "torch.cuda.empty_cache()", AFTER, BUDGET], None),
        ([BEFORE, "self.load_model()", AFTER, "self.budget = before - after"], None),
        ([BEFORE, "self.load_model()", AFTER, "self.budget = (before - after) * 2 - fraction"], None),
        ([BEFORE, "self.load_model()", AFTER, "self.budget = before - 0.5 * after"], [("load_model", True)]),
        ([BEFORE, "self.load_model()", AFTER, "self.budget = after / before - fraction"], [("load_model", True)]),
        ([BEFORE, "self.load_model()", "before = 1", AFTER, "self.budget = after - before * (1 - fraction)"], None),
    ],
)  # fmt: skip
def test_in_one_function(lines: list[str], events: list[tuple[str, bool]] | None) -> None:
    assert between(in_one_function(*lines)) == events


def test_by_which_names_and_conditions_is_told() -> None:
    lines = [BEFORE, "self.load_model()", "if flag:", "    self.init_lora_manager()", AFTER, BUDGET]
    mixed = formula(facts_of(in_one_function(*lines)), "self.budget").mixed_times
    assert mixed is not None
    assert (mixed.earlier.name, mixed.later.name, mixed.certain) == ("before", "after", True)
    assert [event.when for event in mixed.events] == ["", "flag"]


@pytest.mark.parametrize(
    ("first", "second", "events"),
    [
        ("self.measure()", "self.load_and_size()", [("load_model", True)]),
        ("self.load()", "self.measure_and_size()", None),
    ],
)
def test_a_value_that_rests_in_a_field_is_ordered_by_the_call_tree(
    first: str, second: str, events: list[tuple[str, bool]] | None
) -> None:
    more = """
    def load_and_size(self):
        self.load()
        self.size()

    def measure_and_size(self):
        self.measure()
        self.size()
"""
    source = RUNNER.format(first=first, second=second) + more
    assert between(source) == events


def test_what_the_constructor_did_came_before_any_other_method() -> None:
    source = RUNNER.format(first="self.measure()", second="self.load()") + "\n\ndef serve(runner: Runner):\n    runner.size()\n"
    mixed = formula(facts_of(source), "self.budget").mixed_times
    assert mixed is not None
    assert [event.name for event in mixed.events] == ["load_model"]
    assert not mixed.certain
    assert between(source.replace("self.measure()\n        self.load()", "self.load()\n        self.measure()")) is None


CHAIN = """
class Runner:
    def __init__(self):
        lowest = self.connect()
        self.initialize(lowest)

    def connect(self):
        free = get_available_gpu_memory("cuda", 0)
        return free

    def initialize(self, lowest):
        {before}
        self.size(lowest)
        {after}

    def size(self, total):
        available = get_available_gpu_memory("cuda", 0)
        self.budget = available - total * (1 - self.fraction)
"""


@pytest.mark.parametrize(
    ("before", "after", "events"),
    [
        ("self.load_model()", "pass", [("load_model", True)]),
        ("pass", "self.load_model()", None),
        ("self.prepare()", "pass", None),
    ],
)
def test_arguments_and_returns_are_followed(before: str, after: str, events: list[tuple[str, bool]] | None) -> None:
    assert between(CHAIN.format(before=before, after=after)) == events


def test_passages_are_in_the_order_of_time() -> None:
    mixed = formula(facts_of(CHAIN.format(before="self.load_model()", after="pass")), "self.budget").mixed_times
    assert mixed is not None
    told = [passage.event.name if passage.event else passage.name for passage in mixed.passages]
    assert told == ["connect()", "lowest", "lowest", "load_model", "total"]


@pytest.mark.parametrize(
    ("prepare", "events"),
    [
        ("self.load_model()", [("load_model", True)]),
        ("self.deeper()", [("load_model", True)]),
        ("if self.flag:\n            self.load_model()", None),
        ("self.flag or self.load_model()", None),
        ("if self.flag:\n            return\n        self.load_model()", None),
        ("self.prepare()", None),
    ],
)
def test_helpers_count_if_they_always_do_it(prepare: str, events: list[tuple[str, bool]] | None) -> None:
    source = CHAIN.format(before="self.prepare()", after="pass")
    source += f"\n    def prepare(self):\n        {prepare}\n\n    def deeper(self):\n        self.load_model()\n"
    assert between(source) == events


def test_an_overriding_method_that_may_not_do_it_makes_it_uncertain() -> None:
    source = CHAIN.format(before="self.prepare()", after="pass") + "\n    def prepare(self):\n        self.load_model()\n"
    plain = formula(facts_of(source), "self.budget").mixed_times
    assert plain is not None
    assert plain.certain
    derived = "\n\nclass Stub(Runner):\n    def prepare(self):\n        pass\n"
    doubtful = formula(facts_of(source + derived), "self.budget").mixed_times
    assert doubtful is not None
    assert not doubtful.certain
