"""The last part of a step: what a statement does with the value of its expression."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from sgmem.flow.arithmetic import is_text
from sgmem.flow.occurrences import Occurrences
from sgmem.flow.places import ANY, CALLED, MAX_PATH, Field, GlobalVariable, Parameter, Path, Result, Variable, is_name, name_of_pair
from sgmem.flow.published import Published
from sgmem.flow.step import End, Step, Value, ending, first_name, moved
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.program.files import File
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span


class Landing:
    """Lands values in the targets of statements: names, fields, items of containers, results."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.program = program
        self.occurrences = occurrences
        self.published = Published(program, occurrences)
        self.by_name = self.published.by_name

    def _nest(self, value: Value, parent: Expr, key: str | int, found: list[Step]) -> Value | None:
        if len(value.path) >= MAX_PATH:
            found.append(replace(ending(value, "read"), unresolved="nested deeper than containers are followed"))
            return None
        return replace(value, node=parent, path=(key, *value.path))

    def _cut(self, path: Path) -> Path:
        return path[:MAX_PATH]

    def _land(self, value: Value, file: File, statement: int) -> Iterator[Step]:
        row = file.outline.statements[statement]
        lowered = file.statement(statement)
        landed = False
        if any(value.node is target for b in lowered.bindings if b.how != "augment" for target in assigned(b.target)):
            return  # written over: nothing of it is read
        for binding in lowered.bindings:
            if binding.value is value.node:
                landed = True
                path = value.path
                if binding.how == "iterate":
                    if not path or is_name(path[0]):
                        continue  # a dict gives its names
                    path = path[1:]
                if binding.how == "augment":
                    path = moved(path)
                derived = value.derived or binding.how == "augment"
                onward = replace(value, path=path, derived=derived)
                if binding.how == "iterate":
                    onward.key_variable = first_name(binding.target)  # of `for name, value in pairs`
                if binding.how == "augment" and not path and not is_text(binding.value):
                    onward.formula = value.formula or value.node
                yield from self._assign(binding.target, onward, file, statement, lowered.span)
            elif binding.how == "augment" and binding.target is value.node and not value.path:
                landed = True
                onward = replace(value, derived=True, formula=None if is_text(binding.value) else value.node)
                yield from self._assign(binding.target, onward, file, statement, lowered.span)
        if landed:
            return
        if row.kind == "return":
            function = self.program.calls.inside(file, statement)
            if function is not None:
                span = value.formula.span if value.formula is not None else value.node.span
                decided = self.decided(self.program.idioms.providers(function), value, span) if value.path else []
                yield from decided
                formula = None if decided else value.formula
                yield Step("return", "return", span, Result(function), value.path, value.derived, formula)
        elif row.kind in ("if", "while", "assert", "case"):
            yield ending(value, "guard")
        elif row.kind == "function":
            yield from self._default(value, file, statement)
        else:
            yield ending(value, "read")

    def decided(self, owners: Iterable[Class], value: Value, span: Span) -> list[Step]:
        """Writes of fields by the names under which a container that decides them holds their values."""
        step = Step("pass", "overlay", span, None, value.path[1:], value.derived, value.formula, by_name=True)
        return [replace(step, target=place) for place in self.named(owners, value.path[0])]

    def named(self, owners: Iterable[Class], key: str | int) -> list[Field]:
        """The fields that a name means on some classes; a bag, which is no record, has whatever is put into it."""
        if not isinstance(key, str) or key in (ANY, CALLED):
            return []
        classes, found = self.program.classes, list[Class]()
        for owner in owners:
            found += classes.owners(owner, key) or (() if classes.is_record(owner) else (owner,))
        return [Field(owner, key) for owner in found]

    def _default(self, value: Value, file: File, statement: int) -> Iterator[Step]:
        function = Function(file, file.scope_defined_by[statement])
        for parameter in function.parameters:
            if parameter.default == value.node.span:
                yield Step("pass", "alias", parameter.span, Parameter(function, parameter.name), value.path, value.derived)

    def _assign(self, target: Expr, value: Value, file: File, statement: int, span: Span) -> Iterator[Step]:
        match target:
            case ir.Name():
                place = self.occurrences.bound_place(file, file.outline.statements[statement].scope, target.id, statement)
                if isinstance(place, GlobalVariable) and len(value.path) > 1:  # a table of overrides, by some key
                    owners = self.program.idioms.tables(place.file, place.name)
                    yield from self.decided(owners, replace(value, path=value.path[1:]), span)
                end: End = "store" if isinstance(place, Field) else "bind"
                yield Step(end, "assign", span, place, value.path, value.derived, value.formula, running=value.running)
            case ir.Attribute():
                scope = file.outline.statements[statement].scope
                for setter in self._setters(target, file, scope):
                    parameter = Parameter(setter, setter.parameters[1].name)
                    yield Step("store", "store", span, parameter, value.path, value.derived, value.formula)
                for place, grade in self.occurrences.fields(target.base, target.attr, file, scope):
                    yield Step("store", "store", span, place, value.path, value.derived, value.formula, grade=grade)
            case ir.Subscript():
                name = value.name_in(target.index)
                key = target.index.value if isinstance(target.index, ir.Const) and isinstance(target.index.value, int) else name or ANY
                inner = replace(value, path=self._cut((key, *value.path)))
                yield from self._put(target.base, inner, file, statement, span)
            case ir.Collection():
                if not value.path:
                    return
                pair = name_of_pair(value.path)
                if pair is not None:
                    second = replace(value, path=value.path[1:], key=pair)
                    yield from self._assign(target.items[1], second, file, statement, span) if len(target.items) == 2 else ()
                    return
                for position, item in enumerate(target.items):
                    if isinstance(item, ir.Starred):
                        first = value.path[0]
                        if isinstance(first, int) and first >= position:
                            rest = replace(value, path=(first - position, *value.path[1:]))
                            yield from self._assign(item.value, rest, file, statement, span)
                        elif first == ANY:
                            yield from self._assign(item.value, value, file, statement, span)
                    elif value.path[0] in (position, ANY):
                        yield from self._assign(item, replace(value, path=value.path[1:]), file, statement, span)
            case ir.Starred():
                yield from self._assign(target.value, value, file, statement, span)

    def _setters(self, target: ir.Attribute, file: File, scope: int) -> Iterator[Function]:
        """The property setters that an assignment to an attribute calls."""
        for owner in self.program.values.types(target.base, file, scope):
            for each in self.program.classes.mro(owner):
                index = each.file.setter(each.index, target.attr)
                if index is not None and len(each.file.scope(index).parameters) > 1:
                    yield Function(each.file, index)
                    break

    def put(self, container: Expr, path: Path, file: File, statement: int, span: Span) -> Iterator[Step]:
        """What comes to hold a value that is put into a container at `path`."""
        return self._put(container, Value(container, path), file, statement, span)

    def _put(self, container: Expr, value: Value, file: File, statement: int, span: Span) -> Iterator[Step]:
        """The value lands inside a container that a variable or field holds."""
        scope = file.outline.statements[statement].scope
        step = Step("store", "store", span, None, value.path, value.derived, value.formula, mutation=True)
        match container:
            case ir.Name():
                for place in self.occurrences.variable(file, scope, container.id):
                    if isinstance(place, Variable):
                        place = Variable(place.file, place.scope, place.name, statement)
                    yield replace(step, target=place)
            case ir.Attribute():
                if container.attr == "__dict__" and value.path and isinstance(value.path[0], str):
                    for field, grade in self.occurrences.fields(container.base, value.path[0], file, scope):
                        yield replace(step, target=field, path=value.path[1:], grade=grade, mutation=False)
                    return
                for field, grade in self.occurrences.fields(container.base, container.attr, file, scope):
                    yield replace(step, target=field, grade=grade)
            case ir.Subscript():
                key = container.index.value if isinstance(container.index, ir.Const) else ANY
                inner = replace(value, path=self._cut((key if isinstance(key, str | int) else ANY, *value.path)))
                yield from self._put(container.base, inner, file, statement, span)
