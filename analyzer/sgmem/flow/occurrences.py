"""Every occurrence of a name in the program, with the places it may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import msgspec

from sgmem.flow.named_reads import NamedReads
from sgmem.flow.places import Field, GlobalVariable, LooseField, Parameter, Place, Variable
from sgmem.program.classes import assigned
from sgmem.program.contexts import defined, loaded, occurs, stored
from sgmem.program.entities import Class, Function, Global, Local
from sgmem.program.files import File
from sgmem.program.foreign import is_foreign
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Binding, Expr

Grade = Literal["same", "hierarchy", "instance", "name"]
"""How sure the join of two occurrences is: same class, class hierarchy, other instance, name only."""
GRADES: tuple[Grade, ...] = ("same", "hierarchy", "instance", "name")
"""Surest first."""

CONFIDENCE: dict[str, Literal["high", "medium", "low"]] = {
    "same": "high",
    "hierarchy": "high",
    "instance": "medium",
    "name": "low",
}


class Occurrence(msgspec.Struct, frozen=True):
    """One expression that names a place. `ancestors` lead from a top-level expression of the statement to it, outermost first;
    for a store, `binding` is the binding whose target holds it."""

    file: File
    statement: int
    node: Expr
    ancestors: tuple[Expr, ...]
    place: Place
    grade: Grade
    binding: Binding | None = None

    @property
    def scope(self) -> int:
        return self.file.outline.statements[self.statement].scope


class Occurrences:
    """Finds reads and writes of places by name; answers are memoised per name."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._reads: dict[str, tuple[Occurrence, ...]] = {}
        self._field_reads: dict[str, tuple[Occurrence, ...]] = {}
        self._writes: dict[str, tuple[Occurrence, ...]] = {}
        self._lonely: dict[str, bool] = {}
        self._loaded: dict[tuple[str, int, str], tuple[Occurrence, ...]] = {}
        self._named_reads = NamedReads(program)

    def reads(self, name: str) -> tuple[Occurrence, ...]:
        """All loads of an attribute, variable or literal key `name` anywhere."""
        found = self._reads.get(name)
        if found is None:
            files = self.program.files.mentioning(name)
            found = tuple(seen for file in files for i in file.mentions(name) for seen in self.reads_in_statement(file, i, name))
            self._reads[name] = found
        return found

    def field_reads(self, name: str) -> tuple[Occurrence, ...]:
        """The loads of an attribute or literal key `name` anywhere: those of `reads` that may be of a field."""
        found = self._field_reads.get(name)
        if found is None:
            found = self._field_reads[name] = tuple(self._collect_field_reads(name))
        return found

    def _collect_field_reads(self, name: str) -> Iterator[Occurrence]:
        files = self.program.files
        for file in dict.fromkeys((*files.mentioning(name, loaded), *files.matching(name))):
            for index in file.mentions(name):
                # The pattern `case Plan(size=part)` loads a field without a dot.
                if file.outline.statements[index].kind == "case" or occurs(file.own_text(index), name, loaded):
                    for seen in self.reads_in_statement(file, index, name):
                        if isinstance(seen.place, Field | LooseField):
                            yield seen

    def writes(self, name: str) -> tuple[Occurrence, ...]:
        """All stores to an attribute or variable `name` anywhere, declarations in class bodies included."""
        found = self._writes.get(name)
        if found is None:
            found = self._writes[name] = tuple(self._collect_writes(name))
        return found

    def _collect_writes(self, name: str) -> Iterator[Occurrence]:
        for file in self.program.files.mentioning(name, stored):
            for index in file.mentions(name):
                if file.may_bind(index, name) or "setattr" in file.own_text(index):
                    yield from self._stores(file, index, name)

    def writes_in_statement(self, file: File, index: int, name: str) -> Iterator[Occurrence]:
        """The stores to a name in one statement."""
        return self._stores(file, index, name)

    def reads_in_statement(self, file: File, index: int, name: str) -> tuple[Occurrence, ...]:
        """The loads of a name in one statement."""
        key = (file.path, index, name)
        found = self._loaded.get(key)
        if found is None:
            found = self._loaded[key] = tuple(self._loads(file, index, name))
        return found

    def _loads(self, file: File, index: int, name: str) -> Iterator[Occurrence]:
        statement = file.statement(index)
        for binding in statement.bindings:
            # Only the base and index of a target are read; the target itself is written (an augmented one is both).
            for target in assigned(binding.target):
                if binding.how == "augment":
                    yield from self._loads_in(file, index, target, name)
                else:
                    for child in target.children():
                        yield from self._loads_in(file, index, child, name, (target,))
        values = dict.fromkeys(b.value for b in statement.bindings if b.value is not None)
        for root in (*values, *statement.values):
            yield from self._loads_in(file, index, root, name)

    def _loads_in(self, file: File, index: int, root: Expr, name: str, above: tuple[Expr, ...] = ()) -> Iterator[Occurrence]:
        scope = file.outline.statements[index].scope
        for node, ancestors in ir.paths(root):
            if isinstance(node, ir.Attribute) and node.attr == name:
                for place, grade in self._attribute(node, file, scope):
                    yield Occurrence(file, index, node, (*above, *ancestors), place, grade)
            elif isinstance(node, ir.Name) and node.id == name and not _is_bound_inside(node, ancestors):
                for place in self.variable(file, scope, name):
                    yield Occurrence(file, index, node, (*above, *ancestors), place, "same")
            elif isinstance(node, ir.Call) and (record := self._asked_by_name(node, name, file, scope)) is not None:
                for place, grade in self.fields(record, name, file, scope):
                    yield Occurrence(file, index, node, (*above, *ancestors), place, grade)

    def _asked_by_name(self, call: ir.Call, name: str, file: File, scope: int) -> Expr | None:
        """The object that a call asks for the field: `getattr(record, "name")`, or a function that answers with that."""
        if not any(isinstance(argument.value, ir.Const) and argument.value.value == name for argument in call.args):
            return None
        asked = self._named_reads.of_call(call, file, scope)
        return asked[0] if asked is not None and isinstance(asked[1], ir.Const) and asked[1].value == name else None

    def _attribute(self, node: ir.Attribute, file: File, scope: int) -> list[tuple[Place, Grade]]:
        entity = self.program.names.entity(node, file, scope)
        if isinstance(entity, Global):  # module.NAME
            return [(GlobalVariable(entity.file, entity.name), "same")]
        return self.fields(node.base, node.attr, file, scope)

    def _stores(self, file: File, index: int, name: str) -> Iterator[Occurrence]:
        statement = file.statement(index)
        row = file.outline.statements[index]
        for binding in statement.bindings:
            if binding.how == "delete":
                continue
            for target in assigned(binding.target):
                if isinstance(target, ir.Attribute) and target.attr == name:
                    for place, grade in self.fields(target.base, name, file, row.scope):
                        yield Occurrence(file, index, target, (), place, grade, binding)
                elif isinstance(target, ir.Name) and target.id == name:
                    yield Occurrence(file, index, target, (), self.bound_place(file, row.scope, name, index), "same", binding)
        text = file.own_text(index)
        for root in statement.expressions() if ":=" in text or "setattr" in text else ():
            for node, ancestors in ir.paths(root):
                if isinstance(node, ir.Walrus) and node.target.id == name:
                    bound = self.bound_place(file, row.scope, name, index)
                    yield Occurrence(file, index, node, ancestors, bound, "same", Binding(node.target, node.value, "assign"))
                if isinstance(node, ir.Call) and _literal_name(node, "setattr", 1) == name and len(node.args) == 3:
                    stored = Binding(node.args[1].value, node.args[2].value, "assign")
                    for place, grade in self.fields(node.args[0].value, name, file, row.scope):
                        yield Occurrence(file, index, node, ancestors, place, grade, stored)

    def fields(self, base: Expr, name: str, file: File, scope: int) -> list[tuple[Place, Grade]]:
        """The fields that `base.name` may be: by the base's type, else by its naming, else by name only."""
        program = self.program
        found: dict[Place, Grade] = {}
        entity = program.names.entity(base, file, scope)
        owners = {entity} if isinstance(entity, Class) else program.values.types(base, file, scope)
        if not owners and isinstance(entity, Local) and entity.file.scope(entity.index).kind == "function":
            function = Function(entity.file, entity.index)
            if function.receiver == entity.name and function.owner is not None:  # the `cls` of a class method
                owners = {function.owner}
        for owner in sorted(owners, key=lambda one: one.order):
            for top in program.classes.owners(owner, name):
                found[Field(top, name)] = "same" if top == owner else "hierarchy"
            for behind in program.values.proxied(owner, name):
                for top in program.classes.owners(behind, name):
                    found.setdefault(Field(top, name), "instance")
        if found or (owners and not isinstance(entity, Class)):
            # A known class without the field: a proxy or a dynamic attribute of its own, no reason to join it by name.
            return list(found.items()) or [(Field(min(owners, key=lambda one: one.order), name), "hierarchy")]
        if entity is not None and not isinstance(entity, Local | Global):
            return []
        if is_foreign(program.names, base, name, file, scope):
            return []
        return self._by_naming(base, name, file)

    def is_of_class(self, node: Expr, file: File, scope: int) -> bool:
        """Whether an attribute is that of a class, named as such: `Args.size`."""
        return isinstance(node, ir.Attribute) and isinstance(self.program.names.entity(node.base, file, scope), Class)

    def _by_naming(self, base: Expr, name: str, file: File) -> list[tuple[Place, Grade]]:
        """`server_args.x` of unknown type: the class whose name the variable spells, if that class has the field. Of several the one
        that the file knows by its name, or those nearest to it."""
        found: dict[Place, Grade] = {}
        for spelled in self._nearest(self.program.spelling.classes(base), file):
            for top in self.program.classes.owners_above(spelled, name):
                found[Field(top, name)] = "instance"
        return list(found.items()) or [(LooseField(name), "name")]

    def _nearest(self, classes: tuple[Class, ...], file: File) -> list[Class]:
        """Of several classes of one name, those that a file is likely to mean."""
        known = [one for one in classes if self.program.names.lookup(file, 0, one.name) == one]
        near = {one: _shared(one.file.module, file.module) for one in classes}
        return known or [one for one in classes if near[one] == max(near.values())]

    def is_lonely(self, name: str) -> bool:
        """Whether one class alone has a field `name`. The search ends at the second, which for a common name comes soon."""
        found = self._lonely.get(name)
        if found is None:
            owners: set[Class] = set()
            for owner in self.owners(name):
                owners.add(owner)
                if len(owners) > 1:
                    break
            found = self._lonely[name] = len(owners) == 1
        return found

    def owners(self, name: str) -> Iterator[Class]:
        """The classes that declare or store field `name`, the topmost owner of each."""
        for file in self.program.files.mentioning(name, stored):
            for index in file.mentions(name):
                for owner in self._owner_at(file, index, name):
                    yield from self.program.classes.owners(owner, name)

    def _owner_at(self, file: File, index: int, name: str) -> Iterator[Class]:
        row = file.outline.statements[index]
        if row.kind not in ("assign", "annotate", "augment", "with", "for"):
            return
        scope = row.scope
        if file.scope(scope).kind == "class":
            yield Class(file, scope)
            return
        while scope > 0:
            if file.scope(file.scope(scope).parent).kind == "class":
                owner = Class(file, file.scope(scope).parent)
                if any(statement == index for _, statement in self.program.classes.stores(owner, name)):
                    yield owner
                return
            scope = file.scope(scope).parent

    def variable(self, file: File, scope: int, name: str) -> list[Place]:
        """The place that reading variable `name` in `scope` reads; locals without their definition (`definition` is -1)."""
        entity = self.program.names.lookup(file, scope, name)
        if isinstance(entity, Global):
            return [GlobalVariable(entity.file, entity.name)]
        if isinstance(entity, Local):
            return [Variable(entity.file, entity.index, name, -1)]
        return []

    def bound_place(self, file: File, scope: int, name: str, index: int) -> Place:
        """The place that binding `name` in `scope` writes: a class field, a global, or a local as this statement defines it."""
        if file.scope(scope).kind == "class":
            owner = Class(file, scope)
            owners = self.program.classes.owners(owner, name)
            return Field(owners[0] if owners else owner, name)
        declared = self.program.names.declarations(file, scope).get(name)
        if scope == 0 or declared == "global":
            return GlobalVariable(file, name)
        if declared == "nonlocal":
            entity = self.program.names.lookup(file, scope, name)
            if isinstance(entity, Local):
                return Variable(entity.file, entity.index, name, -1)
        return Variable(file, scope, name, index)

    def parameters(self, name: str) -> Iterator[Parameter]:
        """Every parameter called `name`."""
        for file in self.program.files.mentioning(name):
            for index in file.mentions(name):
                scope = file.scope_defined_by.get(index)
                if scope is not None and any(p.name == name for p in file.scope(scope).parameters):
                    yield Parameter(Function(file, scope), name)

    def functions(self, name: str) -> Iterator[Function]:
        """Every function called `name`; the setters of a property are no functions of their own."""
        return self.functions_in(self.program.files.mentioning(name, defined), name)

    def functions_in(self, files: Iterable[File], name: str) -> Iterator[Function]:
        """Those of some files."""
        for file in files:
            for index in file.functions(name):
                if file.child(file.scope(index).parent, name) == index:
                    yield Function(file, index)


