"""A step: what happens next to a value on its way through the program."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.flow.occurrences import Grade
from sgmem.flow.places import ANY, Path, Place
from sgmem.program.calls import CallSite
from sgmem.syntax.ir import Expr, Span

Kind = Literal["assign", "argument", "return", "store", "load", "operand", "keyword", "overlay", "alias"]
End = Literal["read", "pass", "store", "guard", "bind", "return", "through"]


class Step(msgspec.Struct, frozen=True):
    """What happens to a value read at `node`: it reaches `target` (None where it ends here).

    `span` is the tight place of the event, `formula` the whole arithmetic expression the value went through, `call` the call site that
    the value enters, `callee` the called expression's text, `callees` all names the callee goes by. `through`: the value went through
    this call on its way and comes out again (`int(x)`), which is told beside its other steps.
    """

    end: End
    kind: Kind
    span: Span
    target: Place | None = None
    path: Path = ()
    derived: bool = False
    formula: Expr | None = None
    call: CallSite | None = None
    callee: str | None = None
    callees: tuple[str, ...] = ()
    grade: Grade = "same"
    mutation: bool = False
    """The target is a container that receives the value under a key."""
    by_name: bool = False
    """The target is a field that a function writes by the name under which it gets the value."""
    nameless: bool = False
    """The value has been taken out of a container without the name under which it was held there."""
    unresolved: str | None = None


class Value(msgspec.Struct):
    """A value on its way up an expression."""

    node: Expr
    path: Path
    derived: bool = False
    formula: Expr | None = None
    key_variable: str | None = None
    key: str | int | None = None
    nameless: bool = False


def ending(value: Value, end: End) -> Step:
    return Step(end, "load", value.node.span, None, value.path, value.derived, value.formula)


def moved(path: Path) -> Path:
    """The path to an element whose index has changed."""
    return (ANY, *path[1:]) if path and isinstance(path[0], int) else path
