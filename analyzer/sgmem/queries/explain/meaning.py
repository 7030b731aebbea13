"""What an input is: its unit, where it comes from, which flag sets it, which line of a log prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import Location, one_line
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.queries.results.explain import CodePlace
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.options import Option
    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.values import Input
    from sgmem.domains.units.unit import Unit
    from sgmem.flow.birth import Birth
    from sgmem.program.files import File
    from sgmem.source.tree import SourceTree
    from sgmem.syntax.ir import Expr

_LEVELS = frozenset({"info", "warning", "debug", "error", "print", "log", "info_once", "warning_once"})


class Meanings:
    """Describes inputs."""

    def __init__(self, context: Context, tree: SourceTree) -> None:
        self.context = context
        self.tree = tree
        self._options: dict[str, Option | None] = {}

    def births(self, row: Input) -> tuple[Birth, ...]:
        return self.context.facts.births.of(row.leaf, row.file, row.statement)

    def unit(self, row: Input) -> Unit | None:
        """The unit that the source proves for an input, or that was measured for it."""
        evidence = self.context.facts.units.infer(row.leaf, row.file, row.statement, deep=True)
        if evidence is not None:
            return evidence.unit
        for birth in self.births(row):
            gauge = self.context.facts.gauges.of_birth(birth)
            measured = gauge.measured.evidence() if gauge is not None and not birth.converted else None
            if measured is not None:
                return measured.unit
        return None

    def option(self, row: Input) -> Option | None:
        """The option that sets an input, if it is one or a copy of one."""
        key = f"{row.name}:{row.path}"
        if key not in self._options:
            self._options[key] = self._option(row)
        return self._options[key]

    def _option(self, row: Input) -> Option | None:
        options = self.context.options
        for birth in self.births(row):
            if birth.kind == "declaration" and isinstance(birth.place, Field):
                found = options.of_field(birth.place)
                if found is not None:
                    return found
        last = row.path.rpartition(".")[2]
        if not last.isidentifier():
            return None
        if "." in row.path:
            for owner in dict.fromkeys(self.context.facts.occurrences.owners(last)):
                found = options.of_field(Field(owner, last))
                if found is not None and not any(birth.kind in ("measurement", "computed") for birth in self.births(row)):
                    return found
        return None

    def meaning(self, row: Input) -> str | None:
        """One line on what the input is."""
        for birth in self.births(row):
            gauge = self.context.facts.gauges.of_birth(birth)
            if gauge is not None:
                at = gauge.location
                return f"{gauge.frame.text}, measured in {at.function} ({at.path}:{at.line})"
        option = self.option(row)
        if option is not None:
            return option.help or None
        for birth in self.births(row):
            if birth.kind in ("computed", "call", "constant") and birth.span != row.leaf.span:
                code = one_line(birth.file.source.slice(birth.span))
                return f"{code} ({birth.file.path}:{birth.span.line})"
        return None

    def place(self, row: Input) -> CodePlace:
        return self.code_place(Location(row.file, row.statement, row.leaf.span))

    def code_place(self, at: Location, when: tuple[str, ...] = ()) -> CodePlace:
        return CodePlace(at.path, self.tree.files[at.path].uri, at.line, at.symbol, at.code, when)

    def log(self, row: Input) -> CodePlace | None:
        """The logging call that prints an input, found where the input is or where its value came through."""
        names = {row.name, row.path.rpartition(".")[2]}
        places: dict[tuple[str, int], tuple[File, int]] = {}
        births = self.births(row)
        spots = [(row.file, row.statement)]
        for birth in births[:2]:
            spots += [(hop.file, hop.statement) for hop in birth.hops]
            spots.append((birth.file, birth.statement))
            names |= {hop.text for hop in birth.hops if hop.text.isidentifier()}
        for file, statement in spots:
            scope = file.outline.statements[statement].scope
            places.setdefault((file.path, scope), (file, scope))
        for file, scope in places.values():
            for index, call in _logging(file, scope):
                if any(_prints(call, name) for name in names):
                    return self.code_place(Location(file, index, call.span))
        return None


def _logging(file: File, scope: int) -> Iterator[tuple[int, ir.Call]]:
    for index in file.own_statements(scope):
        if file.outline.statements[index].kind != "expression" or "log" not in file.own_text(index):
            continue
        for root in file.statement(index).expressions():
            if isinstance(root, ir.Call) and isinstance(root.func, ir.Attribute) and root.func.attr in _LEVELS:
                yield index, root


def _prints(call: ir.Call, name: str) -> bool:
    """Whether a logging call formats the value of a name, and nothing calculated from it."""
    for argument in call.args:
        parts: tuple[Expr, ...] = (argument.value,)
        if isinstance(argument.value, ir.Format):
            parts = argument.value.parts
        for part in parts:
            text = dotted(part)
            if text is not None and text.rpartition(".")[2] == name:
                return True
    return False