def _literal_name(call: ir.Call, function: str, position: int) -> str | None:
    """The literal attribute name that a `getattr`/`setattr`/`hasattr` call gives."""
    if not isinstance(call.func, ir.Name) or call.func.id != function or len(call.args) <= position:
        return None
    value = call.args[position].value
    return value.value if isinstance(value, ir.Const) and isinstance(value.value, str) else None


def _is_bound_inside(node: ir.Name, ancestors: tuple[Expr, ...]) -> bool:
    """Whether a comprehension or lambda around the name binds it itself."""
    for above in ancestors:
        if isinstance(above, ir.Lambda) and node.id in above.parameters:
            return True
        if isinstance(above, ir.Comprehension):
            for clause in above.clauses:
                if any(isinstance(t, ir.Name) and t.id == node.id for t in ir.walk(clause.target)):
                    return True
        if isinstance(above, ir.Walrus) and above.target is node:
            return True
    return False


def literal_keys(name: str) -> tuple[str, ...]:
    """The spellings of a parameter as a literal: its name and its command-line flag."""
    return (name, "--" + name.replace("_", "-"))


def _shared(module: str, other: str) -> int:
    """How many packages two modules have in common."""
    first, second = module.split(".")[:-1], other.split(".")[:-1]
    return next((at for at, (one, two) in enumerate(zip(first, second, strict=False)) if one != two), min(len(first), len(second)))
