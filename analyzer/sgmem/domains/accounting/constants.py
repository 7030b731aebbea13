"""Names that stand for a number: `GB = 1 << 30`, `LIMIT = 10 * GB`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.algebra.evaluate import value_of
from sgmem.domains.algebra.forms import Unsupported
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Global, Local
from sgmem.syntax import ir

if TYPE_CHECKING:
    from fractions import Fraction

    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class Constants:
    """Finds the numbers behind names, memoised per expression."""

    def __init__(self, program: Program, order: Order) -> None:
        self.program = program
        self.order = order
        self._found: dict[Expr, Fraction | None] = {}

    def of(self, leaf: Expr, file: File, statement: int) -> Fraction | None:
        """The number that a name stands for, where its only definition is a literal or calculated from such names."""
        if not isinstance(leaf, ir.Name | ir.Attribute) or self._is_foreign(leaf, file):
            return None
        if leaf not in self._found:
            self._found[leaf] = None  # cuts cycles
            self._found[leaf] = self._find(leaf, file, statement)
        return self._found[leaf]

    def _is_foreign(self, leaf: ir.Name | ir.Attribute, file: File) -> bool:
        """Whether the name may come from another file and is not written as a constant: not worth reading that file."""
        if isinstance(leaf, ir.Attribute):
            return not leaf.attr.isupper()
        return not leaf.id.isupper() and bool(file.imported_anywhere(leaf.id))

    def _find(self, leaf: ir.Name | ir.Attribute, file: File, statement: int) -> Fraction | None:
        definition = self._definition(leaf, file, statement)
        if definition is None:
            return None
        where, index = definition
        for binding in where.statement(index).bindings:
            plain = binding.how in ("assign", "annotate") and isinstance(binding.target, ir.Name)
            if plain and binding.value is not None:
                try:
                    return value_of(binding.value, lambda inner: self.of(inner, where, index))
                except Unsupported:
                    return None
        return None

    def _definition(self, leaf: ir.Name | ir.Attribute, file: File, statement: int) -> tuple[File, int] | None:
        """The one statement that gives a name its value at a statement; a global's must stand under no condition."""
        names, scope = self.program.names, file.outline.statements[statement].scope
        entity = names.entity(leaf, file, scope)
        if isinstance(entity, Local) and isinstance(leaf, ir.Name):
            if entity.file is file and entity.index == scope:
                found = self.order.reaching(file, scope, leaf.id, statement)
            else:
                found = frozenset(names.bindings(entity.file, entity.index, leaf.id))
        elif isinstance(entity, Global):
            found = frozenset(names.bindings(entity.file, 0, entity.name))
        else:
            return None
        if len(found) != 1 or ENTRY in found:
            return None
        index = next(iter(found))
        conditional = isinstance(entity, Global) and entity.file.outline.statements[index].parent != -1
        return None if conditional else (entity.file, index)
