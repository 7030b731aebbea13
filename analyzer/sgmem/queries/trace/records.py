"""Which record a bare name is meant in, where several declare it: the one that the anchors of the source choose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sgmem.flow.places import Field
    from sgmem.program.program import Program


def declared_in_records(program: Program, fields: Iterable[Field], anchors: Sequence[str]) -> tuple[Field | None, tuple[Field, ...]]:
    """Of the fields of a name, the one of the record that also has an anchor, of several such records the largest; and those of the
    other records that declare the name. None where no record of the name has an anchor."""
    sizes = {field: size for field in fields if (size := _size(program, field, anchors)) is not None}
    best = max(sizes, key=lambda field: (sizes[field], str(field)), default=None)
    home = best if best is not None and sizes[best] > 0 else None
    return home, tuple(sorted((field for field in sizes if field != home), key=str))


def _size(program: Program, field: Field, anchors: Sequence[str]) -> int | None:
    """How many fields the largest anchored record has that has this one, 0 for records without an anchor; None for no record."""
    classes = program.classes
    if classes.declaration(field.owner, field.name) is None:
        return None
    records = [owner for owner in (field.owner, *classes.subclasses(field.owner)) if classes.is_record(owner)]
    if not records:
        return None
    anchored = (owner for owner in records if any(classes.owners_above(owner, name) for name in anchors))
    return max((len(classes.record_fields(owner)) for owner in anchored), default=0)
