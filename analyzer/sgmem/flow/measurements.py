"""Which calls read a memory gauge, by the models."""

from __future__ import annotations

from sgmem.flow.naming import call_names
from sgmem.models.load import Models
from sgmem.models.rows import MeasurementRow
from sgmem.program.entities import External, Function
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
            found = None
            if self.models.measurements.rows_for_name(self._last(call, file, scope)):
                names = call_names(self.program, call, file, scope)
                found = next((row for name in names if (row := self.models.measurements.find(name)) is not None), None)
            self._rows[call] = found
        return self._rows[call]

    def _last(self, call: ir.Call, file: File, scope: int) -> str:
        """The last part of the callee's name; of one imported under another name, the name it has at home."""
        if isinstance(call.func, ir.Attribute):
            return call.func.attr
        if not isinstance(call.func, ir.Name):
            return ""
        entity = self.program.names.lookup(file, scope, call.func.id)
        if isinstance(entity, External):
            return entity.dotted.rpartition(".")[2]
        return entity.name if isinstance(entity, Function) else call.func.id

    def measures(self, call: ir.Call, file: File, scope: int) -> bool:
        return self.row(call, file, scope) is not None
