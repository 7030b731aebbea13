"""A step: what happens next to a value on its way through the program."""

from __future__ import annotations

from typing import Literal

import msgspec

from sgmem.flow.occurrences import Grade
from sgmem.flow.places import ANY, Path, Place
from sgmem.program.calls import CallSite
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

Kind = Literal["assign", "argument", "return", "store", "load", "operand", "keyword", "overlay", "alias"]
End = Literal["read", "pass", "store", "guard", "bind", "return", "through"]


Running = tuple[str, str]
"""A variable that runs over names, and the name that it holds while the value is at hand."""


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
    running: Running | None = None
    """The loop variable that holds the name under which the value goes, and that name."""
    given: str | int | None = None
    """The keyword or position of the argument, where the call leads out of the program."""


class Value(msgspec.Struct):
    """A value on its way up an expression."""

    node: Expr
    path: Path
    derived: bool = False
    formula: Expr | None = None
    key_variable: str | None = None
    key: str | int | None = None
    nameless: bool = False

    @property
    def running(self) -> Running | None:
        """The variable that holds the value's name, and the name."""
        return (self.key_variable, self.key) if self.key_variable is not None and isinstance(self.key, str) else None

    def name_in(self, key: Expr | None) -> str | None:
        """The name that an expression gives as a key: a literal, or the variable that holds the value's name."""
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            return key.value
        return self.key if isinstance(key, ir.Name) and key.id == self.key_variable and isinstance(self.key, str) else None


def ending(value: Value, end: End) -> Step:
    return Step(end, "load", value.node.span, None, value.path, value.derived, value.formula)


def moved(path: Path) -> Path:
    """The path to an element whose index has changed."""
    return (ANY, *path[1:]) if path and isinstance(path[0], int) else path


def first_name(target: Expr) -> str | None:
    """The name of the first of several loop variables."""
    first = target.items[0] if isinstance(target, ir.Collection) and len(target.items) > 1 else None
    return first.id if isinstance(first, ir.Name) else None


def asks_for(test: ir.Compare) -> str | None:
    """The name of the entry that a test asks a container for: `"size" in given`, `"size" not in given`."""
    asked = test.operands[0] if test.operators in (("in",), ("not in",)) else None
    return asked.value if isinstance(asked, ir.Const) and isinstance(asked.value, str) else None


def paired_name(pair: ir.Collection) -> str | None:
    """The name in a display of a name and a value: `("size", 3)`."""
    name = pair.items[0] if len(pair.items) == 2 else None
    return name.value if isinstance(name, ir.Const) and isinstance(name.value, str) else None
