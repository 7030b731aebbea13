"""Both sides of a program's books: what estimates charge, and what building the pools allocates. Worked out once, when asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.estimate.construction import Constructing
from sgmem.domains.estimate.divisions import Divisions
from sgmem.domains.estimate.estimates import Estimates
from sgmem.domains.estimate.pools import Pools
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.estimate.construction import Allocation
    from sgmem.domains.estimate.pools import Construction
    from sgmem.models.load import Models
    from sgmem.program.program import Program

_COUNTS = ("tokens", "requests")


class Books:
    """The estimates and the pools of one program."""

    def __init__(self, program: Program, models: Models) -> None:
        self.program = program
        self.models = models
        self.pools = Pools(program, models)
        self.divisions = Divisions(program, models)
        self.estimates = Estimates(program, self.divisions, self.pools)
        self.sizes = tuple(dict.fromkeys(size for row in models.sinks.rows if row.kind == "tensor" for size in row.sizes))
        """The arguments of an allocating call that spell its shape."""
        self._counts = frozenset(
            pattern.rpartition(".")[2].rpartition(":")[2] for row in models.units.rows if row.unit in _COUNTS for pattern in row.names
        )
        self._allocations: dict[Construction, list[Allocation]] = {}

    def allocations(self, construction: Construction) -> list[Allocation]:
        """The tensors that building one pool allocates on the device."""
        found = self._allocations.get(construction)
        if found is None:
            made = Constructing(self.program, self.models).allocations(construction)
            found = self._allocations[construction] = [one for one in made if not _is_on_host(one.call)]
        return found

    def is_count(self, name: str) -> bool:
        """Whether a name is that of a count of tokens or requests, be it a part of the pool's."""
        return any(name == count or name.endswith(f"_{count}") for count in self._counts)


def _is_on_host(call: ir.Call) -> bool:
    """Whether an allocation says that it is in host memory."""
    return any(
        isinstance(argument.value, ir.Const)
        and (
            (argument.keyword == "device" and argument.value.value == "cpu")
            or (argument.keyword == "pin_memory" and argument.value.value is True)
        )
        for argument in call.args
    )
