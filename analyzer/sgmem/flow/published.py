"""Fields copied by name from one object to another: a loop that publishes every field of a record into a bag."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.flow.by_name import ByName
from sgmem.flow.named_writes import NamedWrite
from sgmem.flow.occurrences import GRADES, Grade
from sgmem.flow.places import Field
from sgmem.program.class_index import snake_case

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.flow.occurrences import Occurrences
    from sgmem.flow.places import Place
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr


class Copy(msgspec.Struct, frozen=True):
    """One statement that copies a field; `grade` is the weaker of how sure its two ends are."""

    write: NamedWrite
    source: Field
    onto: Field
    grade: Grade


class Published:
    """Answers for one field name at a time, which are memoised."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.by_name = ByName(program)
        self.occurrences = occurrences
        self._copies: dict[str, tuple[Copy, ...]] = {}
        self._filled: dict[str, list[tuple[NamedWrite, Expr, frozenset[Place]]]] = {}

    def copies(self, name: str) -> tuple[Copy, ...]:
        """Every statement that copies a field of that name onto another object."""
        found = self._copies.get(name)
        if found is None:
            found = self._copies[name] = tuple(dict.fromkeys(self._find(name)))
        return found

    def sources(self, place: Field) -> tuple[Copy, ...]:
        """The copies that fill a field. Few objects are written to by computed names: which ones is asked first."""
        filling = [(write, source) for write, source, onto in self._targets(place.name) if place in onto]
        found = (copy for write, source in filling for copy in self._by(write, source, place.name))
        return tuple(dict.fromkeys(copy for copy in found if copy.onto == place))

    def _targets(self, name: str) -> list[tuple[NamedWrite, Expr, frozenset[Place]]]:
        """Every write that copies by a computed name, with the object that is read and the places that it fills if `name` is it."""
        found = self._filled.get(name)
        if found is None:
            fields, copies = self.occurrences.fields, self.by_name.copies()
            places = ((w, s, fields(w.target, name, w.file, w.file.outline.statements[w.statement].scope)) for w, s in copies)
            found = self._filled[name] = [(write, source, frozenset(onto for onto, _ in every)) for write, source, every in places]
        return found

    def _find(self, name: str) -> Iterator[Copy]:
        for write, source in self.by_name.copies(self._words(name)):
            yield from self._by(write, source, name)

    def _by(self, write: NamedWrite, source: Expr, name: str) -> Iterator[Copy]:
        """The copies that a write makes if it is given a name."""
        scope = write.file.outline.statements[write.statement].scope
        sources = [pair for pair in self.occurrences.fields(source, name, write.file, scope) if self._has(pair[0])]
        targets = self.occurrences.fields(write.target, name, write.file, scope) if sources else []
        for onto, sure in targets:
            for place, likely in sources:
                if isinstance(onto, Field) and isinstance(place, Field) and onto != place:
                    yield Copy(write, place, onto, max(sure, likely, key=GRADES.index))

    def _words(self, name: str) -> frozenset[str]:
        """What a file mentions that copies from a class with such a field: names of classes, and of variables that spell them.

        By text alone: to find all owners of a common name would mean to parse most of the program.
        """
        classes, named = self.occurrences.program.classes, self.occurrences.program.files.classes_storing(name)
        for owner in classes.assembled.owners:
            if any(one.name in named for one in classes.assembled.field_sets(owner)):
                named.add(owner.name)
        return frozenset(word for each in named for word in (each, snake_case(each), f"_{snake_case(each)}"))

    def _has(self, place: object) -> bool:
        """Whether the place is a field that its class is known to have."""
        return isinstance(place, Field) and bool(self.occurrences.program.classes.owners_above(place.owner, place.name))
