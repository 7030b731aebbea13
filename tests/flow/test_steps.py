"""Where a value goes next, for every kind of expression and statement that it can be read in. A twin of each program does the same
with another value, through which nothing may flow."""

from __future__ import annotations

import pytest
from flow.small import assert_marks, line_of, slice_lines, sliced

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


STATEMENTS = {
    "unpacked": """
        def start(budget, limit):
            mine, other = budget, limit
            show(mine)  #+
            show(other)  #-
    """,
    "unpacked in depth": """
        def start(budget, limit):
            (other, [mine, *rest]), last = (limit, [budget, limit, limit]), limit
            show(mine)  #+
            show(other)  #-
            show(rest)  #-
            show(last)  #-
    """,
    "the rest of an unpacking": """
        def start(budget, limit):
            first, *rest = limit, limit, budget
            show(first)  #-
            show(rest[1])  #+
            show(rest[0])  #-
    """,
    "chained": """
        def start(budget, limit):
            mine = again = budget
            other = limit
            show(again)  #+
            show(mine)  #+
            show(other)  #-
    """,
    "annotated": """
        def start(budget, limit):
            mine: int = budget
            other: int = limit
            later: int
            show(mine)  #+
            show(other)  #-
    """,
    "augmented": """
        def start(budget, limit):
            mine = other = 0
            mine += budget
            other += limit
            show(mine)  #+
            show(other)  #-
    """,
    "augmented itself": """
        def start(value, limit):
            budget = value
            budget -= limit
            show(budget)  #+
            limit -= 1
            show(limit)  #-
    """,
    "the element of a loop": """
        def start(budget, limit):
            for mine, other in [(budget, limit)]:
                show(mine)  #+
                show(other)  #-
    """,
    "a loop over what is no container": """
        def start(budget, limit):
            for mine in range(budget):  #+
                show(mine)  #-
    """,
    "with": """
        def start(budget, limit):
            with opened(budget), limit as other:  #+
                show(other)  #-
            with budget as mine:
                show(mine)  #+
    """,
    "a walrus in a test": """
        def start(budget, limit):
            if (mine := budget) and (other := limit):
                show(mine)  #+
                show(other)  #-
    """,
    "returned": """
        def give(budget, limit, which):
            if which:
                return budget
            return 0


        def start():
            show(give(3, 4, True))  #+
            show(keep(4))  #-


        def keep(limit):
            return limit
    """,
    "yielded": """
        def give(budget, limit):
            yield budget


        def keep(budget, limit):
            yield limit


        def start():
            for mine in give(1, 2):
                show(mine)  #+
            for other in keep(1, 2):
                show(other)  #-
    """,
    "stored in an attribute": """
        class Holder:
            pass


        def start(budget, limit):
            holder = Holder()
            holder.mine = budget  #+
            holder.other = limit  #-
            show(holder.mine)  #+
            show(holder.other)  #-
    """,
    "stored under a key": """
        def start(budget, limit):
            table = {}
            table["mine"] = budget  #+
            table["other"] = limit  #-
            show(table["mine"])  #+
            show(table["other"])  #-
    """,
    "stored under a key that is computed": """
        def start(budget, limit, key):
            table, others = {}, {}
            table[key] = budget  #+
            others[key] = limit  #-
            show(table["mine"])  #+
            show(others["mine"])  #-
    """,
    "put into containers by methods": """
        def start(budget, limit):
            items, others, table, rest = [], [], {}, {}
            items.append(budget)
            others.append(limit)
            table.update(mine=budget)
            rest.update({"other": limit})
            show(items[0])  #+
            show(others[0])  #-
            show(table["mine"])  #+
            show(table["other"])  #-
            show(rest["other"])  #-
    """,
    "updated from another dictionary": """
        def start(budget, limit):
            table, rest = {}, {}
            table.update({"mine": budget})
            rest.update({"mine": limit})
            show(table["mine"])  #+
            show(rest["mine"])  #-
    """,
    "extended": """
        def start(budget, limit):
            items, others = [0], [0]
            items.extend([budget])
            others.extend([limit])
            show(items[1])  #+
            show(others[1])  #-
    """,
    "joined by augmenting": """
        def start(budget, limit):
            items, others = [0], [0]
            items += [budget]
            others += [limit]
            show(items[1])  #+
            show(others[1])  #-
    """,
    "written over": """
        def start(budget, limit):
            table = {"mine": budget}
            table["mine"] = limit  #-
            held = {"deep": table}
            held["deep"]["other"] = limit  #-
    """,
    "a default parameter": """
        budget = 5
        limit = 6


        def take(mine=budget, other=limit):
            show(mine)  #+
            show(other)  #-
    """,
    "a decorator's argument and a class's keyword": """
        def start(budget, limit):
            @sized(budget)  #+
            def inner():
                show(limit)  #-
    """,
    "raised": """
        def start(budget, limit):
            raise ValueError(f"only {budget}")  #+


        def other(budget, limit):
            raise ValueError(f"only {limit}")  #-
    """,
    "asserted": """
        def start(budget, limit):
            assert budget > 0, "no budget"  #+
            assert limit > 0, "no limit"  #-
    """,
    "matched": """
        def start(budget, limit):
            match (budget, limit):
                case (mine, other):
                    show(mine)  #+
                    show(other)  #-
    """,
    "deleted": """
        def start(budget, limit):
            mine = budget
            del mine
            other = limit
            show(other)  #-
    """,
}


