"""Which calls a value came in by is told apart up to a number, and a recursion is followed for two rounds."""

from __future__ import annotations

from flow.small import MAIN, slice_lines, sliced, told

from sgmem.flow.ways import MAX_STACK


def test_what_a_recursion_gives_back_is_followed_at_the_call_inside_it_too() -> None:
    slicer = sliced(
        "def walk(value, depth):\n"
        "    if depth:\n"
        "        inner = walk(value, depth - 1)\n"
        "        show(inner)\n"
        "    return value\n"
        "def start(budget, limit):\n"
        "    show(walk(budget, 3))\n"
        "def other(limit):\n"
        "    show(walk(limit, 3))\n",
        "start.budget",
    )
    lines = {line for _, line in slice_lines(slicer)}
    assert {4, 7} <= lines
    assert not {8, 9} & lines


def test_a_recursion_with_many_calls_of_itself_stays_small() -> None:
    calls = "".join(f"    if depth == {i}:\n        return walk(value, {i})\n" for i in range(12))
    slicer = sliced(
        f"def walk(value, depth):\n{calls}    return value\ndef start(budget):\n    show(walk(budget, 3))\n", "start.budget"
    )
    inside = [state for state in slicer.slice.entering if str(state.place) == "prog.main:walk.value"]
    assert len(inside) <= 1 + 12
    assert told(slicer) == []


def test_functions_that_call_each_other_are_left_by_the_call_that_entered_them() -> None:
    slicer = sliced(
        "def even(value, depth):\n"
        "    return odd(value, depth - 1)\n"
        "def odd(value, depth):\n"
        "    return even(value, depth - 1) if depth else value\n"
        "def start(budget):\n"
        "    show(even(budget, 4))\n"
        "def other(limit):\n"
        "    show(even(limit, 4))\n",
        "start.budget",
    )
    assert (MAIN, 6) in slice_lines(slicer)
    assert (MAIN, 8) not in slice_lines(slicer)


def test_a_helper_below_many_calls_gives_back_to_its_own_caller() -> None:
    depth = MAX_STACK - 2
    chain = "".join(f"def f{i}(x):\n    return f{i - 1}(x)\n" for i in range(1, depth))
    slicer = sliced(
        f"def f0(x):\n    return x\n{chain}def start(budget):\n    show(f{depth - 1}(budget))\ndef other(limit):\n    show(f0(limit))\n",
        "start.budget",
    )
    assert (MAIN, 2 * depth + 2) in slice_lines(slicer)
    assert (MAIN, 2 * depth + 4) not in slice_lines(slicer)
