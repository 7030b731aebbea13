"""Forward type tracking, as light as it can be: of which classes of the program an expression may hold an instance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.access import EACH, MAX_PATH, Path, call_members, display_members, item, literal_key
from sgmem.program.annotations import Annotations
from sgmem.program.callables import resolve
from sgmem.program.entities import Callable_, Class, Function, Global, Local
from sgmem.program.files import dotted
from sgmem.program.memo import Memo, Questions
from sgmem.program.sources import (
    Source,
    inner_sources,
    is_name,
    of_field,
    of_global,
    of_parameter,
    of_result,
    of_variable,
)
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.program.classes import Classes
    from sgmem.program.files import File
    from sgmem.program.idioms import Idioms
    from sgmem.program.names import Names
    from sgmem.syntax.ir import Expr

_DEPTH = 12
_MAX_SUBCLASSES = 20
_SAME_TYPE = {"copy", "deepcopy", "replace"}
_CONTEXT_MANAGERS = {"contextmanager", "asynccontextmanager"}

Types = frozenset[Class]
_NONE: Types = frozenset()


class Values:
    """Types of instances and callable values. Empty sets mean unknown.

    `path` says which part of a value is asked for: () for the value itself, else the steps into a container. Answers are
    memoised, except those that a cycle or the depth limit cut short.
    """

    def __init__(self, names: Names, classes: Classes, idioms: Idioms) -> None:
        self.names = names
        self.classes = classes
        self.idioms = idioms
        self.annotations = Annotations(names)
        self._questions = questions = Questions()
        self._types: Memo[tuple[Expr, Path], Types] = Memo(questions, _NONE)
        self._fields: Memo[tuple[Class, str, Path], Types] = Memo(questions, _NONE)
        self._returns: Memo[tuple[Function, Path], Types] = Memo(questions, _NONE)
        self._callables: Memo[tuple[Expr, Path], tuple[Callable_, ...]] = Memo(questions, ())
        self._parameters: Memo[tuple[Function, str, Path], Types] = Memo(questions, _NONE)

    def give_up(self) -> None:
        """Note that the answer now being sought lacks something: too many steps lead to it."""
        self._questions.give_up()

    def types(self, expr: Expr, file: File, scope: int, depth: int = 0, path: Path = ()) -> Types:
        """The classes of which `expr`, or what `path` picks out of it, may hold an instance."""
        if depth > _DEPTH or len(path) > MAX_PATH:
            self.give_up()
            return _NONE
        return self._types.get((expr, path), lambda: frozenset(self._infer(expr, file, scope, depth + 1, path)))

    def _infer(self, expr: Expr, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        match expr:
            case ir.Name():
                return self._name(expr, file, scope, depth, path)
            case ir.Attribute():
                return self._attribute(expr, file, scope, depth, path)
            case ir.Call():
                return self._call(expr, file, scope, depth, path)
            case ir.Subscript():
                return self._subscript(expr, file, scope, depth, path)
            case ir.Conditional():
                return self._any((expr.body, expr.orelse), file, scope, depth, path)
            case ir.Boolean():
                return self._any(expr.values, file, scope, depth, path)
            case ir.Walrus() | ir.Await():
                return self.types(expr.value, file, scope, depth, path)
            case ir.Collection() | ir.Dict() | ir.Comprehension() if path:
                return self._any(display_members(expr, path[0]), file, scope, depth, path[1:])
        return ()

    def _any(self, exprs: Iterable[Expr], file: File, scope: int, depth: int, path: Path) -> Types:
        return _NONE.union(*(self.types(each, file, scope, depth, path) for each in exprs))

    # -- variables ------------------------------------------------------------------------------------------------------------

    def _name(self, expr: ir.Name, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        binder = file.binder(expr)
        if binder is not None:
            sources = inner_sources(expr, binder, file, scope, path)
            return self._from(sources, depth)
        entity = self.names.lookup(file, scope, expr.id)
        if isinstance(entity, Local):
            return self._local(entity, depth, path)
        if isinstance(entity, Global):
            return self._from(of_global(self.names, entity.file, entity.name, path), depth)
        return ()

    def _local(self, local: Local, depth: int, path: Path) -> Types:
        row = local.file.scope(local.index)
        if row.kind == "function" and any(parameter.name == local.name for parameter in row.parameters):
            found = self.parameter_types(Function(local.file, local.index), local.name, depth, path)
            if found:
                return found
        return frozenset(self._from(of_variable(self.names, local.file, local.index, local.name, path), depth))

    def _from(self, sources: Iterable[Source], depth: int) -> set[Class]:
        """The union over what gives a value."""
        return set().union(*(self._source(source, depth) for source in sources))

    def _source(self, source: Source, depth: int) -> Types | set[Class]:
        expr, file, scope, path = source.expr, source.file, source.scope, source.path
        match source.how:
            case "annotation":
                return self.annotated(expr, file, scope, depth, path)
            case "caught":
                caught = expr.items if isinstance(expr, ir.Collection) else (expr,)
                return set().union(*(self.annotated(each, file, scope, depth, path) for each in caught))
            case "entered":
                return self._entered(expr, file, scope, depth, path)
        return self.types(expr, file, scope, depth, path)

    def _entered(self, value: Expr, file: File, scope: int, depth: int, path: Path) -> set[Class]:
        """What `with value as` gives: the result of `__enter__`, what a context manager function yields."""
        found: set[Class] = set()
        for owner in self.types(value, file, scope, depth):
            enter = self.classes.method(owner, "__enter__") or self.classes.method(owner, "__aenter__")
            found |= self.return_types(enter, depth, path) if enter is not None else self._within(owner, depth, path)
        if isinstance(value, ir.Call):
            for one in self.callables(value.func, file, scope, depth):
                if isinstance(one.target, Function) and _CONTEXT_MANAGERS & set(one.target.decorator_names()):
                    found |= self._yielded(one.target, depth, path)
        return found

    def _yielded(self, function: Function, depth: int, path: Path) -> set[Class]:
        found = set(self._declared_result(function, depth, (EACH, *path)))
        if not found:
            for index in function.file.mentions_in(function.index, "yield"):
                for root in function.file.statement(index).expressions():
                    if isinstance(root, ir.Yield) and root.value is not None:
                        found |= self.types(root.value, function.file, function.index, depth, path)
        return found

    def parameter_types(self, function: Function, name: str, depth: int = 0, path: Path = ()) -> Types:
        """By annotation; the receiver by its annotation or its class; else by the default."""
        key = (function, name, path)
        return self._parameters.get(key, lambda: frozenset(self._parameter_types(function, name, depth, path)))

    def _parameter_types(self, function: Function, name: str, depth: int, path: Path) -> set[Class]:
        sources = list(of_parameter(function, name, path))
        found = self._from((source for source in sources if source.how == "annotation"), depth)
        owner = function.owner
        if not found and owner is not None and name == function.receiver and not function.is_class_method:
            found = self._within(owner, depth, path)
        return found or self._from((source for source in sources if source.how == "value"), depth + 1)

    def annotated(self, annotation: Expr, file: File, scope: int, depth: int = 0, path: Path = ()) -> set[Class]:
        """The program's classes that an annotation names as the value itself, or as the part that `path` picks."""
        found: set[Class] = set()
        for owner, rest in self.annotations.read(annotation, file, scope, path):
            found |= self._within(owner, depth, rest)
        return found

    def _within(self, owner: Class, depth: int, path: Path) -> set[Class]:
        """What steps into an instance lead to: through the class's own `__iter__` and `__getitem__`, or a tuple's fields."""
        if not path:
            return {owner}
        if depth > _DEPTH:
            self.give_up()
            return set()
        key = path[0][1]
        if isinstance(key, int) and self.classes.is_record(owner):
            fields = self.classes.record_fields(owner)
            return set(self.field_types(owner, fields[key], depth + 1, path[1:])) if 0 <= key < len(fields) else set()
        each = path[0] == EACH
        method = self.classes.method(owner, "__iter__" if each else "__getitem__")
        return set(self.return_types(method, depth + 1, path if each else path[1:])) if method is not None else set()

    # -- attributes and elements ----------------------------------------------------------------------------------------------

    def _attribute(self, expr: ir.Attribute, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        entity = self.names.entity(expr, file, scope)
        if isinstance(entity, Global):
            return self._from(of_global(self.names, entity.file, entity.name, path), depth)
        base = self.names.entity(expr.base, file, scope)
        owners = {base} if isinstance(base, Class) else self.types(expr.base, file, scope, depth)
        return _NONE.union(*(self.field_types(owner, expr.attr, depth, path) for owner in owners))

    def _subscript(self, expr: ir.Subscript, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        if isinstance(expr.index, ir.Slice):
            return self.types(expr.base, file, scope, depth, path) if path else ()
        return self.types(expr.base, file, scope, depth, (item(literal_key(expr.index)), *path))

    def field_types(self, owner: Class, name: str, depth: int = 0, path: Path = ()) -> Types:
        """The types of attribute `name` of an instance: declared, property, or by the assignments in its class's methods."""
        return self._fields.get((owner, name, path), lambda: frozenset(self._field_types(owner, name, depth, path)))

    def _field_types(self, owner: Class, name: str, depth: int, path: Path) -> set[Class]:
        found: set[Class] = set()
        method = self.classes.method(owner, name)
        if method is not None and method.is_property:
            found |= self.return_types(method, depth, path)
        for each in self.classes.mro(owner) + self.classes.subclasses(owner)[:_MAX_SUBCLASSES]:
            if found:
                break
            found |= self._own_field_types(each, name, depth, path)
        if not found and method is None:
            for behind in self.proxied(owner, name, depth):
                found |= self.field_types(behind, name, depth + 1, path)
            found |= set() if found else self._held_by_name(owner, name, depth, path)
        return found

    def _held_by_name(self, owner: Class, name: str, depth: int, path: Path) -> set[Class]:
        """What a bag holds under a name that nothing declares: the field of a record that it is filled from, else what one of its
        methods says that it takes, `def add(self, name, part: Bag): setattr(self, name, part)`."""
        taken = self.idioms.taken_by_name(owner)
        if not taken:
            return set()
        records = [one for one in self.idioms.records if self.classes.has_record_field(one, name)]
        if records:
            return set().union(*(self.field_types(one, name, depth + 1, path) for one in records))
        return set().union(*(self.annotated(each, owner.file, owner.index, depth, path) for each in taken))

    def _own_field_types(self, owner: Class, name: str, depth: int, path: Path) -> set[Class]:
        """By what the class itself declares and stores; a declared type says more than a default."""
        found: set[Class] = set()
        for source in of_field(self.classes, owner, name, path):
            if not (found and source.how == "value" and source.scope == owner.index):
                found |= self._source(source, depth)
        return found

    def proxied(self, owner: Class, name: str, depth: int = 0) -> Types:
        """Where `__getattr__` forwards an attribute that the class itself has not: the classes of the object it asks instead."""
        if self.classes.owners(owner, name) or self.classes.method(owner, name) is not None:
            return _NONE
        forward = self.classes.method(owner, "__getattr__")
        if forward is None or len(forward.parameters) < 2:
            return _NONE
        asked, found = forward.parameters[1].name, set[Class](self.idioms.views(owner))
        for index in forward.file.own_statements(forward.index, "return"):
            for value in forward.file.statement(index).values:
                if isinstance(value, ir.Call) and _asks_for(value, asked):
                    known = self.types(value.args[0].value, forward.file, forward.index, depth)
                    found |= known or self._spelled(value.args[0].value, name)
        return frozenset(found - {owner})

    def _spelled(self, expr: Expr, name: str) -> set[Class]:
        """The classes with a field `name` that the name of an object of unknown type spells."""
        return {one for one in self.idioms.spelling.classes(expr) if self.classes.owners_above(one, name)}

    # -- calls ----------------------------------------------------------------------------------------------------------------

    def _call(self, expr: ir.Call, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        found: set[Class] = set()
        for one in self.callables(expr.func, file, scope, depth):
            if isinstance(one.target, Class):
                found |= self._within(one.target, depth, path)
            else:
                found |= self._returned(one.target, expr, file, scope, depth, path)
        return found or self._known_call(expr, file, scope, depth, path)

    def _known_call(self, expr: ir.Call, file: File, scope: int, depth: int, path: Path) -> Iterable[Class]:
        """Functions of Python's library that hand on what they are given."""
        last = (dotted(expr.func) or "").rpartition(".")[2]
        given = [argument.value for argument in expr.args if argument.keyword is None]
        if last == "cast" and len(given) == 2:
            return self.annotated(given[0], file, scope, depth, path) or self.types(given[1], file, scope, depth, path)
        if last in _SAME_TYPE and given and not self._is_method(expr.func, file, scope):
            return self.types(given[0], file, scope, depth, path)
        if last == "getattr" and len(given) >= 2:
            key = literal_key(given[1])
            if not isinstance(key, str):
                return ()
            owners = self.types(given[0], file, scope, depth)
            return _NONE.union(*(self.field_types(owner, key, depth, path) for owner in owners))
        parts = call_members(expr, path)
        return _NONE.union(*(self.types(value, file, scope, depth, inside) for value, inside in parts))

    def _is_method(self, func: Expr, file: File, scope: int) -> bool:
        """Whether `x.replace(...)` is a method of an object, not a function of a module."""
        root = func
        while isinstance(root, ir.Attribute):
            root = root.base
        if root is func:
            return False
        return not isinstance(root, ir.Name) or isinstance(self.names.entity(root, file, scope), Local | Global)

    def _returned(self, function: Function, call: ir.Call, file: File, scope: int, depth: int, path: Path) -> frozenset[Class]:
        found = self.return_types(function, depth, path)
        if function.is_class_method and isinstance(call.func, ir.Attribute) and function.owner in found:
            # `Derived.create()` builds a Derived where create returns cls(...).
            entity = self.names.entity(call.func.base, file, scope)
            if isinstance(entity, Class):
                return (found - {function.owner}) | {entity}
        return found

    def return_types(self, function: Function, depth: int = 0, path: Path = ()) -> Types:
        """By annotation, else by the returned expressions."""
        return self._returns.get((function, path), lambda: frozenset(self._return_types(function, depth, path)))

    def _return_types(self, function: Function, depth: int, path: Path) -> set[Class]:
        found = self._declared_result(function, depth, path)
        if found:
            return found
        if depth >= _DEPTH:
            self.give_up()
            return found
        returned = (source for source in of_result(function, path) if source.how == "value")
        return self._from(returned, depth + 1)

    def _declared_result(self, function: Function, depth: int, path: Path) -> set[Class]:
        if function.scope.returns is None:
            return set()
        annotation = function.file.expression(function.scope.returns)
        if function.owner is not None and is_name(annotation, "Self"):
            return self._within(function.owner, depth, path)
        return self.annotated(annotation, function.file, function.scope.parent, depth, path)

    def callables(self, expr: Expr, file: File, scope: int, depth: int = 0, path: Path = ()) -> tuple[Callable_, ...]:
        """The functions and classes that a called expression, or what `path` picks out of it, may stand for."""
        if depth > _DEPTH or len(path) > MAX_PATH:
            self.give_up()
            return ()
        return self._callables.get((expr, path), lambda: tuple(dict.fromkeys(resolve(self, expr, file, scope, depth + 1, path))))


def _asks_for(call: ir.Call, name: str) -> bool:
    """Whether a call is `getattr(something, name)` with the variable `name`."""
    return dotted(call.func) == "getattr" and len(call.args) >= 2 and is_name(call.args[1].value, name)
