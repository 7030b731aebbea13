"""The rows of the model files: what functions, fields and calls of the analysed programs mean for memory.

Units are spelled as `sgmem.domains.units.unit.parse_unit` reads them. What each field says stands in its type: the page
docs/model-rows.md is written from it.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Quantity = Literal["free", "total", "allocated", "reserved", "used"]
Statistic = Literal["now", "peak"]
MeasuredScope = Literal["process", "device", "node", "machine"]
EventKind = Literal[
    "communicator", "load-weights", "pool", "tensor", "workspace", "graph-capture", "warm-up", "offload", "release",
    "restore", "empty-cache", "collect", "synchronize", "reset-peak", "forward",
]  # fmt: skip
Effect = Literal["allocates", "frees", "none"]
Where = Annotated[Literal["device", "host"], Meta(description="the memory it touches")]
MayBeNone = Annotated[bool, Meta(description="the value may be None")]


class Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What every row has."""

    names: Annotated[tuple[str, ...], Meta(description="qualified patterns of what the row is about")]
    why: Annotated[str, Meta(description="where the fact comes from, in one line")]
    unless: Annotated[tuple[str, ...], Meta(description="patterns of names that look like `names` and mean something else")] = ()


class UnitRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The unit of a function's result, of an attribute or config field, or of a local (`module:function.name`)."""

    kind: Annotated[Literal["result", "field", "local"], Meta(description="what `names` are")]
    unit: Annotated[str, Meta(description="bytes, GiB, tokens, bytes/token, ...")]
    scope: Annotated[str | None, Meta(description="what a count or amount is for, such as `this rank`")] = None
    none: MayBeNone = False
    positive: Annotated[bool, Meta(description="it is never zero")] = False
    hint: Annotated[bool, Meta(description="good enough to show, not to call a sum wrong: `size + page_size` is legal")] = False


class Result(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One value that a measuring call gives: the whole result, an element of a tuple, or an attribute."""

    unit: Annotated[str, Meta(description="bytes, MiB, GiB, ...")]
    quantity: Annotated[Quantity | None, Meta(description="what is measured")] = None
    index: Annotated[int | None, Meta(description="the element of the tuple that holds it")] = None
    attribute: Annotated[str | None, Meta(description="the attribute that holds it")] = None


class Reduction(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the ranks of a group combine what each measures."""

    operation: Annotated[Literal["min", "max", "sum"], Meta(description="what is made of the ranks' values")]
    when: Annotated[str, Meta(description="the argument that turns it on: given and not False")]
    group: Annotated[str | None, Meta(description="the argument that names the group")] = None


class Hygiene(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What the function does before it measures."""

    does: Annotated[Literal["empty-cache", "synchronize", "collect"], Meta(description="what it does")]
    unless_false: Annotated[str | None, Meta(description="the argument that turns it off; none: nothing does")] = None


class MeasurementRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function that measures memory."""

    results: Annotated[tuple[Result, ...], Meta(description="the values that it gives")]
    scope: Annotated[MeasuredScope, Meta(description="whose memory it is")]
    statistic: Annotated[Statistic, Meta(description="the present value, or the highest so far")] = "now"
    none: MayBeNone = False
    device: Annotated[tuple[str | int, ...], Meta(description="the arguments that choose the device, by name or position")] = ()
    reduction: Annotated[Reduction | None, Meta(description="how ranks combine their values")] = None
    hygiene: Annotated[tuple[Hygiene, ...], Meta(description="what it does before it measures")] = ()

    def result(self, index: int | None = None, attribute: str | None = None) -> Result | None:
        """The value with that index or attribute; without either, the whole result."""
        return next((r for r in self.results if r.index == index and r.attribute == attribute), None)


class EventRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call after which device memory is not what it was, or that decides what a measurement sees."""

    kind: Annotated[EventKind, Meta(description="what happens")]
    effect: Annotated[Effect, Meta(description="what that does to the memory")]
    leaf: Annotated[bool, Meta(description="what it calls is of no interest to the order of a start-up")] = False
    around: Annotated[bool, Meta(description="it does so by its calls only: with none of that kind among them, it is a call")] = False
    where: Where = "device"


class RootRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A function where a start-up begins. The first that qualifies counts."""

    contains: Annotated[tuple[EventKind, ...], Meta(description="kinds of event that it must lead to")] = ("load-weights",)


class RoleRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A flag that tells one kind of worker from the other."""

    role: Annotated[str, Meta(description="the word that names of that kind contain")]


class GroupRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name that stands for a group of ranks.

    - `size`: how many there are
    - `rank`: the number of one of them
    - `group`: the group itself, whose `world_size` is its size
    - `bound`: where one rank's part of the layers begins or ends
    """

    kind: Annotated[Literal["size", "rank", "group", "bound"], Meta(description="what of the group it is")]
    group: Annotated[str, Meta(description="which group")]


class CountRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A name for a number of things. With neither `part` nor `whole` the name alone does not tell."""

    things: Annotated[str, Meta(description="what is counted: heads, layers, requests, ...")]
    by: Annotated[tuple[str, ...], Meta(description="the groups over which the things are split")]
    ranks: Annotated[
        str | int | None,
        Meta(description="of a call that gives one rank's part: the argument, by name or position, that says how many ranks share"),
    ] = None
    part: Annotated[bool, Meta(description="it is one rank's part")] = False
    whole: Annotated[bool, Meta(description="it is that of the whole model or server")] = False


class SinkRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A call that turns numbers into memory."""

    kind: Annotated[Literal["tensor", "pool", "allocator", "buffer"], Meta(description="what it makes")]
    sizes: Annotated[tuple[str | int, ...], Meta(description="the arguments that say how much, by name or position; none: all")] = ()
    spread: Annotated[bool, Meta(description="the shape may be spelled as several arguments")] = False
    where: Where = "device"


ConfigKind = Literal["view", "writer", "provider", "table"]


class ConfigRow(Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A part of the configuration machinery that no type tells, with what it must look like to count.

    - `view`: a class that hands the attributes it has not on to the record `of`; it must define `__getattr__`
    - `writer`: a function that writes fields of `of` by name, those that it gets in its parameter `fields`
    - `provider`: a decorator; the functions that it registers return a dict of fields of `of` that are then written
    - `table`: a module-level dict of dicts of such fields
    """

    kind: Annotated[ConfigKind, Meta(description="which part")]
    of: Annotated[tuple[str, ...], Meta(description="patterns of the records; for a bag filled from one, of the bag")] = ()
    fields: Annotated[str | None, Meta(description="of a writer: its parameter")] = None