@pytest.mark.parametrize("name", STATEMENTS)
def test_statements(name: str) -> None:
    assert_marks(STATEMENTS[name], slice_lines(sliced(STATEMENTS[name])))


CALLS = {
    "by position": """
        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            take(limit, budget)
    """,
    "by keyword": """
        def take(first, second):
            show(first)  #+
            show(second)  #-


        def start(budget, limit):
            take(second=limit, first=budget)
    """,
    "a star parameter": """
        def take(first, *rest):
            show(first)  #-
            show(rest[0])  #-
            show(rest[1])  #+


        def start(budget, limit):
            take(limit, limit, budget)
    """,
    "a spread list": """
        def take(first, second, third):
            show(first)  #-
            show(second)  #-
            show(third)  #+


        def start(budget, limit):
            take(limit, *[limit, budget])
    """,
    "open keywords": """
        def take(first, **rest):
            show(first)  #-
            show(rest["mine"])  #+
            show(rest["other"])  #-


        def start(budget, limit):
            take(limit, mine=budget, other=limit)
    """,
    "a spread dictionary": """
        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            take(**{"first": limit, "second": budget})
    """,
    "forwarded": """
        def outer(*args, **kwargs):
            inner(*args, **kwargs)


        def inner(first, second, third=None, fourth=None):
            show(first)  #-
            show(second)  #+
            show(third)  #-
            show(fourth)  #+


        def start(budget, limit):
            outer(limit, budget, third=limit, fourth=budget)
    """,
    "a record by position and by keyword": """
        from dataclasses import dataclass


        @dataclass
        class Plan:
            first: int
            second: int


        @dataclass
        class Twin:
            first: int
            second: int


        def start(budget, limit):
            plan = Plan(limit, budget)
            twin = Twin(first=budget, second=limit)
            show(plan.first)  #-
            show(plan.second)  #+
            show(twin.first)  #+
            show(twin.second)  #-
    """,
    "replaced in a record": """
        from dataclasses import dataclass, replace


        @dataclass
        class Plan:
            mine: int = 0
            other: int = 0


        def start(budget, limit, plan: Plan):
            fresh = replace(plan, mine=budget, other=limit)
            show(fresh.mine)  #+
            show(fresh.other)  #-
    """,
    "set by a literal name": """
        class Holder:
            mine = 0
            other = 0


        def start(budget, limit):
            holder = Holder()
            setattr(holder, "mine", budget)  #+
            setattr(holder, "other", limit)  #-
            show(holder.mine)  #+
            show(getattr(holder, "mine"))  #+
            show(holder.other)  #-
            show(getattr(holder, "other", 0))  #-
    """,
    "through a property's setter": """
        class Holder:
            @property
            def mine(self):
                return self._mine  #+

            @mine.setter
            def mine(self, value):
                self._mine = value  #+

            @property
            def other(self):
                return self._other  #-

            @other.setter
            def other(self, value):
                self._other = value  #-


        def start(budget, limit):
            holder = Holder()
            holder.mine = budget
            holder.other = limit
            show(holder.mine)  #+
            show(holder.other)  #-
    """,
    "into the attribute dictionary": """
        class Holder:
            mine = 0
            other = 0


        def start(budget, limit):
            holder = Holder()
            holder.__dict__["mine"] = budget
            holder.__dict__["other"] = limit
            show(holder.mine)  #+
            show(holder.other)  #-
    """,
    "a partial": """
        from functools import partial


        def take(first, second):
            show(first)  #-
            show(second)  #+


        def start(budget, limit):
            later = partial(take, second=budget)
            later(limit)
    """,
    "a callee inside a container": """
        def take(first):
            show(first)  #+


        def keep(first):
            show(first)  #-


        def start(budget, limit):
            {"take": take, "keep": keep}["take"](budget)
            {"take": take, "keep": keep}["keep"](limit)
    """,
}


@pytest.mark.parametrize("name", CALLS)
def test_calls(name: str) -> None:
    assert_marks(CALLS[name], slice_lines(sliced(CALLS[name])))
