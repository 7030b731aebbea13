"""Which call made an object, where that can be told: what its constructor was given is then what its fields hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.flow.places import Field
from sgmem.program.calls import CallSite
from sgmem.program.entities import Class, Function, Global
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.birth import At
    from sgmem.flow.occurrences import Occurrences
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_MAX_FILES = 40
"""An attribute of a name that more files mention may be set by any of them."""


class Made:
    """Finds the constructor calls of objects that a class's body or a module holds under a name of their own: of the hundred
    settings that one class reads, `SIZE = Setting(4)` is the one that `Settings.SIZE.read()` asks."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.program = program
        self.occurrences = occurrences

    def by(self, base: Expr, at: At) -> CallSite | None:
        """The call that made the object that `base` stands for, through the receivers of the calls that led here."""
        file, statement, stack = at.file, at.statement, at.stack
        while isinstance(base, ir.Name):
            function = self.program.calls.inside(file, statement)
            if function is None or function.receiver != base.id:
                break
            called = stack[-1].call.func if stack and self._enters(stack[-1], function) else None
            if not isinstance(called, ir.Attribute):
                return None
            base, file, statement, stack = called.base, stack[-1].file, stack[-1].statement, stack[:-1]
        return self._held(base, file, file.outline.statements[statement].scope)

    def _enters(self, site: CallSite, function: Function) -> bool:
        return any(target == function for target, _, _ in self.program.calls.targets(site.call, site.file, site.scope))

    def _held(self, base: Expr, file: File, scope: int) -> CallSite | None:
        """The call whose result a class's body or a module binds to the name, if nothing else is bound to it."""
        names = self.program.names
        if isinstance(base, ir.Attribute):
            entity = names.entity(base.base, file, scope)
            owners = (entity,) if isinstance(entity, Class) else tuple(self.program.values.types(base.base, file, scope))
            if len(owners) == 1 and self._is_set_once(owners[0], base.attr):
                return self._bound(owners[0].file, names.bindings(owners[0].file, owners[0].index, base.attr))
        entity = names.entity(base, file, scope)
        return self._bound(entity.file, names.bindings(entity.file, 0, entity.name)) if isinstance(entity, Global) else None

    def _is_set_once(self, owner: Class, name: str) -> bool:
        """Whether only the class's own body gives it the attribute, as far as that can be told with little effort."""
        if self.program.classes.stores(owner, name) or len(self.program.files.tree.mentioning(name)) > _MAX_FILES:
            return False
        return sum(seen.place == Field(owner, name) for seen in self.occurrences.writes(name)) == 1

    def _bound(self, file: File, bindings: tuple[int, ...]) -> CallSite | None:
        bound = file.statement(bindings[0]).bindings if len(bindings) == 1 else ()
        call = bound[0].value if len(bound) == 1 else None
        if not isinstance(call, ir.Call):
            return None
        targets = self.program.calls.targets(call, file, file.outline.statements[bindings[0]].scope)
        made = [(filled, certain) for target, filled, certain in targets if isinstance(target, Function) and target.name == "__init__"]
        return CallSite(file, bindings[0], call, *made[0]) if len(made) == len(targets) == 1 else None
