"""One variable that holds a device's memory on some platforms and the whole machine's on another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.flow.birth import unpacking
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.gauges import Gauge, Gauges
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File


class MachineAmount(msgspec.Struct, frozen=True):
    """`name` is given the whole machine's memory at `machine`, undivided, and one device's at `device`."""

    name: str
    machine: Location
    device: Location


def machine_amounts(facts: ProgramFacts) -> Iterator[MachineAmount]:
    """The readings of the whole machine that stand in for a device's on one platform."""
    groups: dict[tuple[str, int, str], list[tuple[Gauge, Location]]] = {}
    for file, statement in facts.candidates.touched:
        if file.outline.statements[statement].kind != "assign":
            continue
        scope = file.outline.statements[statement].scope
        for name, gauge in _readings(facts.gauges, file, statement):
            groups.setdefault((file.path, scope, name), []).append((gauge, Location(file, statement, gauge.location.span)))
    for (_, _, name), found in groups.items():
        device = next((place for gauge, place in found if gauge.frame.scope != "machine"), None)
        for gauge, place in found:
            if device is not None and gauge.frame.scope == "machine" and _is_platform(place):
                yield MachineAmount(name, place, device)


def _readings(gauges: Gauges, file: File, statement: int) -> Iterator[tuple[str, Gauge]]:
    for binding in file.statement(statement).bindings:
        value = binding.value
        if value is None or binding.how != "assign":
            continue
        if isinstance(binding.target, ir.Name):
            gauge = gauges.of(value, file, statement)
            if gauge is not None:
                yield binding.target.id, gauge
        elif isinstance(binding.target, ir.Collection) and isinstance(value, ir.Call):
            for item in binding.target.items:
                for path in unpacking(binding.target, item.id) if isinstance(item, ir.Name) else ():
                    part = gauges.part(value, path[0], file, statement) if len(path) == 1 and isinstance(path[0], int) else None
                    if part is not None and isinstance(item, ir.Name):
                        yield item.id, part


def _is_platform(place: Location) -> bool:
    """Whether the branch is chosen by a name of a platform: `device == "cpu"`. An integrated GPU has the machine's memory."""
    row = place.file.outline.statements[place.statement]
    test = place.file.test(row.parent) if row.parent >= 0 and row.block == "body" else None
    return isinstance(test, ir.Compare) and any(isinstance(one, ir.Const) and isinstance(one.value, str) for one in test.operands)
