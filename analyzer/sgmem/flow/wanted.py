"""Which places a NAME means: bare, all that bear it; qualified, the one it spells out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sgmem.flow.places import Field, Place
from sgmem.program.entities import Class
from sgmem.program.program import Program


class Wanted:
    """A NAME as its user wrote it. The module may be cut to its end or left out: `server_args:ServerArgs.page_size`,
    `ServerArgs.page_size`, `launch.port` (a parameter or local of a function); `f()` is the function `f`."""

    def __init__(self, name: str) -> None:
        self.text = name.strip().removesuffix("()")
        self.bare = self.text.rpartition(":")[2].rpartition(".")[2]

    @property
    def is_qualified(self) -> bool:
        return self.text != self.bare

    def choose(self, program: Program, bearers: Iterable[Place]) -> tuple[frozenset[Place], tuple[str, ...]]:
        """Of the places that bear the bare name, those that a qualified one means, with their full names. More than one name: it is
        ambiguous. A full name means no other that ends in it."""
        named: dict[str, list[Place]] = {}
        for place in bearers:
            named.setdefault(full_name(place), []).append(place)
        ends = (f".{self.text}", f":{self.text}")
        chosen = [self.text] if self.text in named else [text for text in named if text.endswith(ends)]
        if not chosen:
            inherited = {str(place) for place in self._inherited(program)}
            chosen = [text for text in named if text in inherited]
        return frozenset(place for text in chosen for place in named[text]), tuple(sorted(chosen))

    def _inherited(self, program: Program) -> Iterator[Field]:
        """`Derived.attr` where a base class owns the attribute."""
        qualifier = self.text.removesuffix(self.bare).rstrip(".:")
        if not qualifier:
            return
        for path in program.files.defining(qualifier.rpartition(":")[2].rpartition(".")[2]):
            file = program.files.get(path)
            for index, scope in enumerate(file.outline.scopes) if file is not None else ():
                owner = Class(file, index) if file is not None and scope.kind == "class" else None
                if owner is not None and f":{owner.qualified}".endswith((f".{qualifier}", f":{qualifier}")):
                    for top in program.classes.owners(owner, self.bare):
                        yield Field(top, self.bare)


def full_name(place: Place) -> str:
    """The name that means this place alone: `module:Class.attr`, `module:function.param`, `module:function`."""
    return str(place).removesuffix("()")
