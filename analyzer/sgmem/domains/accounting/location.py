"""A place in the analysed source, as findings point at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File
    from sgmem.syntax.ir import Span

MAX_CODE = 160


class Location(msgspec.Struct, frozen=True):
    """An expression, or a whole simple statement, in its file; `statement` is the statement that holds it."""

    file: File
    statement: int
    span: Span

    @property
    def path(self) -> str:
        return self.file.path

    @property
    def line(self) -> int:
        return self.span.line

    @property
    def column(self) -> int:
        return self.span.column

    @property
    def symbol(self) -> str:
        """`module:qualname` of the function or class around it."""
        return symbol_of(self.file, self.statement)

    @property
    def function(self) -> str:
        """The name of the function or class around it, for a sentence; the module's where there is none."""
        row = self.file.outline.statements[self.statement]
        return self.file.scope(row.scope).name or self.file.module.rpartition(".")[2]

    @property
    def code(self) -> str:
        """Its source on one line, white space folded, control characters escaped."""
        return one_line(self.file.source.slice(self.span))

    @property
    def first_line(self) -> str:
        """The whole line of source that it begins on."""
        return one_line(self.file.source.line(self.span.line))


def symbol_of(file: File, statement: int) -> str:
    """`module:qualname` of the function or class around a statement, or that it defines; the module at the top level."""
    scope = file.scope_defined_by.get(statement, file.outline.statements[statement].scope)
    qualname = file.scope(scope).qualname
    return f"{file.module}:{qualname}" if qualname else file.module


def of_statement(file: File, statement: int) -> Location:
    """The place of a statement; of a compound one its header."""
    return Location(file, statement, file.statement(statement).span)


def one_line(code: str) -> str:
    """Source on one line, cut with an ellipsis where it is long."""
    shown = "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in " ".join(code.split()))
    return shown if len(shown) <= MAX_CODE else shown[: MAX_CODE - 1] + "…"


def last_name(call: ir.Call) -> str:
    """The last name of what a call calls: `empty` of `torch.empty(8)`; "" where it is none."""
    func = call.func
    return func.attr if isinstance(func, ir.Attribute) else func.id if isinstance(func, ir.Name) else ""
