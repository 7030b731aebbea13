"""The order of places that different functions hold."""

from __future__ import annotations

from domains.programs import facts_of

from sgmem.domains.accounting.passes import Meeting, Passes, Stop
from sgmem.domains.program_facts import ProgramFacts


def stop(facts: ProgramFacts, text: str) -> Stop:
    """The one statement with that text."""
    file = facts.program.files.get("serving/case.py")
    assert file is not None
    found = [index for index in range(len(file.outline.statements)) if file.own_text(index) == text]
    assert len(found) == 1
    return Stop(file, found[0])


def meeting(source: str, first: str, second: str) -> Meeting | None:
    facts = facts_of(source)
    return Passes(facts).meeting(stop(facts, first), stop(facts, second))


DRIVER = """
class Plan:
    def resolve(self):
        self.measure()
        self.divide()

    def measure(self):
        self.inner()

    def inner(self):
        a = 1

    def divide(self):
        b = 2
"""


def test_two_places_meet_in_the_nearest_function_that_leads_to_both() -> None:
    met = meeting(DRIVER, "a = 1", "b = 2")
    assert met is not None and met.certain
    assert [one.file.own_text(one.statement) for one in met.first] == ["self.measure()", "self.inner()", "a = 1"]
    assert [one.file.own_text(one.statement) for one in met.second] == ["self.divide()", "b = 2"]
    assert meeting(DRIVER, "b = 2", "a = 1") is None


def test_what_comes_again_afterwards_does_not_come_before() -> None:
    source = DRIVER.replace("self.divide()\n", "self.divide()\n        self.measure()\n", 1)
    assert meeting(source, "a = 1", "b = 2") is None


def test_what_one_condition_excludes_does_not_meet() -> None:
    source = DRIVER.replace(
        "        self.measure()\n        self.divide()\n",
        "        if self.x:\n            self.measure()\n        else:\n            self.divide()\n",
    )
    assert meeting(source, "a = 1", "b = 2") is None


def test_the_nearest_order_counts_where_a_function_runs_twice() -> None:
    source = """
    def outer():
        inner()
        inner()

    def inner():
        divide()
        measure()

    def measure():
        a = 1

    def divide():
        b = 2
    """
    assert meeting(source, "a = 1", "b = 2") is None


def test_functions_that_are_handed_over_meet_less_surely() -> None:
    source = """
    def resolve(args):
        run(measure, args)
        run(divide, args)

    def run(step, args):
        step(args)

    def measure(args):
        a = 1

    def divide(args):
        b = 2
    """
    met = meeting(source, "a = 1", "b = 2")
    assert met is not None and not met.certain
