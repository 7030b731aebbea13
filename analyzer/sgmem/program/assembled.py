"""Records assembled at run time: a class to which its module adds the annotated fields of other classes after its definition.

`Record.__annotations__ = {**collect(FIELD_SETS), **Record.__annotations__}` and `Record = defstruct("Record", fields(FIELD_SETS))`
give the record the fields of every class in FIELD_SETS. For every question about fields those classes are bases of the record.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.program.entities import Class, Global
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Expr

_BUILDERS = ("defstruct", "make_dataclass")
_ANNOTATED = re.compile(r"\b(\w+)\.__annotations__\s*(?:\|?=(?!=)|\.update\b)")
_REBUILT = re.compile(rf"^(\w+)\s*=\s*(?:\w+\.)*(?:{'|'.join(_BUILDERS)})\(", re.MULTILINE)
_MAX_VARIABLES = 40


class Assembled:
    """Finds the classes that get fields of other classes, both ways."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def field_sets(self, owner: Class) -> tuple[Class, ...]:
        """The classes whose fields `owner` gets, in the order in which the source lists them."""
        return self._sets.get(owner, ())

    @property
    def owners(self) -> tuple[Class, ...]:
        """Every class that gets fields of others."""
        return tuple(self._sets)

    def assembled_from(self, field_set: Class) -> tuple[Class, ...]:
        """The classes that get the fields of `field_set`."""
        return self._users.get(field_set, ())

    @cached_property
    def _users(self) -> dict[Class, tuple[Class, ...]]:
        users: dict[Class, dict[Class, None]] = {}
        for owner, sets in self._sets.items():
            for each in sets:
                users.setdefault(each, {})[owner] = None
        return {each: tuple(owners) for each, owners in users.items()}

    @cached_property
    def _sets(self) -> dict[Class, tuple[Class, ...]]:
        found = {}
        for owner in self._candidates():
            sets = tuple(each for each in dict.fromkeys(self._listed(owner)) if each != owner)
            if sets:
                found[owner] = sets
        return found

    def _candidates(self) -> Iterator[Class]:
        """The module-level classes that a statement after their definition gives annotations or builds anew."""
        files = self.names.files
        paths = dict.fromkeys(path for word in ("__annotations__", *_BUILDERS) for path in files.tree.mentioning(word))
        for path in paths:
            named = files.scanned(path, _assembled_in)
            file = files.get(path) if named else None
            for name in named if file is not None else ():
                index = file.child(0, name) if file is not None else None
                if file is not None and index is not None and file.scope(index).kind == "class":
                    yield Class(file, index)

    def _listed(self, owner: Class) -> Iterator[Class]:
        """The classes among the values from which the owner's annotations or its new definition are made."""
        file = owner.file
        pending: list[tuple[Expr, File]] = []
        for index in file.mentions_in(0, owner.name):
            if file.outline.statements[index].kind in ("assign", "annotate", "augment", "expression"):
                pending += [(value, file) for value in _assembling(file, index, owner.name)]
        seen: set[tuple[str, str]] = set()
        while pending and len(seen) < _MAX_VARIABLES:
            value, at = pending.pop(0)
            for node, ancestors in ir.paths(value):
                entity = self.names.entity(node, at, 0) if isinstance(node, ir.Name | ir.Attribute) else None
                if isinstance(entity, Class) and _is_listed(node, ancestors):
                    yield entity
                elif isinstance(entity, Global) and (entity.file.path, entity.name) not in seen:
                    seen.add((entity.file.path, entity.name))
                    pending += [(source, entity.file) for source in self._values(entity)]

    def _values(self, variable: Global) -> Iterator[Expr]:
        """What a module gives a variable; of a loop's variable, what the loop runs over."""
        for index in self.names.bindings(variable.file, 0, variable.name):
            for binding in variable.file.statement(index).bindings:
                if binding.value is not None:
                    yield binding.value


@Scan
def _assembled_in(text: str) -> list[str]:
    """The names of classes that seem to be given annotations, or built anew."""
    return list(dict.fromkeys([*_ANNOTATED.findall(text), *_REBUILT.findall(text)]))


def _assembling(file: File, index: int, name: str) -> Iterator[Expr]:
    """The values that a module-level statement gives to a class's annotations, or builds the class anew from."""
    statement = file.statement(index)
    annotations = f"{name}.__annotations__"
    for binding in statement.bindings:
        rebuilt = isinstance(binding.value, ir.Call) and (dotted(binding.value.func) or "").rpartition(".")[2] in _BUILDERS
        if binding.value is not None and (dotted(binding.target) == annotations or (dotted(binding.target) == name and rebuilt)):
            yield binding.value
    for root in statement.values:
        if isinstance(root, ir.Call) and dotted(root.func) == f"{annotations}.update":
            yield from (argument.value for argument in root.args)


def _is_listed(node: Expr, ancestors: tuple[Expr, ...]) -> bool:
    """Whether a class stands for its fields: as an item of a display, by its annotations, or handed to what reads them."""
    above = ancestors[-1] if ancestors else None
    if isinstance(above, ir.Attribute):
        return above.attr == "__annotations__"
    if isinstance(above, ir.Call):
        return above.func is not node
    return isinstance(above, ir.Collection | ir.Dict | ir.Starred)
