"""Which calls read a memory gauge, by the models."""

from __future__ import annotations

from sgmem.flow.naming import call_names
from sgmem.models.load import Models
from sgmem.models.rows import MeasurementRow
from sgmem.program.files import File
from sgmem.program.program import Program
from sgmem.syntax import ir


class Measurements:
    """Looks calls up in the measurement rows."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        self._rows: dict[ir.Call, MeasurementRow | None] = {}

    def row(self, call: ir.Call, file: File, scope: int) -> MeasurementRow | None:
        """The row of a measuring call, or None."""
        if call not in self._rows:
            last = call.func.attr if isinstance(call.func, ir.Attribute) else call.func.id if isinstance(call.func, ir.Name) else ""
            found = None
            if self.models.measurements.rows_for_name(last):
                names = call_names(self.program, call, file, scope)
                found = next((row for name in names if (row := self.models.measurements.find(name)) is not None), None)
            self._rows[call] = found
        return self._rows[call]

    def measures(self, call: ir.Call, file: File, scope: int) -> bool:
        return self.row(call, file, scope) is not None
