"""Classes: bases, linearisation, subclasses, methods, and which class owns a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.assembled import Assembled
from sgmem.program.entities import Class, External, Function
from sgmem.program.file import dotted
from sgmem.program.records import has_record_field, is_record, record_fields
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.file import File
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Span


class Classes:
    """Class facts over one program; answers are memoised."""

    def __init__(self, names: Names) -> None:
        self.names = names
        self.assembled = Assembled(names)
        self._bases: dict[Class, tuple[Class | External, ...]] = {}
        self._mro: dict[Class, tuple[Class, ...]] = {}
        self._subclasses: dict[Class, tuple[Class, ...]] = {}
        self._stores: dict[tuple[Class, str], tuple[tuple[Function, int], ...]] = {}
        self._owners: dict[tuple[Class, str], tuple[Class, ...]] = {}
        self._record_fields: dict[Class, tuple[str, ...]] = {}
        self._record_field: dict[tuple[Class, str], bool] = {}

    def bases(self, owner: Class) -> tuple[Class | External, ...]:
        """The resolved bases, unresolvable ones left out; a record assembled from sets of fields has these as bases too."""
        found = self._bases.get(owner)
        if found is None:
            self._bases[owner] = ()
            resolved = []
            for span in owner.scope.bases:
                node = owner.file.expression(span)
                node = node.base if isinstance(node, ir.Subscript) else node
                entity = self.names.entity(node, owner.file, owner.scope.parent)
                if isinstance(entity, Class | External) and entity != owner:
                    resolved.append(entity)
            found = self._bases[owner] = tuple(dict.fromkeys([*resolved, *self.assembled.field_sets(owner)]))
        return found

    def mro(self, owner: Class) -> tuple[Class, ...]:
        """The class and its ancestors inside the program in the order in which Python looks them up."""
        found = self._mro.get(owner)
        if found is None:
            self._mro[owner] = (owner,)  # a class that derives from itself
            bases = [base for base in self.bases(owner) if isinstance(base, Class)]
            found = self._mro[owner] = linearised(owner, [self.mro(base) for base in bases], bases)
        return found

    def external_bases(self, owner: Class) -> tuple[str, ...]:
        """The dotted names of ancestors outside the program."""
        return tuple(base.dotted for each in self.mro(owner) for base in self.bases(each) if isinstance(base, External))

    def subclasses(self, owner: Class) -> tuple[Class, ...]:
        """All transitive subclasses, nearest first."""
        found = self._subclasses.get(owner)
        if found is None:
            self._subclasses[owner] = ()
            below: dict[Class, None] = {}
            for direct in self._direct_subclasses(owner):
                below[direct] = None
                below.update(dict.fromkeys(self.subclasses(direct)))
            found = self._subclasses[owner] = tuple(below)
        return found

    def _direct_subclasses(self, owner: Class) -> list[Class]:
        found = list(self.assembled.assembled_from(owner))
        for file in self.names.files.deriving(owner.name):
            for index, scope in file.classes():
                if any(self._names(file, scope.parent, span, owner) for span in scope.bases):
                    found.append(Class(file, index))
        return [below for below in found if below != owner]

    def _names(self, file: File, scope: int, base: Span, owner: Class) -> bool:
        """Whether a base is `owner`. One that is spelled otherwise is not resolved, which would mean to parse where it comes from."""
        text = file.source.slice(base).partition("[")[0]
        last = text.rpartition(".")[2].strip("() \t\n\\")
        renamed = (row for row in file.imported_anywhere(last) if row.name == owner.name)
        if last.isidentifier() and last != owner.name and next(renamed, None) is None:
            return False
        node = file.expression(base)
        return self.names.entity(node.base if isinstance(node, ir.Subscript) else node, file, scope) == owner

    def related(self, one: Class, other: Class) -> bool:
        return one == other or other in self.mro(one) or one in self.mro(other)

    def method(self, owner: Class, name: str) -> Function | None:
        """The method that `name` finds on an instance, through the linearisation."""
        for each in self.mro(owner):
            index = each.file.child(each.index, name)
            if index is not None and each.file.scope(index).kind == "function":
                return Function(each.file, index)
        return None

    def method_after(self, owner: Class, current: Class, name: str) -> Function | None:
        """What `super().name` finds in a method of `current` on an instance of `owner`."""
        order = self.mro(owner)
        rest = order[order.index(current) + 1 :] if current in order else ()
        for each in rest:
            index = each.file.child(each.index, name)
            if index is not None and each.file.scope(index).kind == "function":
                return Function(each.file, index)
        return None

    def overrides(self, owner: Class, name: str) -> tuple[Function, ...]:
        """The definitions of a method in subclasses."""
        found = []
        for below in self.subclasses(owner):
            index = below.file.child(below.index, name)
            if index is not None and below.file.scope(index).kind == "function":
                found.append(Function(below.file, index))
        return tuple(found)

    def declaration(self, owner: Class, name: str) -> int | None:
        """The statement of the class's own body that declares or assigns a field."""
        for index in self.names.bindings(owner.file, owner.index, name):
            if owner.file.shape(index).kind in ("annotate", "assign"):
                return index
        return None

    def stores(self, owner: Class, name: str) -> tuple[tuple[Function, int], ...]:
        """The statements in the class's own methods that assign `self.name`, with their functions."""
        key = (owner, name)
        found = self._stores.get(key)
        if found is None:
            found = self._stores[key] = tuple(self._own_stores(owner, name))
        return found

    def _own_stores(self, owner: Class, name: str) -> list[tuple[Function, int]]:
        row, found = owner.scope, []
        for index in owner.file.mentions(name):
            if not row.first <= index < row.last or not owner.file.may_bind(index, name):
                continue
            function = self.method_around(owner, index)
            if function is None or function.receiver is None:
                continue
            text = f"{function.receiver}.{name}"
            plain = owner.file.plainly_assigned(index)
            if plain is None:
                bindings = (one for one in owner.file.statement(index).bindings if one.how != "delete")
                plain = frozenset(dotted(target) or "" for one in bindings for target in assigned(one.target))
            if text in plain:
                found.append((function, index))
        return found

    def method_around(self, owner: Class, statement: int) -> Function | None:
        """The method of `owner` whose body, nested functions included, holds a statement."""
        scope = owner.file.shape(statement).scope
        while scope > 0:
            row = owner.file.scope(scope)
            if row.parent == owner.index:
                return Function(owner.file, scope) if row.kind == "function" else None
            scope = row.parent
        return None

    def owns(self, owner: Class, name: str) -> bool:
        """Whether the class itself declares or stores the field."""
        return self.declaration(owner, name) is not None or bool(self.stores(owner, name))

    def owners(self, owner: Class, name: str) -> tuple[Class, ...]:
        """The class that stands for field `name` of an instance of `owner`: the topmost ancestor that has it, so that parent and child
        share one slot; for a mixin that has it nowhere above, the owners among its subclasses."""
        key = (owner, name)
        found = self._owners.get(key)
        if found is None:
            self._owners[key] = ()
            above = [each for each in self.mro(owner) if self.owns(each, name)]
            if above:
                found = (above[-1],)
            else:
                found = tuple(dict.fromkeys(top for below in self.subclasses(owner) for top in self.owners_above(below, name)))
            self._owners[key] = found
        return found

    def owners_above(self, owner: Class, name: str) -> tuple[Class, ...]:
        """The topmost class among an owner and its ancestors that declares or stores the field."""
        above = [each for each in self.mro(owner) if self.owns(each, name)]
        return (above[-1],) if above else ()

    def is_record(self, owner: Class) -> bool:
        """Whether instances are built from the annotated fields: a dataclass, Struct, NamedTuple, pydantic-like model."""
        return is_record(self, owner)

    def has_record_field(self, owner: Class, name: str) -> bool:
        """Whether the constructor of a record has a field. Cheaper to keep than `record_fields`: other fields may come and go."""
        key = (owner, name)
        found = self._record_field.get(key)
        if found is None:
            found = self._record_field[key] = has_record_field(self, owner, name)
        return found

    def record_fields(self, owner: Class) -> tuple[str, ...]:
        """The constructor's fields of a record in order, inherited ones first, those by keyword only last."""
        found = self._record_fields.get(owner)
        if found is None:
            found = self._record_fields[owner] = record_fields(self, owner)
        return found


def assigned(target: ir.Expr) -> list[ir.Expr]:
    """The single targets of an assignment target, tuples taken apart."""
    if isinstance(target, ir.Collection):
        return [part for item in target.items for part in assigned(item)]
    if isinstance(target, ir.Starred):
        return assigned(target.value)
    return [target]


def linearised(owner: Class, ancestors: list[tuple[Class, ...]], bases: list[Class]) -> tuple[Class, ...]:
    """The C3 linearisation of a class whose bases have those linearisations. Where there is none, which Python refuses, or where a
    base outside the program hides it, the bases' ancestors come in order."""
    order = [owner]
    rows = [[each for each in row if each != owner] for row in (*ancestors, bases)]
    while rows := [row for row in rows if row]:
        later = {each for row in rows for each in row[1:]}
        head = next((row[0] for row in rows if row[0] not in later), rows[0][0])
        order.append(head)
        rows = [[each for each in row if each != head] for row in rows]
    return tuple(order)
