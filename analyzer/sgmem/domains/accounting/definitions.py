"""Local definitions in place of names, for one formula, with the statement that each part of the result comes from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.algebra.inline import inlined
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Variable
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.occurrences import Occurrences
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MAX_ALTERNATIVES = 3
"""A local with more reaching definitions than this is taken as it is."""
_NUMERIC = frozenset({"int", "float", "round", "max", "min", "abs"})


class Definitions:
    """The definitions behind one formula at a statement of a file."""

    def __init__(self, order: Order, occurrences: Occurrences, file: File, statement: int) -> None:
        self.order = order
        self.occurrences = occurrences
        self.file = file
        self.home = statement
        self._where: dict[Expr, int] = {}

    def expanded(self, expr: Expr) -> Expr:
        """The formula with the arithmetic that defines its locals in their place."""
        return inlined(expr, self.of)

    def statement_of(self, node: Expr) -> int:
        """The statement in which a node of the expanded formula stands."""
        return self._where.get(node, self.home)

    def of(self, leaf: Expr) -> Expr | None:
        """The arithmetic that defines a local; alternatives become a conditional on the test that chooses one."""
        if not isinstance(leaf, ir.Name):
            return None
        scope = self.file.outline.statements[self.home].scope
        places = self.occurrences.variable(self.file, scope, leaf.id)
        if not places or not isinstance(places[0], Variable) or places[0].scope != scope:
            return None
        reaching = self.order.reaching(self.file, scope, leaf.id, self.statement_of(leaf))
        if ENTRY in reaching or not 0 < len(reaching) <= MAX_ALTERNATIVES:
            return None
        chosen: Expr | None = None
        for index in sorted(reaching):
            value = self._value(leaf.id, index)
            if value is None or not is_arithmetic(value) or _is_reading(value):
                return None
            chosen = value if chosen is None else ir.Conditional(value.span, self._test(index), value, chosen)
        return chosen

    def _value(self, name: str, index: int) -> Expr | None:
        """What a plain or augmented assignment gives a name."""
        for binding in self.file.statement(index).bindings:
            if not isinstance(binding.target, ir.Name) or binding.target.id != name or binding.value is None:
                continue
            if binding.how == "augment" and binding.operator is not None:
                value: Expr = ir.Binary(binding.value.span, binding.operator, binding.target, binding.value)
            elif binding.how in ("assign", "annotate"):
                value = binding.value
            else:
                return None
            self._place(value, index)
            return value
        return None

    def _test(self, index: int) -> Expr:
        """The test under which an alternative definition is made, as far as it is a plain if."""
        row = self.file.outline.statements[index]
        test = self.file.test(row.parent) if row.parent >= 0 and row.block == "body" else None
        if test is None:
            return ir.Opaque(row.span, "it is set again")
        self._place(test, row.parent)
        return test

    def _place(self, root: Expr, statement: int) -> None:
        for node in ir.walk(root):
            self._where.setdefault(node, statement)


def is_arithmetic(value: Expr) -> bool:
    """Whether putting a definition in place tells more than the name: sums, products, min and max, conditionals."""
    if isinstance(value, ir.Call):
        return (dotted(value.func) or "").rpartition(".")[2] in _NUMERIC
    return isinstance(value, ir.Binary | ir.Unary | ir.Conditional)


def _is_reading(value: Expr) -> bool:
    """Whether it is what one call gives, in another unit at most: the name says more than the call."""
    leaves = inputs(value)
    return len(leaves) == 1 and isinstance(leaves[0], ir.Call)


def inputs(expr: Expr) -> list[Expr]:
    """The leaves of a formula, in source order: operands that are no arithmetic themselves, literals aside."""
    found: list[Expr] = []
    pending = [expr]
    while pending:
        node = pending.pop()
        match node:
            case ir.Const() | ir.Format() | ir.Compare() | ir.Comprehension() | ir.Lambda() | ir.Opaque():
                continue
            case ir.Binary() | ir.Unary() | ir.Boolean():
                pending += reversed(node.children())
            case ir.Conditional():
                pending += [node.orelse, node.body]
            case ir.Walrus() | ir.Await():
                pending.append(node.value)
            case ir.Call() if is_arithmetic(node):
                pending += [argument.value for argument in reversed(node.args)]
            case _:
                found.append(node)
    return found
