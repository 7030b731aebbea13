"""One step forward: where a value that an expression reads goes next, by climbing from the expression to its statement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

from sgmem.flow.arithmetic import ARITHMETIC, NUMERIC, is_text
from sgmem.flow.occurrences import Grade, Occurrences
from sgmem.flow.places import ANY, CALLED, MAX_PATH, Field, LooseField, Parameter, Path, Place, Result, Variable
from sgmem.program.calls import CallSite, bind
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, External, Function
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr, Span

Kind = Literal["assign", "argument", "return", "store", "load", "operand", "keyword", "overlay", "alias"]
End = Literal["read", "pass", "store", "guard", "bind", "return", "through"]

SAME = {"copy", "deepcopy", "cast", "dict", "OrderedDict", "list", "tuple", "deque", "iter", "vars", "asdict"}
REORDERED = {"set", "sorted", "reversed", "frozenset"}
METHODS = {"item", "copy", "clone", "tolist", "cpu", "cuda", "to", "detach"}
_VIEWS = {"T", "mT", "data", "real", "value"}
_LOGGING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print", "rank_print", "log_info_on_rank0"}


@dataclass(frozen=True, slots=True)
class Step:
    """What happens to a value read at `node`: it reaches `target` (None where it ends here).

    `span` is the tight place of the event, `formula` the whole arithmetic expression the value went through, `call` the call site that
    the value enters, `callee` the called expression's text, `callees` all names the callee goes by. `through`: the value went through
    this call on its way and comes out again (`int(x)`), which is told beside its other steps.
    """

    end: End
    kind: Kind
    span: Span
    target: Place | None = None
    path: Path = ()
    derived: bool = False
    formula: Expr | None = None
    call: CallSite | None = None
    callee: str | None = None
    callees: tuple[str, ...] = ()
    grade: Grade = "same"
    mutation: bool = False
    """The target is a container that receives the value under a key."""
    unresolved: str | None = None


@dataclass(slots=True)
class _Value:
    """A value on its way up an expression."""

    node: Expr
    path: Path
    derived: bool = False
    formula: Expr | None = None
    key_variable: str | None = None
    key: str | int | None = None


class Stepper:
    """Computes forward steps over one program."""

    def __init__(self, program: Program, occurrences: Occurrences) -> None:
        self.program = program
        self.occurrences = occurrences

    def steps(self, file: File, statement: int, node: Expr, ancestors: tuple[Expr, ...], path: Path = ()) -> list[Step]:
        """All next steps of the value read at `node`; `ancestors` lead down to it from a top-level expression of the statement."""
        found: list[Step] = []
        value: _Value | None = _Value(node, path)
        for depth in range(len(ancestors) - 1, -1, -1):
            assert value is not None
            parent = ancestors[depth]
            if isinstance(parent, ir.Comprehension) and any(value.node is clause.iterable for clause in parent.clauses):
                found += self._iterated(value, parent, ancestors[:depth], file, statement)
                return found
            below = value
            if isinstance(parent, ir.Attribute) and not (depth and _is_called(parent, ancestors[depth - 1])):
                value = self._through_attribute(below, parent, found)
            else:
                value = self._climb(below, parent, file, statement, found)
            if value is None:
                return found
            if isinstance(parent, ir.Call) and parent.func is not below.node:
                names = self._names(parent, file, file.outline.statements[statement].scope)
                found.append(Step("through", "argument", below.node.span, callee=names[0], callees=names))
        assert value is not None
        found += self._land(value, file, statement)
        return found

    # -- one level up ---------------------------------------------------------------------------------------------------------

    def _climb(self, value: _Value, parent: Expr, file: File, statement: int, found: list[Step]) -> _Value | None:
        match parent:
            case ir.Call():
                return self._through_call(value, parent, file, statement, found)
            case ir.Attribute():
                return replace(value, node=parent)  # a method of the value: decided at the call around it
            case ir.Binary():
                return self._through_arithmetic(value, parent, found)
            case ir.Unary():
                if parent.operator == "not":
                    found.append(_end(value, "guard"))
                    return None
                return replace(value, node=parent, derived=True, formula=parent if value.formula is not None else None)
            case ir.Compare():
                found.append(_end(value, "guard"))
                return None
            case ir.Boolean() | ir.Await() | ir.Starred():
                return replace(value, node=parent)
            case ir.Conditional():
                if value.node is parent.test:
                    found.append(_end(value, "guard"))
                    return None
                whole = value.formula is not None and not value.path
                return replace(value, node=parent, formula=parent if whole else value.formula)
            case ir.Collection():
                key = parent.items.index(value.node) if parent.kind != "set" and value.node in parent.items else ANY
                if isinstance(value.node, ir.Starred):
                    return replace(value, node=parent)
                return self._nest(value, parent, key, found)
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
        found.append(_end(value, "read"))
        return None

    def _through_attribute(self, value: _Value, parent: ir.Attribute, found: list[Step]) -> _Value | None:
        """An attribute of the value is another value, but for what is only another view of it."""
        if parent.attr in _VIEWS:
            return replace(value, node=parent)
        if value.path:
            return replace(value, node=parent, path=value.path[1:]) if value.path[0] == parent.attr else None
        found.append(_end(value, "read"))
        return None

    def _through_arithmetic(self, value: _Value, parent: ir.Binary, found: list[Step]) -> _Value | None:
        if value.path:
            if parent.operator in ("+", "|"):  # lists and dicts joined keep their elements
                return replace(value, node=parent, path=value.path if value.node is parent.left else _moved(value.path))
            found.append(_end(value, "read"))
            return None
        if is_text(parent.left) or is_text(parent.right):  # a message, by `%` or by `+`
            found.append(_end(value, "read"))
            return None
        if parent.operator == "*" and any(isinstance(side, ir.Collection | ir.Comprehension) for side in parent.children()):
            found.append(_end(value, "read"))  # a list repeated
            return None
        if parent.operator not in ARITHMETIC:
            found.append(_end(value, "read"))
            return None
        return replace(value, node=parent, derived=True, formula=parent)

    def _into_dict(self, value: _Value, parent: ir.Dict, found: list[Step]) -> _Value | None:
        for key, item in parent.items:
            if item is value.node:
                if key is None:
                    return replace(value, node=parent)
                literal = key.value if isinstance(key, ir.Const) and isinstance(key.value, str | int) else ANY
                return self._nest(value, parent, literal, found)
        found.append(_end(value, "read"))
        return None

    def _through_subscript(self, value: _Value, parent: ir.Subscript, found: list[Step]) -> _Value | None:
        if value.node is not parent.base or not value.path:
            found.append(_end(value, "read"))
            return None
        if isinstance(parent.index, ir.Slice):
            return replace(value, node=parent, path=value.path if parent.index.lower is None else _moved(value.path))
        if isinstance(parent.index, ir.Const):
            if parent.index.value not in (value.path[0], None) and value.path[0] != ANY:
                return None
        return replace(value, node=parent, path=value.path[1:])

    def _iterated(self, value: _Value, parent: ir.Comprehension, above: tuple[Expr, ...], file: File, statement: int) -> Iterator[Step]:
        """A container that a comprehension loops over: its elements go where the loop's names are used."""
        for clause in parent.clauses:
            if value.node is clause.iterable and value.path:
                for name, path in _bound(clause.target, value.path[1:]):
                    for node, ancestors in _uses_inside(parent, name):
                        yield from self.steps(file, statement, node, (*above, *ancestors), path)

    def _through_comprehension(self, value: _Value, parent: ir.Comprehension, found: list[Step]) -> _Value | None:
        if any(value.node in clause.conditions for clause in parent.clauses):
            found.append(_end(value, "guard"))
            return None
        if parent.kind == "dict":
            if value.node is parent.element:
                found.append(_end(value, "read"))
                return None
            same_key = isinstance(parent.element, ir.Name) and parent.element.id == value.key_variable
            key: str | int = value.key if same_key and value.key is not None else ANY
            return self._nest(value, parent, key, found)
        return self._nest(value, parent, ANY, found)

    def _nest(self, value: _Value, parent: Expr, key: str | int, found: list[Step]) -> _Value | None:
        if len(value.path) >= MAX_PATH:
            found.append(replace(_end(value, "read"), unresolved="nested deeper than containers are followed"))
            return None
        return replace(value, node=parent, path=(key, *value.path))

    def _cut(self, path: Path) -> Path:
        return path[:MAX_PATH]

    # -- calls ----------------------------------------------------------------------------------------------------------------

    def _through_call(self, value: _Value, call: ir.Call, file: File, statement: int, found: list[Step]) -> _Value | None:
        scope = file.outline.statements[statement].scope
        last = call.func.attr if isinstance(call.func, ir.Attribute) else call.func.id if isinstance(call.func, ir.Name) else ""
        if value.node is call.func:
            return self._method_of_value(value, call, last, found)
        argument = next((a for a in call.args if a.value is value.node), None)
        if argument is None:
            found.append(_end(value, "read"))
            return None
        entity = self.program.names.entity(call.func, file, scope)
        if entity is None or isinstance(entity, External):
            special = self._special(value, call, argument, last, file, statement, found)
            if special is not _UNKNOWN:
                return special  # type: ignore[return-value]
        targets = self.program.calls.targets(call, file, scope)
        text = dotted(call.func) or last
        if not targets:
            end: End = "read" if last in _LOGGING or (isinstance(entity, External) and entity.dotted in _BUILTIN_READS) else "pass"
            names = self._names(call, file, scope)
            step = Step(end, "argument", argument.span, None, value.path, value.derived, value.formula, None, text, names)
            if end == "pass" and not isinstance(entity, External):
                step = replace(step, unresolved=f"call of {text or 'an expression'} could not be resolved")
            found.append(step)
            return None
        partial = (dotted(call.func) or "").rpartition(".")[2] == "partial"
        for target, filled, certain in targets:
            site = CallSite(file, statement, call, filled, certain, partial)
            found += self._enter(value, argument, target, site, text)
        return None

    def _names(self, call: ir.Call, file: File, scope: int, target: Function | Class | None = None) -> tuple[str, ...]:
        """What a callee goes by: as the source spells it, by its full name outside the program, qualified inside; a constructor also by
        its class."""
        names = {dotted(call.func) or (call.func.attr if isinstance(call.func, ir.Attribute) else "an expression"): None}
        entity = self.program.names.entity(call.func, file, scope)
        if isinstance(entity, External):
            names[entity.dotted] = None
        for one in (entity, target):
            if isinstance(one, Function | Class):
                names[one.qualified] = None
        if isinstance(target, Function) and target.name == "__init__" and target.owner is not None:
            names[target.owner.qualified] = None
        return tuple(names)

    def _method_of_value(self, value: _Value, call: ir.Call, last: str, found: list[Step]) -> _Value | None:
        """`value.method(...)`: what of the value the method hands out; `value()` where it is a function that gives it."""
        if value.path[:1] == (CALLED,) and value.node is call.func:
            return replace(value, node=call, path=value.path[1:])
        if value.path and isinstance(call.func, ir.Attribute) and value.node is call.func:
            if last in ("get", "pop", "setdefault") and call.args:
                key = call.args[0].value
                literal = key.value if isinstance(key, ir.Const) else None
                if literal is not None and value.path[0] not in (literal, ANY):
                    return None
                return replace(value, node=call, path=value.path[1:])
            if last in ("pop", "popleft"):
                return replace(value, node=call, path=value.path[1:])
            if last == "items":
                return replace(value, node=call, path=self._cut((ANY, 1, *value.path[1:])))
            if last == "values":
                return replace(value, node=call, path=(ANY, *value.path[1:]))
            if last in ("copy", "_asdict", "dict", "model_dump", "items"):
                return replace(value, node=call)
            return None
        if last in METHODS:
            return replace(value, node=call)
        if last in ("max", "min", "sum", "mean"):
            return replace(value, node=call, derived=True)
        found.append(_end(value, "read"))
        return None

    def _special(
        self, value: _Value, call: ir.Call, argument: ir.Argument, last: str, file: File, statement: int, found: list[Step]
    ) -> _Value | object | None:
        """Builtins and library functions whose effect on a value is known."""
        position = call.args.index(argument)
        scope = file.outline.statements[statement].scope
        if last == "getattr" and len(call.args) >= 2:
            key = call.args[1].value
            if position == 0 and value.path:
                literal = key.value if isinstance(key, ir.Const) else None
                if literal is not None and value.path[0] not in (literal, ANY):
                    return None
                variable = key.id if isinstance(key, ir.Name) else None
                return replace(value, node=call, path=value.path[1:], key_variable=variable, key=value.path[0])
            return replace(value, node=call) if position == 2 else None
        if last == "setattr" and len(call.args) == 3 and position == 2:
            key = call.args[1].value
            if isinstance(key, ir.Const) and isinstance(key.value, str):
                for place, grade in self.occurrences.fields(call.args[0].value, key.value, file, scope):
                    found.append(Step("store", "store", call.span, place, value.path, value.derived, value.formula, grade=grade))
            else:
                found.append(replace(_end(value, "pass"), unresolved="setattr with a name that is not a literal"))
            return None
        if last == "dict" and argument.keyword is not None:
            return self._nest(value, call, argument.keyword, found)
        if last == "enumerate" and value.path:
            return replace(value, node=call, path=self._cut((ANY, 1, *value.path[1:])))
        if last == "zip" and value.path:
            return replace(value, node=call, path=self._cut((ANY, position, *value.path[1:])))
        if last in SAME:
            if last == "asdict" and not value.path:
                return None
            if last == "dict" and value.path[1:2] == (1,) and (value.path[0] == ANY or isinstance(value.path[0], int)):
                return replace(value, node=call, path=(ANY, *value.path[2:]))  # made from pairs
            return replace(value, node=call)
        if last in REORDERED:
            return replace(value, node=call, path=_moved(value.path))
        if last == "next":
            return replace(value, node=call, path=value.path[1:] if position == 0 else value.path)
        if last in ("get", "pop") and position == 1 and isinstance(call.func, ir.Attribute):
            if not self.program.calls.targets(call, file, scope):
                return replace(value, node=call)  # the default
        if last in NUMERIC and not value.path:
            formula = call if value.formula is not None or (last in ("min", "max") and len(call.args) > 1) else None
            return replace(value, node=call, derived=True, formula=formula)
        if last in ("min", "max", "sum") and value.path:
            return replace(value, node=call, path=value.path[1:], derived=True)
        if last in ("replace", "evolve", "_replace") and argument.keyword is not None:
            # dataclasses.replace(record, field=value), record._replace(field=value): a write of the field on a new record
            record = call.func.base if last == "_replace" and isinstance(call.func, ir.Attribute) else call.args[0].value
            for place, grade in self.occurrences.fields(record, argument.keyword, file, scope):
                found.append(Step("pass", "overlay", argument.span, place, value.path, value.derived, value.formula, grade=grade))
            return None
        if last in ("update", "setdefault", "append", "add", "insert", "extend") and isinstance(call.func, ir.Attribute):
            return self._mutate(value, call, argument, last, file, statement, found)
        return _UNKNOWN

    def _mutate(
        self, value: _Value, call: ir.Call, argument: ir.Argument, last: str, file: File, statement: int, found: list[Step]
    ) -> object | None:
        """A method that puts the value into a container."""
        assert isinstance(call.func, ir.Attribute)
        if self.program.calls.targets(call, file, file.outline.statements[statement].scope):
            return _UNKNOWN
        path = value.path
        if last == "update" and argument.keyword is not None:
            path = (argument.keyword, *path)
        elif last == "setdefault":
            key = call.args[0].value
            path = (key.value if isinstance(key, ir.Const) and isinstance(key.value, str) else ANY, *path)
        elif last in ("append", "add", "insert"):
            path = (ANY, *path)
        elif not path:
            return None
        elif last == "extend":
            path = _moved(path)
        found += self._put(call.func.base, replace(value, path=self._cut(path)), file, statement, call.span)
        return replace(value, node=call) if last == "setdefault" else None

    def _enter(self, value: _Value, argument: ir.Argument, target: Function | Class, site: CallSite, text: str) -> Iterator[Step]:
        kind: Kind = "keyword" if argument.keyword is not None else "argument"
        grade: Grade = "same" if site.certain else "instance"
        names = self._names(site.call, site.file, site.scope, target)
        base = Step("pass", kind, argument.span, None, value.path, value.derived, value.formula, site, text, names, grade)
        if isinstance(target, Class):
            yield from self._construct(value, argument, target, site, base)
            return
        parameters = target.parameters
        rest = next((p.name for p in parameters if p.kind == "double-star"), None)
        by_name = {p.name for p in parameters if p.kind in ("normal", "keyword")}
        for filled in bind(site, parameters):
            if filled.argument is not argument:
                continue
            if filled.parameter is not None:
                path = value.path if filled.key is None else self._cut((filled.key, *value.path))
                yield replace(base, target=Parameter(target, filled.parameter), path=path)
            elif not value.path:
                continue
            elif argument.star == "**":
                if value.path[0] in by_name:
                    yield replace(base, target=Parameter(target, str(value.path[0])), path=value.path[1:], kind="keyword")
                elif rest is not None:
                    yield replace(base, target=Parameter(target, rest), kind="keyword")
            elif argument.star == "*" and isinstance(value.path[0], int) and isinstance(filled.key, int):
                yield from self._spread_position(value, target, filled.key + value.path[0], base)

    def _spread_position(self, value: _Value, target: Function, position: int, base: Step) -> Iterator[Step]:
        places = [p for p in target.parameters if p.kind in ("positional", "normal")]
        star = next((p.name for p in target.parameters if p.kind == "star"), None)
        if position < len(places):
            yield replace(base, target=Parameter(target, places[position].name), path=value.path[1:])
        elif star is not None:
            yield replace(base, target=Parameter(target, star), path=(position - len(places), *value.path[1:]))

    def _construct(self, value: _Value, argument: ir.Argument, owner: Class, site: CallSite, base: Step) -> Iterator[Step]:
        """A record's generated constructor stores its arguments into the fields."""
        if not self.program.classes.is_record(owner):
            return
        fields = self.program.classes.record_fields(owner)
        name: str | None = argument.keyword
        path = value.path
        if argument.star == "**":
            if not path:
                return
            name, path = str(path[0]), path[1:]
            base = replace(base, span=site.call.span)  # the whole construction is the write, as for any other spread
        elif name is None:
            position = [a for a in site.arguments if a.keyword is None].index(argument) + site.filled
            name = fields[position] if position < len(fields) else None
        if name is None or (name not in fields and name != ANY):
            return
        for top in self.program.classes.owners(owner, name):
            yield replace(base, target=Field(top, name), path=path)

    # -- the statement --------------------------------------------------------------------------------------------------------

    def _land(self, value: _Value, file: File, statement: int) -> Iterator[Step]:
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
                    if not path:
                        continue
                    path = path[1:]
                if binding.how == "augment":
                    path = _moved(path)
                derived = value.derived or binding.how == "augment"
                onward = replace(value, path=path, derived=derived)
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
                yield Step("return", "return", span, Result(function), value.path, value.derived, value.formula)
        elif row.kind in ("if", "while", "assert", "case"):
            yield _end(value, "guard")
        elif row.kind == "function":
            yield from self._default(value, file, statement)
        else:
            yield _end(value, "read")

    def _default(self, value: _Value, file: File, statement: int) -> Iterator[Step]:
        function = Function(file, file.scope_defined_by[statement])
        for parameter in function.parameters:
            if parameter.default == value.node.span:
                yield Step("pass", "alias", parameter.span, Parameter(function, parameter.name), value.path, value.derived)

    def _assign(self, target: Expr, value: _Value, file: File, statement: int, span: Span) -> Iterator[Step]:
        match target:
            case ir.Name():
                place = self.occurrences.bound_place(file, file.outline.statements[statement].scope, target.id, statement)
                end: End = "store" if isinstance(place, Field) else "bind"
                yield Step(end, "assign", span, place, value.path, value.derived, value.formula)
            case ir.Attribute():
                scope = file.outline.statements[statement].scope
                for setter in self._setters(target, file, scope):
                    parameter = Parameter(setter, setter.parameters[1].name)
                    yield Step("store", "store", span, parameter, value.path, value.derived, value.formula)
                for place, grade in self.occurrences.fields(target.base, target.attr, file, scope):
                    yield Step("store", "store", span, place, value.path, value.derived, value.formula, grade=grade)
            case ir.Subscript():
                key = target.index.value if isinstance(target.index, ir.Const) and isinstance(target.index.value, str | int) else ANY
                inner = replace(value, path=self._cut((key, *value.path)))
                yield from self._put(target.base, inner, file, statement, span)
            case ir.Collection():
                if not value.path:
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
                index = each.file.setters.get((each.index, target.attr))
                if index is not None and len(each.file.scope(index).parameters) > 1:
                    yield Function(each.file, index)
                    break

    def put(self, container: Expr, path: Path, file: File, statement: int, span: Span) -> Iterator[Step]:
        """What comes to hold a value that is put into a container at `path`."""
        return self._put(container, _Value(container, path), file, statement, span)

    def _put(self, container: Expr, value: _Value, file: File, statement: int, span: Span) -> Iterator[Step]:
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


_UNKNOWN = object()
_BUILTIN_READS = {"len", "isinstance", "hasattr", "repr", "str", "format", "print", "bool", "type", "id", "range"}


def _is_called(func: Expr, parent: Expr) -> bool:
    return isinstance(parent, ir.Call) and parent.func is func


def _end(value: _Value, end: End) -> Step:
    return Step(end, "load", value.node.span, None, value.path, value.derived, value.formula)


def _moved(path: Path) -> Path:
    """The path to an element whose index has changed."""
    return (ANY, *path[1:]) if path and isinstance(path[0], int) else path


def _bound(target: Expr, path: Path) -> list[tuple[str, Path]]:
    """The names that unpacking a value of this path binds, each with the rest of the path."""
    if isinstance(target, ir.Name):
        return [(target.id, path)]
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


__all__ = ["ARITHMETIC", "NUMERIC", "End", "Kind", "LooseField", "Step", "Stepper", "assigned"]
