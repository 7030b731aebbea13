"""The first check that stops a value, and code that is beside the program."""

from __future__ import annotations

import pytest
from flow.small import line_of, program_of, sliced

from sgmem.flow.aside import distance, is_aside
from sgmem.flow.checks import Checks
from sgmem.flow.guards import Conditions

GUARDED = """
    def start(budget, other):
        rest = budget - other
        {check}
        return rest
"""


def first_check(check: str) -> str | None:
    """The code of the first check that the formula `rest` meets."""
    slicer = sliced(GUARDED.replace("{check}", check.replace("\n", "\n        ")))
    slicer.slice.join_places()
    formula = min(slicer.slice.formulas, key=lambda key: key.span)
    found = Checks(slicer.slice, Conditions(slicer.program, slicer.order)).first(formula)
    return None if found is None else found.file.source.slice(found.span).partition(":")[0]


@pytest.mark.parametrize(
    ("check", "found"),
    [
        ("if rest <= 0:\n    raise ValueError", "if rest <= 0"),
        ("if rest < 0:\n    return None", "if rest < 0"),
        ("if 0 >= rest:\n    raise ValueError", "if 0 >= rest"),
        ("assert rest > 0", "assert rest > 0"),
        ("tokens = int(rest)\nif tokens <= 0:\n    raise ValueError", "if tokens <= 0"),
        ("if rest <= 0:\n    show(rest)", None),
        ("if rest == 0:\n    raise ValueError", None),
        ("if rest < other:\n    raise ValueError", None),
        ("if other <= 0:\n    raise ValueError", None),
        ("if rest is None:\n    raise ValueError", None),
        ("pass", None),
    ],
)
def test_a_check_compares_the_value_with_a_number_and_leaves(check: str, found: str | None) -> None:
    assert first_check(check) == found


def test_the_nearest_check_is_the_first() -> None:
    checks = "tokens = int(rest)\nif tokens <= 0:\n    raise ValueError\nif rest <= 0:\n    raise ValueError"
    assert first_check(checks) == "if rest <= 0"


@pytest.mark.parametrize(
    ("checks", "found"),
    [
        (
            "if other > 3:\n    part = rest * 2\n    if part <= 0:\n        raise ValueError\nif rest <= 0:\n    raise ValueError",
            "if rest <= 0",
        ),
        ("if other > 3:\n    part = rest * 2\n    if part <= 0:\n        raise ValueError", "if part <= 0"),
        (
            "part = rest * 2\nif part <= 0:\n    raise ValueError\nlater = part + other\nif later <= 0:\n    raise ValueError",
            "if part <= 0",
        ),
    ],
)
def test_a_check_that_is_always_met_comes_before_one_under_a_condition(checks: str, found: str) -> None:
    assert first_check(checks) == found


ASIDE = {
    "main": """
        def start(budget):
            return budget


        if __name__ == "__main__":
            start(1)
            if True:
                start(2)

        if "__main__" == __name__:
            start(3)

        if __name__ == "other":
            start(4)
    """,
    "plain": "start(5)\n",
    "test_plain": "start(6)\n",
    "test/helper": "start(7)\n",
    "latest/helper": "start(8)\n",
    "conftest": "start(9)\n",
}


@pytest.mark.parametrize(
    ("code", "module", "beside"),
    [
        ("return budget", "main", False),
        ("start(1)", "main", True),
        ("start(2)", "main", True),
        ("start(3)", "main", True),
        ("start(4)", "main", False),
        ("start(5)", "plain", False),
        ("start(6)", "test_plain", True),
        ("start(7)", "test/helper", True),
        ("start(8)", "latest/helper", False),
        ("start(9)", "conftest", True),
    ],
)
def test_tests_and_what_runs_only_by_itself_are_beside_the_program(code: str, module: str, beside: bool) -> None:
    path, number = line_of(ASIDE, code, module)
    file = program_of(ASIDE).files.get(path)
    assert file is not None
    index = next(i for i, row in enumerate(file.outline.statements) if row.span.line == number)
    assert is_aside(file, index) is beside
    assert distance(file, index) == (2 if beside else 1 if module == "main" else 0)
