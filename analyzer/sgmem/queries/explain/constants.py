"""Constants of the source that an input may have been set to: fallbacks, defaults, overrides, and when each is used."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.predicates import TRUE
from sgmem.control.rendering import render
from sgmem.domains.execution.values import Unknown
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field, LooseField
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.values import Input
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr


class Written(msgspec.Struct, frozen=True):
    """A number that is written to an input. `via` is the statement that writes it, where the number stands elsewhere."""

    value: Fraction
    file: File
    statement: int
    expr: Expr
    when: tuple[str, ...]


class Constants:
    """Finds the constants that may reach an input."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.facts = context.facts
        self.conditions = context.facts.reaches.conditions

    def of(self, row: Input) -> tuple[Written, ...]:
        """The numbers written for an input: to the variable or field itself, or to the option that it is a copy of."""
        found: dict[tuple[str, ir.Span], Written] = {}
        for file, statement, value in self._writes(row):
            if is_aside(file, statement):
                continue
            for one in self._numbers(value, file, statement):
                found.setdefault((one.file.path, one.expr.span), one)
        return tuple(found.values())

    def _writes(self, row: Input) -> Iterator[tuple[File, int, Expr]]:
        """Every expression that is stored under the input's name or in the option it is born of."""
        yield row.file, row.statement, row.leaf
        for name in self._names(row):
            for seen in self.facts.occurrences.writes(name):
                binding = seen.binding
                if binding is not None and binding.value is not None and isinstance(seen.place, Field | LooseField):
                    if binding.how in ("assign", "annotate"):
                        yield seen.file, seen.statement, binding.value
            yield from self._keywords(name)

    def _names(self, row: Input) -> tuple[str, ...]:
        names = []
        for birth in self.facts.births.of(row.leaf, row.file, row.statement):
            if birth.kind == "declaration" and isinstance(birth.place, Field):
                names.append(birth.place.name)
        last = row.path.rpartition(".")[2]
        if not names and last.isidentifier() and ("." in row.path or self.context.options.added(last) is not None):
            names.append(last)
        return tuple(dict.fromkeys(names))

    def _keywords(self, name: str) -> Iterator[tuple[File, int, Expr]]:
        """The keyword arguments of that name, of calls that take any keyword; and the defaults that parsers give."""
        flag = "--" + name.replace("_", "-")
        for file in self.context.program.files.mentioning(name, None):
            for index in file.mentions(name):
                text = file.own_text(index)
                if f"{name}=" not in text.replace(" ", "") and flag not in text:
                    continue
                for root in file.statement(index).expressions():
                    for node in ir.walk(root):
                        if isinstance(node, ir.Call):
                            yield from ((file, index, a.value) for a in node.args if a.keyword == name)

    def _numbers(self, value: Expr, file: File, statement: int) -> Iterator[Written]:
        """The numbers that an expression may be: itself, a side of a conditional, a local that was set to one."""
        for birth in self.facts.births.of(value, file, statement):
            expr = birth.expression
            if birth.kind != "constant" or expr is None:
                continue
            known = self.context.literals.of(expr, birth.file, birth.statement)
            if isinstance(known, Unknown) or not isinstance(known, Fraction) or is_aside(birth.file, birth.statement):
                continue
            yield Written(known, birth.file, birth.statement, expr, self._when(expr, birth.file, birth.statement))

    def _when(self, expr: Expr, file: File, statement: int) -> tuple[str, ...]:
        if file.scope(file.outline.statements[statement].scope).kind != "function":
            return ()
        ancestors: tuple[Expr, ...] = ()
        for root in file.statement(statement).expressions():
            for node, above in ir.paths(root):
                if node is expr:
                    ancestors = above
        found = self.conditions.of(file, statement, ancestors, expr)
        return tuple(dict.fromkeys(render(one.predicate) for one in found if one.predicate != TRUE and one.how != "check"))
