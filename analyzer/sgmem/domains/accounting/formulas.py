"""The formulas of a program: arithmetic whose value goes somewhere, with its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.definitions import inputs, is_arithmetic
from sgmem.domains.accounting.location import Location, of_statement, one_line
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.syntax.ir import Binding, Expr

MAX_LINES = 12


class FormulaExpression(msgspec.Struct, frozen=True):
    """`expression` is evaluated at a statement and given to `target`, as the source spells it.

    `node` and `ancestors` lead to it from a top-level expression of the statement; an augmented assignment is shown as
    the sum or product that it is, and `node` is then the operand.
    """

    file: File
    statement: int
    expression: Expr
    target: str
    node: Expr
    ancestors: tuple[Expr, ...]

    @property
    def location(self) -> Location:
        """Its statement where that is small, else the expression."""
        whole = of_statement(self.file, self.statement)
        small = whole.span.end_line - whole.span.line <= MAX_LINES
        return whole if small and self._is_simple else Location(self.file, self.statement, self.node.span)

    @property
    def _is_simple(self) -> bool:
        return self.file.outline.statements[self.statement].kind in ("assign", "augment", "annotate", "return")

    @property
    def text(self) -> str:
        return one_line(self.file.source.slice(self.node.span))


def formulas_in(file: File, statement: int) -> Iterator[FormulaExpression]:
    """The outermost arithmetic of a statement whose value is kept; what is only compared or printed is not."""
    lowered = file.statement(statement)
    for binding in lowered.bindings:
        if binding.value is None or binding.how not in ("assign", "annotate", "augment"):
            continue
        target = dotted(binding.target) or one_line(file.source.slice(binding.target.span))
        if binding.how == "augment" and binding.operator is not None:
            whole = ir.Binary(lowered.span, binding.operator, binding.target, binding.value)
            yield FormulaExpression(file, statement, whole, target, binding.value, ())
            continue
        yield from _outermost(file, statement, binding.value, target, binding)
    kind = lowered.kind
    if kind == "return":
        name = file.scope(file.outline.statements[statement].scope).name
        for value in lowered.values:
            yield from _outermost(file, statement, value, f"{name}()", None)
    elif kind == "expression":
        for value in lowered.values:
            yield from _outermost(file, statement, value, "", None)


def _outermost(file: File, statement: int, root: Expr, target: str, binding: Binding | None) -> Iterator[FormulaExpression]:
    pending: list[tuple[Expr, tuple[Expr, ...], str]] = [(root, (), target)]
    while pending:
        node, above, given = pending.pop()
        if is_arithmetic(node) and _combines(node):
            if given:
                yield FormulaExpression(file, statement, node, given, node, above)
            calls = {leaf for leaf in inputs(node) if isinstance(leaf, ir.Call)}
            if calls:  # what they are given are formulas of their own
                pending += [(leaf, (*above, *around), "") for leaf, around in ir.paths(node) if leaf in calls]
            continue
        match node:
            case ir.Compare() | ir.Format() | ir.Lambda() | ir.Comprehension():
                continue
            case ir.Call():
                callee = dotted(node.func) or ""
                for argument in node.args:
                    name = f"{callee}({argument.keyword}=)" if argument.keyword else f"{callee}()"
                    pending.append((argument.value, (*above, node), name if callee else ""))
            case _:
                pending += [(child, (*above, node), given) for child in node.children()]


def _combines(node: Expr) -> bool:
    """Whether it is more than one value and a conversion: arithmetic of two values at least, or a difference."""
    operands = sum(1 for inner in ir.walk(node) if isinstance(inner, ir.Name | ir.Attribute | ir.Call | ir.Subscript))
    return any(isinstance(inner, ir.Binary) for inner in ir.walk(node)) and operands >= 1
