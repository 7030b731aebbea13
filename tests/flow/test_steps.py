"""Where a value goes next, for every kind of expression and statement that it can be read in. A twin of each program does the same
with another value, through which nothing may flow."""

from __future__ import annotations

import pytest
from flow.small import line_of, slice_lines, sliced

HEAD = "import copy\nimport math\nimport typing\n\nimport torch\n\n\n"

GOES_ON = [
    "{v}",
    "({v})",
    "-{v}",
    "+{v}",
    "~{v}",
    "{v} + 1",
    "2 * {v}",
    "{v} // 2 % 5",
    "{v} << 20",
    "{v} if flag else 0",
    "0 if flag else {v}",
    "{v} or 1",
    "flag and {v}",
    "(inner := {v})",
    "int({v})",
    "abs({v})",
    "round({v}, 2)",
    "min({v}, 8)",
    "max(1, {v})",
    "math.ceil({v})",
    "sum([{v}, 1])",
    "copy.deepcopy({v})",
    "typing.cast(int, {v})",
    "torch.tensor({v})",
    "{v}.item()",
    "[{v}][0]",
    "(0, {v})[1]",
    "[{v}][-1]",
    "[{v}][:1][0]",
    "([1] + [{v}])[1]",
    "[*[{v}]][0]",
    "{{'k': {v}}}['k']",
    "{{'k': {v}}}.get('k')",
    "{{'k': {v}}}.get('k', 0)",
    "{{'k': {v}}}.pop('k')",
    "{{**{{'k': {v}}}}}['k']",
    "({{'j': 1}} | {{'k': {v}}})['k']",
    "dict(k={v})['k']",
    "dict(zip(['k'], [{v}]))[key]",
    "list({{'k': {v}}}.values())[0]",
    "[value for name, value in {{'k': {v}}}.items()][0]",
    "list(enumerate([{v}]))[0][1]",
    "sorted([{v}])[0]",
    "next(iter([{v}]))",
    "[{v} for _ in range(3)][0]",
    "[x for x in [{v}]][0]",
    "[x + 1 for x in [{v}] if x > 0][0]",
    "{{name: {v} for name in 'ab'}}['a']",
    "(lambda: {v})()",
    "{{'k': [{v}]}}['k'][0]",
    "getattr(holder, 'share', {v})",
    "{{'k': 0}}.get('j', {v})",
    "{{}}.setdefault('k', {v})",
    "[[{v}]][0][0]",
    "max([{v}, 1])",
    "max({{'k': {v}}}.values())",
    "(await later({v}))",
    "sorted([0, {v}])[0]",
    "list(reversed([0, {v}]))[0]",
    "[0, {v}][1:][0]",
    "dict([('k', {v})])['k']",
    "[{v}].pop()",
    "deque([{v}]).popleft()",
    "next(iter([]), {v})",
    "{{'k': 0}}.pop('j', {v})",
]

ENDS = [
    "{v} > 0",
    "{v} is None",
    "{v} in (1, 2)",
    "not {v}",
    "1 if {v} else 2",
    "f'{{{v}}} tokens'",
    "'%d tokens' % {v}",
    "len({v})",
    "isinstance({v}, int)",
    "{{{v}: 1}}",
    "[1, 2, 3][{v}]",
    "[1 for _ in range({v})]",
    "[x for x in things if x < {v}]",
    "(0, {v})[0]",
    "{{'k': {v}, 'j': 0}}['j']",
    "{{'k': {v}, 'j': 0}}.get('j')",
    "dict(k={v}, j=0)['j']",
    "[name for name, value in {{'k': {v}}}.items()]",
    "list(enumerate([{v}]))[0][0]",
    "(lambda {v}: {v})(0)",
    "[{v} for {v} in things]",
]


def start(expression: str) -> str:
    """A function that computes the expression once from the traced value and once from another."""
    mine, other = expression.format(v="budget"), expression.format(v="limit")
    later = "async def later(value):\n    return value\n\n\n"
    body = f"    mine = {mine}\n    other = {other}\n    show(mine)\n    show(other)\n"
    return f"{HEAD}{later}async def start(budget, limit):\n{body}"


@pytest.mark.parametrize("expression", GOES_ON)
def test_the_value_of_the_expression_is_followed(expression: str) -> None:
    text = start(expression)
    covered = slice_lines(sliced(text, "start.budget"))
    assert line_of(text, "show(mine)") in covered
    assert line_of(text, "show(other)") not in covered


@pytest.mark.parametrize("expression", ENDS)
def test_the_value_ends_in_the_expression(expression: str) -> None:
    text = start(expression)
    covered = slice_lines(sliced(text, "start.budget"))
    assert line_of(text, "show(mine)") not in covered
    assert line_of(text, "show(other)") not in covered
