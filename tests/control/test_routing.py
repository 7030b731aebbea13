from __future__ import annotations

from control.outlines import Program

from sgmem.control.cfg import EXIT, RAISED
from sgmem.control.routing import Routing


def routed(text: str) -> tuple[Program, Routing]:
    program = Program(text)
    routing = Routing(program.cfg.blocks)
    for statement in program.cfg.blocks.indices:
        routing.place(statement)
    return program, routing


def test_contexts_follow_from_the_parents() -> None:
    program, routing = routed("try:\n  while t:\n    if u:\n      a = 1\nexcept E:\n  b = 1\nc = 1\n")
    inner = program.at("a = 1")
    assert routing.after(inner) == ((program.at("while"), "loop"),)
    assert routing.handler(inner) == program.at("except")
    assert routing.handler(program.at("b = 1")) == RAISED
    assert routing.after(program.at("b = 1")) == ((program.at("c = 1"), "next"),)
    assert routing.after(program.at("c = 1")) == ((EXIT, "next"),)


def test_siblings_are_of_one_block() -> None:
    program, routing = routed("if t:\n  a = 1\nelse:\n  b = 1\nc = 1\n")
    assert routing.sibling(program.at("a = 1")) is None
    assert routing.sibling(program.at("if t")) == program.at("c = 1")


def test_a_finally_block_is_left_only_where_something_entered_it_for() -> None:
    program, routing = routed("for i in x:\n  try:\n    a = 1\n    continue\n  finally:\n    b = 1\nc = 1\n")
    loop, final = program.at("for"), program.at("b = 1")
    assert routing.jump(program.at("continue")) == ((final, "next"),)
    routing.place(final)  # in order, a finally block is placed when all that passes through it is known
    assert set(routing.after(final)) == {(loop, "loop"), (RAISED, "exception")}
