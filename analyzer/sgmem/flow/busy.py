"""Busy fields: read at many places and mostly set from elsewhere, so that a reader rarely sees the value that is followed; and fields
of an everyday name, which so many files read of other objects that to tell these apart takes longer than all the rest of a trace."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sgmem.flow.places import Field, Parameter
from sgmem.program.contexts import loaded
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.flow.graph import SiteKey, Slice
    from sgmem.flow.occurrences import Occurrence, Occurrences
    from sgmem.program.calls import CallSite
    from sgmem.program.program import Program

MANY_READS = 16
"""From how many reads on it matters what else a field holds."""
_SHARE = 4
"""One write in so many must carry the value, or"""
_MUCH = 2
"""A field that keeps the parameter under another name is a quantity of its own from so many times that number of reads on."""
_OTHERS = 6
"""there must be fewer than this many that do not: an amount that is worked out step by step is written a few times."""

EVERYDAY_FILES = 1000
"""A name that more files than this read as an attribute is an everyday one, such as `shape`."""


class Share(msgspec.Struct, frozen=True):
    """Of how many writes of a field some carry the value."""

    carrying: int
    total: int

    @property
    def is_small(self) -> bool:
        return self.carrying * _SHARE < self.total and self.total - self.carrying >= _OTHERS


class Writers:
    """Counts what writes a field from elsewhere; constants such as None and 0, which reset it, and adjustments of its own value
    aside."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.program = program
        self.occurrences = occurrences

    def share(self, place: Field, slice_: Slice) -> Share:
        """The share of the writes that the slice reaches. A constructor that stores its parameter writes once for each of its calls."""
        reached = set(self._reached(place, slice_))
        carrying, total = len(reached), 0
        for store in self._stores(place):
            handed_in = self._parameter(store)
            calls = self.program.calls.callers(handed_in.function) if handed_in is not None else ()
            if handed_in is None or not calls:
                total += not self._is_own(store, place)
                continue
            total += len(calls)
            at = (store.file.path, store.file.statement(store.statement).span.line)
            if at in {(key.file.path, key.span.line) for key in reached}:
                carrying += len(set(self._reached(handed_in, slice_))) - 1
        return Share(carrying, max(total + len(list(self._constructions(place))), carrying))

    def is_everyday(self, place: Field) -> bool:
        """Whether a field has a name under which very many files read something."""
        if not place.name.isidentifier() or len(self.program.files.tree.mentioning(place.name)) <= EVERYDAY_FILES:
            return False
        found = islice(self.program.files.holding(place.name, loaded), EVERYDAY_FILES, None)
        return next(found, None) is not None

    def parting(self, place: Field, reads: int, many: int) -> str | None:
        """Why the reads of a field that keeps the parameter under another name are no reads of the parameter: it counts up or down from
        there, or is a quantity of its own that much of the program goes by."""
        if any(
            seen.place == place and seen.binding is not None and seen.binding.how == "augment"
            for seen in self.occurrences.writes(place.name)
        ):
            return "starts with the value and is counted up or down from there"
        return "keeps the value under a name of its own" if reads >= _MUCH * many else None

    def _reached(self, place: Field | Parameter, slice_: Slice) -> Iterator[SiteKey]:
        for state, sources in slice_.entering.items():
            if state.place == place:
                yield from sources

    def _stores(self, place: Field) -> Iterator[Occurrence]:
        for seen in self.occurrences.writes(place.name):
            value = seen.binding.value if seen.binding is not None else None
            if seen.place != place or value is None or isinstance(value, ir.Const):
                continue
            if not any(isinstance(node, ir.Attribute) and node.attr == place.name for node in ir.walk(value)):
                yield seen

    def _is_own(self, store: Occurrence, place: Field) -> bool:
        """Whether an object's own method sets the field: a step of working it out, not another use of the field."""
        function = self.program.calls.inside(store.file, store.statement)
        target = store.binding.target if store.binding is not None else None
        if function is None or function.owner is None or not isinstance(target, ir.Attribute) or not isinstance(target.base, ir.Name):
            return False
        return target.base.id == function.receiver and self.program.classes.related(function.owner, place.owner)

    def _parameter(self, store: Occurrence) -> Parameter | None:
        """The constructor's parameter that a store keeps as it is."""
        value = store.binding.value if store.binding is not None else None
        function = self.program.calls.inside(store.file, store.statement)
        if function is None or function.name != "__init__" or not isinstance(value, ir.Name):
            return None
        return Parameter(function, value.id) if function.parameter(value.id) is not None else None

    def _constructions(self, place: Field) -> Iterable[CallSite]:
        """The calls of a generated constructor that give the field."""
        if not self.program.classes.is_record(place.owner) or self.program.calls.constructor(place.owner) is not None:
            return ()
        return [site for site in self.program.calls.callers(place.owner) if self._gives(site, place)]

    def _gives(self, site: CallSite, place: Field) -> bool:
        if any(argument.keyword == place.name for argument in site.arguments):
            return True
        positional = [argument for argument in site.arguments if argument.keyword is None and not argument.star]
        fields = self.program.classes.record_fields(place.owner) if positional else ()
        return place.name in fields and 0 <= fields.index(place.name) - site.filled < len(positional)
