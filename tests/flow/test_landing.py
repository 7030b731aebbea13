"""Where a value goes from a statement: bindings of every kind, containers it is put into, loops, tests, matches."""

from __future__ import annotations

import pytest
from flow.small import assert_marks, slice_lines, sliced

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
