"""The rows of the model files: what functions, fields and calls of the analysed programs mean for memory.

Units are spelled as `sgmem.domains.units.unit.parse_unit` reads them. Every row has `names`, qualified patterns (see
`patterns`), and `why`, one line that says where the fact comes from.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Quantity = Literal["free", "total", "allocated", "reserved", "used"]
Statistic = Literal["now", "peak"]
MeasuredScope = Literal["process", "device", "node", "machine"]
EventKind = Literal[
    "communicator", "load-weights", "pool", "tensor", "workspace", "graph-capture", "warm-up", "offload", "release",
    "restore", "empty-cache", "collect", "synchronize", "forward",
]  # fmt: skip
Effect = Literal["allocates", "frees", "none"]


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every row has. `unless`: patterns of names that look like `names` and mean something else."""

    names: tuple[str, ...]
    why: str
    unless: tuple[str, ...] = ()


class UnitRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The unit of a function's result, of an attribute or config field, or of a local (`module:function.name`).

    `scope` is what a count or amount is for, such as "this rank". `hint`: good enough to show, not to call a sum wrong,
    as with `size + page_size`, which is legal. `none`: the value may be None. `positive`: it is never zero.
    """

    kind: Literal["result", "field", "local"]
    unit: str
    scope: str | None = None
    none: bool = False
    positive: bool = False
    hint: bool = False


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value that a measuring call gives: the whole result, the element `index` of a tuple, or its `attribute`."""

    unit: str
    quantity: Quantity | None = None
    index: int | None = None
    attribute: str | None = None


class Reduction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result is combined over a group of ranks when the argument `when` is given and not False."""

    operation: Literal["min", "max", "sum"]
    when: str
    group: str | None = None
    """The argument that names the group."""


class Hygiene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the function does before it measures; the argument `unless_false` turns it off, and nothing does where it is
    None.
    """

    does: Literal["empty-cache", "synchronize", "collect"]
    unless_false: str | None = None


class MeasurementRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function that measures memory. `device` are the arguments that choose the device, by name or position."""

    results: tuple[Result, ...]
    scope: MeasuredScope
    statistic: Statistic = "now"
    none: bool = False
    device: tuple[str | int, ...] = ()
    reduction: Reduction | None = None
    hygiene: tuple[Hygiene, ...] = ()

    def result(self, index: int | None = None, attribute: str | None = None) -> Result | None:
        """The value with that index or attribute; without either, the whole result."""
        return next((r for r in self.results if r.index == index and r.attribute == attribute), None)


class EventRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call after which device memory is not what it was, or that decides what a measurement sees.

    `where` is the memory it touches: the device, or host memory.
    """

    kind: EventKind
    effect: Effect
    leaf: bool = False
    """What it calls is of no interest to the order of a start-up."""
    where: Literal["device", "host"] = "device"


class RootRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function where a start-up begins, if what it leads to has events of all the kinds in `contains`. The first that has counts."""

    contains: tuple[EventKind, ...] = ("load-weights",)


class RoleRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A flag that tells one kind of worker from the other, and the word that names of that kind contain."""

    role: str


class GroupRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name that stands for a group of ranks: `size`, how many there are; `rank`, the number of one of them; `group`, the group
    itself, whose `world_size` is its size; `bound`, where one rank's part of the layers begins or ends.
    """

    kind: Literal["size", "rank", "group", "bound"]
    group: str


class CountRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name for a number of things, and the groups over which these are split (`by`).

    `ranks`: a call that gives one rank's part; the argument, by name or position, is the number of ranks that share. `part`: one
    rank's part; `whole`: that of the whole model or server. Neither: the name alone does not tell.
    """

    things: str
    by: tuple[str, ...]
    ranks: str | int | None = None
    part: bool = False
    whole: bool = False


class SinkRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that turns numbers into memory. `sizes` are the arguments that say how much, by name or position; all, if
    empty.
    """

    kind: Literal["tensor", "pool", "allocator", "buffer"]
    sizes: tuple[str | int, ...] = ()
    where: Literal["device", "host"] = "device"


ConfigKind = Literal["view", "writer", "provider", "table"]


class ConfigRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the configuration machinery that no type tells, with what it must look like to count.

    view: a class that hands the attributes it has not on to the record `of` (it must define `__getattr__`).
    writer: a function that writes fields of `of` by name, those that it gets in its parameter `fields`.
    provider: a decorator; the functions that it registers return a dict of fields of `of` that are then written.
    table: a module-level dict of dicts of such fields.

    `of` are patterns of classes; for a bag filled from the record it is the bag that a writer writes.
    """

    kind: ConfigKind
    of: tuple[str, ...] = ()
    fields: str | None = None
