from __future__ import annotations

from control.outlines import Program

from sgmem.control.cfg import ENTRY, EXIT, RAISED
from sgmem.control.dominators import LEFT, dominators, post_dominators

GUARDED = """
    def f(x):
        if x is None:
            return 0
        while x:
            a = 1
            if y:
                raise ValueError
        b = 1
        return b
"""


def test_dominators() -> None:
    program = Program(GUARDED, "f")
    tree = dominators(program.cfg)
    test, loop, b = program.at("if x"), program.at("while"), program.at("b = 1")
    assert tree.immediate[loop] == test
    assert tree.immediate[b] == loop
    assert tree.immediate[EXIT] == test
    assert tree.chain(b) == (loop, test, ENTRY)
    assert tree.dominates(test, b)
    assert tree.dominates(b, b)
    assert not tree.dominates(b, EXIT)
    assert not tree.dominates(program.at("a = 1"), b)


def test_post_dominators() -> None:
    program = Program(GUARDED, "f")
    tree = post_dominators(program.cfg)
    assert tree.dominates(program.at("return b"), program.at("b = 1"))
    assert not tree.dominates(program.at("b = 1"), program.at("while"))  # it may raise instead
    assert tree.immediate[program.at("raise")] == RAISED
    assert tree.immediate[program.at("if x")] == LEFT
    assert tree.chain(EXIT) == (LEFT,)


def test_dead_code_dominates_nothing_and_is_dominated_by_nothing() -> None:
    program = Program("def f():\n  return 1\n  a = 1\n", "f")
    tree = dominators(program.cfg)
    assert not tree.dominates(ENTRY, program.at("a"))
    assert not tree.dominates(program.at("a"), program.at("a"))
    assert tree.chain(program.at("a")) == ()


def test_many_exits_of_one_scope() -> None:
    """A long ladder of early returns: each test dominates all that stands below it, no return dominates the end."""
    program = Program("def f():\n" + "".join(f"  if t{i}: return {i}\n" for i in range(1500)), "f")
    tree = dominators(program.cfg)
    first, last = program.at("if t0:"), program.at("if t1499:")
    assert len(tree.chain(last)) == 1500
    assert tree.dominates(first, last)
    assert tree.immediate[EXIT] == first
