"""What an input is: its unit, where it comes from, which flag sets it, which line of a log prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import Location, one_line
from sgmem.flow.places import Field
from sgmem.queries.explain.printed import Printing
from sgmem.queries.results.explain import CodePlace

if TYPE_CHECKING:
    from sgmem.domains.accounting.options import Option
    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.values import Input
    from sgmem.domains.units.unit import Unit
    from sgmem.flow.birth import Birth
    from sgmem.queries.explain.run import Run
    from sgmem.source.tree import SourceTree


class Meanings:
    """Describes inputs."""

    def __init__(self, context: Context, tree: SourceTree) -> None:
        self.context = context
        self.tree = tree
        self._options: dict[str, Option | None] = {}
        self._printing: Printing | None = None

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
        if "." in row.path and not any(birth.kind in ("measurement", "computed") for birth in self.births(row)):
            for field in self.context.options_named(last):
                return options.of_field(field)
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
        births = self.births(row)
        for birth in births:
            if birth.kind == "constant" and len(births) > 1:
                continue  # one of several values, and which one is not told
            if birth.kind in ("computed", "call", "constant") and birth.span != row.leaf.span:
                code = one_line(birth.file.source.slice(birth.span))
                return f"{code} ({birth.file.path}:{birth.span.line})"
        return None

    def place(self, row: Input) -> CodePlace:
        return self.code_place(Location(row.file, row.statement, row.leaf.span))

    def code_place(self, at: Location, when: tuple[str, ...] = ()) -> CodePlace:
        return CodePlace(at.path, self.tree.files[at.path].uri, at.line, at.symbol, at.code, when)

    def log(self, row: Input, run: Run) -> tuple[CodePlace | None, str, str]:
        """The logging call that prints an input of a run, its words, and what it prints where that is not the input itself."""
        if self._printing is None:
            self._printing = Printing(self.context)
        self._printing.look_at(run)
        found = self._printing.of(row)
        return (self.code_place(found.location), found.text, found.how) if found is not None else (None, "", "")
