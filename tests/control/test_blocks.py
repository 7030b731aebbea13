from __future__ import annotations

from control.outlines import Program

NESTED = """
    import os
    def outer():
        if a:
            x = 1
            def inner():
                y = 1
            class Held:
                z = 1
        else:
            x = 2
        return x
    last = 1
"""


def test_a_scope_holds_its_own_statements_only() -> None:
    program = Program(NESTED, "outer")
    names = [program.name(statement) for statement in program.cfg.blocks.indices]
    assert names == ["if a", "x = 1", "def inner()", "class Held", "x = 2", "return x"]
    assert not program.cfg.blocks.holds(program.outline.scopes[0].first)
    assert not program.cfg.blocks.holds(-1)
    assert program.cfg.blocks.holds(program.at("if a"))


def test_blocks_are_told_apart() -> None:
    program = Program(NESTED, "outer")
    test = program.at("if a")
    assert [program.name(s) for s in program.cfg.blocks.of(test, "body")] == ["x = 1", "def inner()", "class Held"]
    assert [program.name(s) for s in program.cfg.blocks.of(test, "orelse")] == ["x = 2"]
    assert program.cfg.blocks.of(test, "finally") == ()


def test_module_and_class_scopes() -> None:
    assert [Program(NESTED).name(s) for s in Program(NESTED).cfg.blocks.indices] == [
        "import os",
        "def outer()",
        "last = 1",
    ]
    held = Program(NESTED, "outer.Held")
    assert [held.name(s) for s in held.cfg.blocks.indices] == ["z = 1"]
