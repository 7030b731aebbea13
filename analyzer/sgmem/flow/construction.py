"""Whether anything writes a field once its owner is constructed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from sgmem.flow.occurrences import Occurrence, Occurrences
from sgmem.flow.places import Field
from sgmem.program.entities import Class, Function
from sgmem.program.program import Program

Verdict = Literal["none", "some", "unknown"]
_CONSTRUCTORS = ("__init__", "__post_init__", "__new__", "__attrs_post_init__", "model_post_init")
_MAX_FUNCTIONS = 200


class Construction:
    """Decides, per field, which writes happen outside the call tree of the owner's constructor."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.program = program
        self.occurrences = occurrences

    def after(self, place: Field) -> tuple[Verdict, tuple[Occurrence, ...]]:
        """The verdict and the writes after construction. A function counts as part of the construction when every call of it does."""
        late: list[Occurrence] = []
        unsure = False
        for seen in self.occurrences.writes(place.name):
            if seen.place != place or seen.file.scope(seen.scope).kind == "class":
                continue
            function = self.program.calls.inside(seen.file, seen.statement)
            inside = self.constructs(function, place.owner) if function is not None else False
            if inside is None:
                unsure = True
            elif not inside:
                late.append(seen)
        if late:
            return "some", tuple(late)
        return ("unknown" if unsure else "none"), ()

    def constructs(self, function: Function, owner: Class) -> bool | None:
        """Whether a function runs only within the construction; None where the callers were too many to tell."""
        pending, seen = [function], {function}
        constructed = False
        while pending:
            current = pending.pop()
            if self._is_constructor(current, owner):
                constructed = True
                continue
            callers = self.program.calls.callers(current)
            if not callers:
                return False
            for site in callers:
                around = self.program.calls.inside(site.file, site.statement)
                if around is None:
                    return False
                if around not in seen:
                    seen.add(around)
                    pending.append(around)
            if len(seen) > _MAX_FUNCTIONS:
                return None
        return constructed  # functions that only call each other may be called from outside

    def _is_constructor(self, function: Function, owner: Class) -> bool:
        around = function.owner
        if around is None or function.name not in _CONSTRUCTORS:
            return False
        return self.program.classes.related(around, owner) or around in self._mixers(owner)

    def _mixers(self, owner: Class) -> Iterable[Class]:
        """Classes that inherit from the owner together with the constructor's class."""
        return {ancestor for below in self.program.classes.subclasses(owner) for ancestor in self.program.classes.mro(below)}
