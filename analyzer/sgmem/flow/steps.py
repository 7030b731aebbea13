"""One step forward: where a value that an expression reads goes next, by climbing from the expression to its statement."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sgmem.flow.arithmetic import ARITHMETIC, is_text
from sgmem.flow.calling import Calling
from sgmem.flow.places import ANY, CALLED, Path, Result, is_name, name_of_pair
from sgmem.flow.step import Running, Step, Value, asks_for, ending, first_name, moved
from sgmem.program.files import File
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

_VIEWS = {"T", "mT", "data", "real", "value"}


class Stepper(Calling):
    """Computes forward steps over one program."""

    def steps(
        self,
        file: File,
        statement: int,
        node: Expr,
        ancestors: tuple[Expr, ...],
        path: Path = (),
        key: str | None = None,
        running: Running | None = None,
    ) -> list[Step]:
        """All next steps of the value read at `node`; `ancestors` lead down to it from a top-level expression of the statement. `key`
        is its name where `node` reads it by a variable that runs over names, `running` the variable that holds its name."""
        value = Value(node, path) if running is None else Value(node, path, key_variable=running[0], key=running[1])
        if key is not None and isinstance(node, ir.Call) and isinstance(node.args[1].value, ir.Name):
            value = Value(node, path, key_variable=node.args[1].value.id, key=key)
        return self._steps_of(value, file, statement, ancestors)

    def _steps_of(self, start: Value, file: File, statement: int, ancestors: tuple[Expr, ...]) -> list[Step]:
        found: list[Step] = []
        value: Value | None = start
        for depth in range(len(ancestors) - 1, -1, -1):
            assert value is not None
            parent = ancestors[depth]
            if isinstance(parent, ir.Comprehension) and any(value.node is clause.iterable for clause in parent.clauses):
                found += self._iterated(value, parent, ancestors[:depth], file, statement)
                return found
            below, before = value, len(found)
            if isinstance(parent, ir.Attribute) and not (depth and _is_called(parent, ancestors[depth - 1])):
                value = self._through_attribute(below, parent, found)
            else:
                value = self._climb(below, parent, file, statement, found)
            if below.nameless:
                found[before:] = [replace(step, nameless=True) for step in found[before:]]
            if value is None:
                return found
            if isinstance(parent, ir.Call) and parent.func is not below.node:
                names = self._names(parent, file, file.outline.statements[statement].scope)
                found.append(Step("through", "argument", below.node.span, callee=names[0], callees=names))
        assert value is not None
        landed = self._land(value, file, statement)
        found += (replace(step, nameless=True) for step in landed) if value.nameless else landed
        return found

    def _climb(self, value: Value, parent: Expr, file: File, statement: int, found: list[Step]) -> Value | None:
        match parent:
            case ir.Call():
                return self._through_call(value, parent, file, statement, found)
            case ir.Attribute():
                return replace(value, node=parent)  # a method of the value: decided at the call around it
            case ir.Binary():
                return self._through_arithmetic(value, parent, found)
            case ir.Unary():
                if parent.operator == "not":
                    found.append(ending(value, "guard"))
                    return None
                return replace(value, node=parent, derived=True, formula=parent if value.formula is not None else None)
            case ir.Compare():
                asked = value.node is parent.operands[-1] and asks_for(parent) in value.path[:1]
                found.append(ending(replace(value, path=value.path[1:]) if asked else value, "guard"))
                return None
            case ir.Boolean() | ir.Await() | ir.Starred():
                return replace(value, node=parent)
            case ir.Conditional():
                if value.node is parent.test:
                    found.append(ending(value, "guard"))
                    return None
                whole = value.formula is not None and not value.path
                return replace(value, node=parent, formula=parent if whole else value.formula)
            case ir.Collection():
                key = parent.items.index(value.node) if parent.kind != "set" and value.node in parent.items else ANY
                if isinstance(value.node, ir.Starred):
                    return replace(value, node=parent)
                nested = self._nest(value, parent, key, found)
                name = value.name_in(parent.items[0]) if key == 1 and len(parent.items) == 2 and not value.path else None
                return nested if nested is None or name is None else replace(nested, key=name)
            case ir.Dict():
                return self._into_dict(value, parent, found)
            case ir.Subscript():
                return self._through_subscript(value, parent, found)
            case ir.Walrus():
                target = self.occurrences.bound_place(file, file.outline.statements[statement].scope, parent.target.id, statement)
                found.append(Step("bind", "assign", parent.span, target, value.path, value.derived, value.formula))
                return replace(value, node=parent)
            case ir.Comprehension():
                return self._through_comprehension(value, parent, found)
            case ir.Lambda():
                return self._nest(value, parent, CALLED, found)
            case ir.Yield():
                function = self.program.calls.inside(file, statement)
                if function is not None:
                    found.append(Step("return", "return", parent.span, Result(function), self._cut((ANY, *value.path)), value.derived))
                return None
        found.append(ending(value, "read"))
        return None

    def _through_attribute(self, value: Value, parent: ir.Attribute, found: list[Step]) -> Value | None:
        """An attribute of the value is another value, but for what is only another view of it."""
        if parent.attr in _VIEWS:
            return replace(value, node=parent)
        if value.path:
            return replace(value, node=parent, path=value.path[1:]) if value.path[0] == parent.attr else None
        found.append(ending(value, "read"))
        return None

    def _through_arithmetic(self, value: Value, parent: ir.Binary, found: list[Step]) -> Value | None:
        if value.path:
            if parent.operator in ("+", "|"):  # lists and dicts joined keep their elements
                return replace(value, node=parent, path=value.path if value.node is parent.left else moved(value.path))
            found.append(ending(value, "read"))
            return None
        if is_text(parent.left) or is_text(parent.right):  # a message, by `%` or by `+`
            found.append(ending(value, "read"))
            return None
        if parent.operator == "*" and any(isinstance(side, ir.Collection | ir.Comprehension) for side in parent.children()):
            found.append(ending(value, "read"))  # a list repeated
            return None
        if parent.operator not in ARITHMETIC:
            found.append(ending(value, "read"))
            return None
        return replace(value, node=parent, derived=True, formula=parent)

    def _into_dict(self, value: Value, parent: ir.Dict, found: list[Step]) -> Value | None:
        for key, item in parent.items:
            if item is value.node:
                if key is None:
                    return replace(value, node=parent)
                name = value.name_in(key)
                if name is not None:
                    return self._nest(replace(value, nameless=value.nameless and isinstance(key, ir.Const)), parent, name, found)
                literal = key.value if isinstance(key, ir.Const) and isinstance(key.value, int) else ANY
                return self._nest(value, parent, literal, found)
        found.append(ending(value, "read"))
        return None

    def _through_subscript(self, value: Value, parent: ir.Subscript, found: list[Step]) -> Value | None:
        if value.node is not parent.base or not value.path:
            found.append(ending(value, "read"))
            return None
        if isinstance(parent.index, ir.Slice):
            return replace(value, node=parent, path=value.path if parent.index.lower is None else moved(value.path))
        if isinstance(parent.index, ir.Const):
            if name_of_pair(value.path) is not None and parent.index.value == 1:
                return replace(value, node=parent, path=value.path[1:])
            if parent.index.value not in (value.path[0], None) and value.path[0] != ANY:
                return None
        return self._taken(value, parent, isinstance(parent.index, ir.Const))

    def _iterated(self, value: Value, parent: ir.Comprehension, above: tuple[Expr, ...], file: File, statement: int) -> Iterator[Step]:
        """A container that a comprehension loops over: its elements go where the loop's names are used."""
        for clause in parent.clauses:
            if value.node is clause.iterable and value.path and not is_name(value.path[0]):  # a dict gives its names
                key = first_name(clause.target)  # of `for key, item in table.items()`
                value = replace(value, key=name_of_pair(value.path[1:]) or value.key)
                for name, path in _bound(clause.target, value.path[1:]):
                    for node, ancestors in _uses_inside(parent, name):
                        held = replace(value, node=node, path=path, formula=None, key_variable=key)
                        yield from self._steps_of(held, file, statement, (*above, *ancestors))

    def _through_comprehension(self, value: Value, parent: ir.Comprehension, found: list[Step]) -> Value | None:
        if any(value.node in clause.conditions for clause in parent.clauses):
            found.append(ending(value, "guard"))
            return None
        if parent.kind == "dict":
            if value.node is parent.element:
                found.append(ending(value, "read"))
                return None
            if isinstance(parent.element, ir.Name) and parent.element.id == value.key_variable and value.key is not None:
                return self._nest(replace(value, nameless=False), parent, value.key, found)
            return self._nest(value, parent, ANY, found)
        return self._nest(value, parent, ANY, found)


def _is_called(func: Expr, parent: Expr) -> bool:
    return isinstance(parent, ir.Call) and parent.func is func


def _bound(target: Expr, path: Path) -> list[tuple[str, Path]]:
    """The names that unpacking a value of this path binds, each with the rest of the path."""
    if isinstance(target, ir.Name):
        return [(target.id, path)]
    if isinstance(target, ir.Collection) and name_of_pair(path) is not None:
        return _bound(target.items[1], path[1:]) if len(target.items) == 2 else []
    if isinstance(target, ir.Collection) and path:
        return [one for position, item in enumerate(target.items) if path[0] in (position, ANY) for one in _bound(item, path[1:])]
    return []


def _uses_inside(parent: ir.Comprehension, name: str) -> list[tuple[Expr, tuple[Expr, ...]]]:
    targets = {id(node) for clause in parent.clauses for node in ir.walk(clause.target)}
    return [
        (node, ancestors)
        for node, ancestors in ir.paths(parent)
        if isinstance(node, ir.Name) and node.id == name and id(node) not in targets
    ]
