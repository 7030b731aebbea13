"""Order inside one function: which uses a definition reaches, and which definitions reach a use."""

from __future__ import annotations

from sgmem.control.cfg import Cfg
from sgmem.control.reaching import reached_uses, reaching_definitions
from sgmem.program.files import File, dotted
from sgmem.program.names import Names
from sgmem.syntax import ir

ENTRY = -1


class Order:
    """Reaching definitions, memoised per scope and name."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self._attributes: dict[tuple[str, int, str], dict[int, bool]] = {}

    def graph(self, file: File, scope: int) -> Cfg:
        return file.graph(scope)

    def definitions(self, file: File, scope: int, name: str) -> dict[int, bool]:
        """The scope's statements that bind `name`, each with whether it certainly overwrites it."""
        return {index: _overwrites(file, index, name) for index in self.names.bindings(file, scope, name)}

    def reaching(self, file: File, scope: int, name: str, at: int) -> frozenset[int]:
        """The definitions of a local that reach statement `at`; `ENTRY` stands for the parameter or outer value."""
        return reaching_definitions(self.graph(file, scope), at, self.definitions(file, scope, name))

    def assignments(self, file: File, scope: int, text: str) -> dict[int, bool]:
        """The scope's own statements that assign an attribute, spelled as `self.size`, each with whether it certainly overwrites it.
        What another function does to the object meanwhile is not seen."""
        key = (file.path, scope, text)
        found = self._attributes.get(key)
        if found is None:
            name = text.rpartition(".")[2]
            rows = [i for i in file.mentions_in(scope, name) if file.may_bind(i, name)]
            found = {i: _overwrites(file, i, text) for i in rows if _assigns(file, i, text)}
            self._attributes[key] = found
        return found

    def reaching_assignments(self, file: File, scope: int, text: str, at: int) -> frozenset[int]:
        """Those of them that reach statement `at`; `ENTRY` stands for what the attribute held before."""
        return reaching_definitions(self.graph(file, scope), at, self.assignments(file, scope, text))

    def reached(self, file: File, scope: int, name: str, definition: int, uses: frozenset[int]) -> frozenset[int]:
        """Those of the `uses` statements that a definition (or `ENTRY`) reaches before another one overwrites it."""
        kills = frozenset(i for i, certain in self.definitions(file, scope, name).items() if certain and i != definition)
        return reached_uses(self.graph(file, scope), definition, kills, uses)


def _overwrites(file: File, index: int, name: str) -> bool:
    """An assignment or a loop (for its body) overwrites the name; a walrus may not be reached."""
    plain = file.plainly_assigned(index)
    if plain is not None and file.outline.statements[index].kind != "annotate":  # an annotation may come without a value
        return name in plain
    for binding in file.statement(index).bindings:
        if binding.how in ("assign", "annotate", "augment", "enter", "iterate") and _is_target(binding.target, name):
            return binding.value is not None
    return False


def _assigns(file: File, index: int, text: str) -> bool:
    plain = file.plainly_assigned(index)
    if plain is not None:
        return text in plain
    return any(_is_target(binding.target, text) for binding in file.statement(index).bindings if binding.how != "delete")


def _is_target(target: ir.Expr, name: str) -> bool:
    if isinstance(target, ir.Name):
        return target.id == name
    if isinstance(target, ir.Attribute):
        return dotted(target) == name
    if isinstance(target, ir.Collection):
        return any(_is_target(item, name) for item in target.items)
    return isinstance(target, ir.Starred) and _is_target(target.value, name)
