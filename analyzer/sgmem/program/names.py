"""Resolves names to entities: scopes, imports, re-exports, late and type-checking imports."""

from __future__ import annotations

import builtins
from typing import TYPE_CHECKING

from sgmem.program.entities import Class, Entity, External, Function, Global, Local, Module
from sgmem.program.memo import Memo, Questions
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File, Files
    from sgmem.syntax.ir import Expr
    from sgmem.syntax.outline import ImportOutline

_MAX_REEXPORTS = 40


class Names:
    """Name resolution over one program; answers are memoised."""

    def __init__(self, files: Files) -> None:
        self.files = files
        questions = Questions()
        self._lookups: Memo[tuple[str, int, str], Entity | None] = Memo(questions, None)
        self._exports: Memo[tuple[str, str], Entity | None] = Memo(questions, None)
        self._locals: dict[tuple[str, int, str], tuple[int, ...]] = {}
        self._declared: dict[tuple[str, int], dict[str, str]] = {}
        self._listed: dict[str, frozenset[str] | None] = {}

    def entity(self, expr: Expr, file: File, scope: int) -> Entity | None:
        """What a name or a dotted chain of names stands for; None when an object's attribute ends the static part."""
        if isinstance(expr, ir.Name):
            return self.lookup(file, scope, expr.id) if file.binder(expr) is None else None
        if isinstance(expr, ir.Attribute):
            base = self.entity(expr.base, file, scope)
            return self.member(base, expr.attr) if base is not None else None
        return None

    def member(self, base: Entity, name: str) -> Entity | None:
        """A static member: of a module, of a class's own body, of something external."""
        if isinstance(base, Module):
            return self.exported(base.file, name)
        if isinstance(base, Class):
            inner = base.file.child(base.index, name)
            return None if inner is None else _definition(base.file, inner)
        if isinstance(base, External):
            return External(f"{base.dotted}.{name}")
        return None

    def lookup(self, file: File, scope: int, name: str) -> Entity | None:
        """Resolve a bare name as seen inside `scope`, Python's way: own scope, enclosing functions, module, builtins."""
        return self._lookups.get((file.path, scope, name), lambda: self._lookup(file, scope, name))

    def _lookup(self, file: File, scope: int, name: str) -> Entity | None:
        index, first = scope, True
        while index > 0:
            row = file.scope(index)
            declared = self.declarations(file, index).get(name)
            if declared == "global":
                break
            if (first or row.kind == "function") and declared != "nonlocal":
                found = self._in_scope(file, index, name)
                if found is not None:
                    return found
            index, first = row.parent, False
        return self.exported(file, name) or (External(name) if hasattr(builtins, name) else None)

    def _in_scope(self, file: File, index: int, name: str) -> Entity | None:
        row = file.scope(index)
        if any(parameter.name == name for parameter in row.parameters):
            return Local(file, index, name)
        inner = file.child(index, name)
        if inner is not None:
            return _definition(file, inner)
        rows = file.imported(index, name)
        if rows:
            return self._imported(file, rows)
        return Local(file, index, name) if self.bindings(file, index, name) else None

    def declarations(self, file: File, scope: int) -> dict[str, str]:
        """The names that a scope declares `global` or `nonlocal`."""
        key = (file.path, scope)
        found = self._declared.get(key)
        if found is None:
            words = [word for word in ("global", "nonlocal") if file.contains(word)]
            rows = [file.shape(at) for at in sorted({at for word in words for at in file.mentions_in(scope, word)})]
            found = {name: row.kind for row in rows if row.kind in ("global", "nonlocal") for name in row.names}
            self._declared[key] = found
        return found

    def bindings(self, file: File, scope: int, name: str) -> tuple[int, ...]:
        """The scope's own statements that bind `name`, walrus included."""
        key = (file.path, scope, name)
        found = self._locals.get(key)
        if found is None:
            found = tuple(i for i in file.mentions_in(scope, name) if file.may_bind(i, name) and _binds(file, i, name))
            self._locals[key] = found
        return found

    def exported(self, file: File, name: str, depth: int = 0) -> Entity | None:
        """What `name` means at the top level of a module, followed through re-exports."""
        if depth > _MAX_REEXPORTS:
            return None
        return self._exports.get((file.path, name), lambda: self._exported(file, name, depth))

    def _exported(self, file: File, name: str, depth: int) -> Entity | None:
        found = self._own(file, name, depth)
        return found if found is not None else self._starred(file, name, depth)

    def _own(self, file: File, name: str, depth: int) -> Entity | None:
        """What a module binds itself, star imports aside."""
        inner = file.child(0, name)
        if inner is not None:
            return _definition(file, inner)
        rows = file.imported(0, name)
        if rows:
            return self._imported(file, rows, depth)
        if self.bindings(file, 0, name) or self._written_as_global(file, name):
            return Global(file, name)
        if file.is_package and self.files.has_module(f"{file.module}.{name}"):
            module = self.files.module(f"{file.module}.{name}")
            return Module(module) if module is not None else None
        return None

    def _starred(self, file: File, name: str, depth: int) -> Entity | None:
        """What the star imports of a module bring in, those of the imported modules included. What leads out of the program may be
        an import in a circle: anything inside is preferred."""
        outside: Entity | None = None
        seen = {file.path}
        pending = self._star_sources(file)
        while pending:
            source = pending.pop(0)
            if source.path in seen or not self._is_public(source, name):
                continue
            seen.add(source.path)
            found = self._own(source, name, depth + 1)
            if found is not None and not isinstance(found, External):
                return found
            outside = outside or found
            pending += self._star_sources(source)
        return outside

    def _star_sources(self, file: File) -> list[File]:
        rows = file.imported(0, "*")
        return [source for row in rows if (source := self.files.module(self.absolute(file, row))) is not None]

    def _is_public(self, file: File, name: str) -> bool:
        """Whether a star import of the module takes a name along."""
        if file.path not in self._listed:
            self._listed[file.path] = self._list_of_names(file)
        listed = self._listed[file.path]
        return name in listed if listed is not None else not name.startswith("_")

    def _list_of_names(self, file: File) -> frozenset[str] | None:
        """What a module's `__all__` lists; None where it has none, or one that is computed."""
        names: set[str] = set()
        mentions = list(file.mentions_in(0, "__all__"))
        for index in mentions:
            for binding in file.statement(index).bindings:
                if not isinstance(binding.value, ir.Collection):
                    return None
                names.update(str(item.value) for item in binding.value.items if isinstance(item, ir.Const))
        calls = any(file.outline.statements[index].kind == "expression" for index in mentions)
        return frozenset(names) if mentions and not calls else None

    def _written_as_global(self, file: File, name: str) -> bool:
        """A global may be created by a function that declares it."""
        for index in file.mentions(name):
            row = file.shape(index)
            if row.kind == "global" and name in row.names:
                return True
        return False

    def _imported(self, file: File, rows: list[ImportOutline], depth: int = 0) -> Entity | None:
        # A conditional import has several rows; the first that leads into the program is the one worth following.
        outside: Entity | None = None
        for row in rows:
            found = self._import(file, row, depth)
            if found is not None and not isinstance(found, External):
                return found
            outside = outside or found
        return outside

    def _import(self, file: File, row: ImportOutline, depth: int) -> Entity | None:
        target = self.absolute(file, row)
        if row.name is None:
            name = row.bound if row.bound == target.split(".")[0] else target
            module = self.files.module(name)
            return Module(module) if module is not None else External(name)
        module = self.files.module(target)
        if module is not None and module is not file:
            found = self.exported(module, row.name, depth + 1)
            if found is not None:
                return found
        submodule = self.files.module(f"{target}.{row.name}")
        if submodule is not None:
            return Module(submodule)
        return External(f"{target}.{row.name}")

    def absolute(self, file: File, row: ImportOutline) -> str:
        """The absolute module name that an import statement names."""
        if not row.level:
            return row.module
        parts = file.module.split(".")
        keep = len(parts) - row.level + (1 if file.is_package else 0)
        base = ".".join(parts[: max(keep, 0)])
        return f"{base}.{row.module}" if row.module and base else row.module or base

    def quoted(self, expr: ir.Const) -> Expr:
        """A quoted annotation, lowered; its parts share the string's place."""
        text = str(expr.value).strip()
        from sgmem.syntax.lower import lower_expression  # its parser is slow to import

        return lower_expression(text, expr.span) if text.isprintable() else ir.Opaque(expr.span, text)


def _definition(file: File, scope: int) -> Class | Function:
    return Class(file, scope) if file.scope(scope).kind == "class" else Function(file, scope)


def _binds(file: File, index: int, name: str) -> bool:
    """Whether a statement binds a name; it is lowered only where its text does not tell."""
    plain = file.plainly_assigned(index)
    return name in (bound_names(file, index) if plain is None else plain)


def bound_names(file: File, index: int) -> frozenset[str]:
    """The names that a statement binds in its scope (definitions and imports aside)."""
    row = file.outline.statements[index]
    if row.kind in ("function", "class", "import", "global", "nonlocal"):
        return frozenset()
    statement = file.statement(index)
    names: set[str] = set()
    for binding in statement.bindings:
        names |= {node.id for node in _targets(binding.target)}
    for expression in statement.expressions():
        names |= {node.target.id for node in ir.walk(expression) if isinstance(node, ir.Walrus)}
    return frozenset(names)


def _targets(target: Expr) -> list[ir.Name]:
    if isinstance(target, ir.Name):
        return [target]
    if isinstance(target, ir.Starred):
        return _targets(target.value)
    if isinstance(target, ir.Collection):
        return [name for item in target.items for name in _targets(item)]
    return []
