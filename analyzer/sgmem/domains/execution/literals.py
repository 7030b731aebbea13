"""What an expression spells that is no arithmetic: a number, text, flag or None, directly or by a name of a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.algebra import arithmetic
from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.domains.execution.values import UNKNOWN, Known, Unknown
from sgmem.program.entities import Class, Global
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.accounting.constants import Constants
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class Literals:
    """Finds literals, through module constants and members of classes."""

    def __init__(self, program: Program, constants: Constants) -> None:
        self.program = program
        self.constants = constants

    def of(self, expr: Expr, file: File, statement: int, depth: int = 0) -> Known:
        """The value that an expression spells; UNKNOWN where it spells none."""
        if isinstance(expr, ir.Const):
            return literal_of(expr)
        if depth > 4:
            return UNKNOWN
        if isinstance(expr, ir.Name | ir.Attribute):
            named = self._named(expr, file, statement, depth)
            if not isinstance(named, Unknown):
                return named
        try:
            return value_of(expr, lambda leaf: self.constants.of(leaf, file, statement))
        except Unsupported:
            return UNKNOWN

    def wrapped(self, expr: Expr, file: File, statement: int) -> Known:
        """The literal that a class member was built with, as the default of a setting read from the environment is."""
        if not isinstance(expr, ir.Attribute):
            return UNKNOWN
        owner = self.program.names.entity(expr.base, file, file.outline.statements[statement].scope)
        if isinstance(owner, Global):
            owner = next(iter(self.program.values.types(expr.base, file, file.outline.statements[statement].scope)), None)
        if not isinstance(owner, Class):
            return UNKNOWN
        index = self.program.classes.declaration(owner, expr.attr)
        for binding in owner.file.statement(index).bindings if index is not None else ():
            if isinstance(binding.value, ir.Call) and binding.value.args and not binding.value.args[0].keyword:
                return self.of(binding.value.args[0].value, owner.file, index or 0)
        return UNKNOWN

    def _named(self, expr: ir.Name | ir.Attribute, file: File, statement: int, depth: int) -> Known:
        scope = file.outline.statements[statement].scope
        entity = self.program.names.entity(expr, file, scope)
        if isinstance(entity, Global):
            bindings = tuple(self.program.names.bindings(entity.file, 0, entity.name))
            if len(bindings) == 1 and entity.file.outline.statements[bindings[0]].parent == -1:
                return self._bound(entity.file, bindings[0], depth)
        if isinstance(expr, ir.Attribute):
            owner = self.program.names.entity(expr.base, file, scope)
            if isinstance(owner, Class):
                for each in self.program.classes.mro(owner):
                    index = self.program.classes.declaration(each, expr.attr)
                    if index is not None:
                        return self._bound(each.file, index, depth)
        return UNKNOWN

    def _bound(self, file: File, index: int, depth: int) -> Known:
        values = [binding.value for binding in file.statement(index).bindings if binding.value is not None]
        return self.of(values[0], file, index, depth + 1) if len(values) == 1 else UNKNOWN


def literal_of(expr: ir.Const) -> Known:
    """The number, text, flag or None that a literal spells."""
    if expr.value is None or isinstance(expr.value, bool | str):
        return UNKNOWN if expr.text == "..." else expr.value
    number = arithmetic.constant(expr)
    return number if number is not None else UNKNOWN
