"""The qualified names under which models may know a call."""

from __future__ import annotations

from sgmem.program.entities import Class, External, Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir


def call_names(program: Program, call: ir.Call, file: File, scope: int) -> tuple[str, ...]:
    """The names of what a call may enter: `module:qualname` inside the program, dotted outside, the source's spelling last."""
    names: dict[str, None] = {}
    entity = program.names.entity(call.func, file, scope)
    if isinstance(entity, Function | Class):
        names[entity.qualified] = None
    elif isinstance(entity, External):
        names[entity.dotted] = None
    else:
        for target, _, _ in program.calls.targets(call, file, scope):
            names[target.qualified] = None
    text = dotted(call.func)
    if text is not None and not names:
        names[text] = None
    return tuple(names)
