"""The part of a step that goes through a call: into its parameters, through what is known of library functions, into containers."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from sgmem.flow.arithmetic import NUMERIC
from sgmem.flow.landing import Landing
from sgmem.flow.made_records import field_given, made_by
from sgmem.flow.occurrences import Grade
from sgmem.flow.places import ANY, CALLED, Field, GlobalVariable, LooseField, Parameter, Place, Variable, as_pair, is_name, name_of_pair
from sgmem.flow.step import End, Kind, Step, Value, ending, moved
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, External, Function, Global
from sgmem.program.files import File, dotted
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr

SAME = {"copy", "deepcopy", "cast", "dict", "OrderedDict", "list", "tuple", "deque", "iter", "vars", "asdict"}
REORDERED = {"set", "sorted", "reversed", "frozenset"}
STEERED = NUMERIC | REORDERED
STEERING = {"key", "reverse", "dtype", "device"}
"""Keywords by which such a function is told how to choose, order or store: its result is made of its other arguments."""
METHODS = {"item", "copy", "clone", "tolist", "cpu", "cuda", "to", "detach"}
_OUTSIDE = {"add_argument", "view", "reshape", "expand", "repeat", "split", "narrow", "unflatten"}
"""Methods of library objects that are no part of the program, whatever object they are called on."""
_LOGGING = {"debug", "info", "warning", "warn", "error", "exception", "critical", "log", "print", "rank_print", "log_info_on_rank0"}
_UNKNOWN = object()
_FEW_FILES = 12
_BUILTIN_READS = {"len", "isinstance", "hasattr", "repr", "str", "format", "print", "bool", "type", "id", "range"}


class Calling(Landing):
    """Takes values through calls."""

    def _through_call(self, value: Value, call: ir.Call, file: File, statement: int, found: list[Step]) -> Value | None:
        scope = file.outline.statements[statement].scope
        last = call.func.attr if isinstance(call.func, ir.Attribute) else call.func.id if isinstance(call.func, ir.Name) else ""
        if value.node is call.func:
            return self._method_of_value(value, call, last, found)
        argument = next((a for a in call.args if a.value is value.node), None)
        if argument is None:
            found.append(ending(value, "read"))
            return None
        entity = self.program.names.entity(call.func, file, scope)
        if entity is None or isinstance(entity, External):
            special = self._special(value, call, argument, last, file, statement, found)
            if special is not _UNKNOWN:
                return special  # type: ignore[return-value]
        targets = self.program.calls.targets(call, file, scope)
        text = dotted(call.func) or last
        if not targets:
            field = self._of_made_record(call, argument, entity)
            if field is not None:
                step = Step(
                    "pass", "keyword", argument.span, field, value.path, value.derived, value.formula, callee=text, grade="name"
                )
                found.append(step)
                return None
            end: End = "read" if last in _LOGGING or (isinstance(entity, External) and entity.dotted in _BUILTIN_READS) else "pass"
            names = self._names(call, file, scope)
            given = argument.keyword or call.args.index(argument)
            step = Step(end, "argument", argument.span, None, value.path, value.derived, value.formula, None, text, names, given=given)
            if end == "pass" and not isinstance(entity, External) and last not in _OUTSIDE:
                step = replace(step, unresolved=f"call of {text or 'an expression'} could not be resolved")
            found.append(step)
            return None
        partial = (dotted(call.func) or "").rpartition(".")[2] == "partial"
        for target, filled, certain in targets:
            site = CallSite(file, statement, call, filled, certain, partial)
            found += self._enter(value, argument, target, site, text)
        return None

    def _of_made_record(self, call: ir.Call, argument: ir.Argument, entity: object) -> LooseField | None:
        """The field that an argument sets of a record which a call has made. No class of the source is there to tell it by, so its name
        does, if few files use that."""
        if not isinstance(entity, Global):
            return None
        name = field_given(call, argument, made_by(self.program, entity))
        return LooseField(name) if name is not None and len(self.program.files.tree.mentioning(name)) <= _FEW_FILES else None

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

    def _method_of_value(self, value: Value, call: ir.Call, last: str, found: list[Step]) -> Value | None:
        """`value.method(...)`: what of the value the method hands out; `value()` where it is a function that gives it."""
        if value.path[:1] == (CALLED,) and value.node is call.func:
            return replace(value, node=call, path=value.path[1:])
        if value.path and isinstance(call.func, ir.Attribute) and value.node is call.func:
            if last in ("get", "pop", "setdefault") and call.args:
                key = call.args[0].value
                literal = key.value if isinstance(key, ir.Const) else None
                if literal is not None and value.path[0] not in (literal, ANY):
                    return None
                return self._taken(value, call, literal is not None)
            if last in ("pop", "popleft"):
                return replace(value, node=call, path=value.path[1:])
            if last in ("items", "values"):
                named = is_name(value.path[0])
                path = (ANY, 1, *value.path[1:]) if last == "items" else (ANY, *value.path[1:])
                return replace(value, node=call, path=self._cut(path), key=value.path[0], nameless=value.nameless or named)
            if last in ("copy", "_asdict", "dict", "model_dump", "items"):
                return replace(value, node=call)
            return None
        if last in METHODS:
            return replace(value, node=call)
        if last in ("max", "min", "sum", "mean"):
            return replace(value, node=call, derived=True)
        found.append(ending(value, "read"))
        return None

    def _taken(self, value: Value, node: Expr, by_name: bool) -> Value:
        """A value taken out of its container: by its name, or as any other entry."""
        return replace(value, node=node, path=value.path[1:], nameless=value.nameless or (is_name(value.path[0]) and not by_name))

    def _special(
        self, value: Value, call: ir.Call, argument: ir.Argument, last: str, file: File, statement: int, found: list[Step]
    ) -> Value | object | None:
        """Builtins and library functions whose effect on a value is known."""
        position = call.args.index(argument)
        scope = file.outline.statements[statement].scope
        if argument.keyword in STEERING and last in STEERED:
            found.append(ending(value, "read"))
            return None
        if last == "getattr" and len(call.args) >= 2:
            key = call.args[1].value
            if position == 0 and value.path:
                literal = key.value if isinstance(key, ir.Const) else None
                if literal is not None and value.path[0] not in (literal, ANY):
                    return None
                variable = key.id if isinstance(key, ir.Name) else None
                taken = self._taken(value, call, literal is not None)
                return replace(taken, key_variable=variable, key=value.path[0])
            return replace(value, node=call) if position == 2 else None
        if last == "setattr" and len(call.args) == 3 and position == 2:
            key = call.args[1].value
            name = value.name_in(key)
            if name is not None:
                for place, grade in self.occurrences.fields(call.args[0].value, name, file, scope):
                    found.append(Step("store", "store", call.span, place, value.path, value.derived, value.formula, grade=grade))
            else:
                found.append(replace(ending(value, "pass"), unresolved="setattr with a name that is not a literal"))
            return None
        if last == "dict" and argument.keyword is not None:
            return self._nest(value, call, argument.keyword, found)
        if last == "enumerate" and value.path:
            return replace(value, node=call, path=self._cut((ANY, 1, *value.path[1:])))
        if last == "zip" and value.path:
            names = self._literals(call.args[0].value, file, scope) if position == 1 else ()
            at = value.path[0]
            entry = names[at] if isinstance(at, int) and 0 <= at < len(names) else value.key
            return replace(value, node=call, path=self._cut((ANY, position, *value.path[1:])), key=entry)
        if last in SAME:
            if last == "asdict" and not value.path:
                return None
            if last == "dict" and value.path[1:2] == (1,) and (value.path[0] == ANY or isinstance(value.path[0], int)):
                name = value.key if isinstance(value.key, str) else ANY
                return replace(value, node=call, path=(name, *value.path[2:]))  # made from pairs
            pair = name_of_pair(value.path[1:])
            if last in ("dict", "OrderedDict") and pair is not None:
                return replace(value, node=call, path=(pair, *value.path[2:]))
            return replace(value, node=call)
        if last in REORDERED:
            return replace(value, node=call, path=moved(value.path))
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

    def _literals(self, names: Expr, file: File, scope: int) -> tuple[str, ...]:
        """The names in a display of literals, or in the only one that a variable is given."""
        if isinstance(names, ir.Name):
            where = self.occurrences.variable(file, scope, names.id)
            given = [binding for place in where for binding in self._bindings(place) if dotted(binding.target) == names.id]
            if len(given) != 1 or given[0].how not in ("assign", "annotate") or given[0].value is None:
                return ()
            names = given[0].value
        items = names.items if isinstance(names, ir.Collection) and names.kind != "set" else ()
        texts = tuple(item.value for item in items if isinstance(item, ir.Const) and isinstance(item.value, str))
        return texts if len(texts) == len(items) else ()

    def _bindings(self, place: Place) -> Iterator[ir.Binding]:
        """What the statements of its scope give a variable."""
        if isinstance(place, Variable | GlobalVariable):
            scope = place.scope if isinstance(place, Variable) else 0
            for index in self.program.names.bindings(place.file, scope, place.name):
                yield from place.file.statement(index).bindings

    def _mutate(
        self, value: Value, call: ir.Call, argument: ir.Argument, last: str, file: File, statement: int, found: list[Step]
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
            named = path[:1] == (1,) and isinstance(value.key, str)
            path = (ANY, as_pair(str(value.key)), *path[1:]) if named else (ANY, *path)
        elif not path:
            return None
        elif last == "extend":
            path = moved(path)
        found += self._put(call.func.base, replace(value, path=self._cut(path)), file, statement, call.span)
        return replace(value, node=call) if last == "setdefault" else None

    def _enter(self, value: Value, argument: ir.Argument, target: Function | Class, site: CallSite, text: str) -> Iterator[Step]:
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
                yield from self._with_stored(replace(base, target=Parameter(target, filled.parameter), path=path), target, site)
            elif not value.path:
                continue
            elif argument.star == "**":
                if value.path[0] in by_name:
                    yield replace(base, target=Parameter(target, str(value.path[0])), path=value.path[1:], kind="keyword")
                elif rest is not None:
                    yield from self._with_stored(replace(base, target=Parameter(target, rest), kind="keyword"), target, site)
            elif argument.star == "*" and isinstance(value.path[0], int) and isinstance(filled.key, int):
                yield from self._spread_position(value, target, filled.key + value.path[0], base)

    def _with_stored(self, step: Step, function: Function, site: CallSite) -> Iterator[Step]:
        """A step into a parameter. Where the function stores by name what the parameter holds, the value goes into the field; what the
        function does with the container besides (it keeps a log, it tells what it set) is no way of the value."""
        holder, stored = step.target, list[Step]()
        if step.path and isinstance(step.path[0], str) and isinstance(holder, Parameter):
            owners = self.by_name.stored(site, function, holder.name)
            onto = replace(step, path=step.path[1:], kind="overlay", by_name=True)
            stored = [replace(onto, target=place) for place in self.named(owners, step.path[0])]
        yield from stored
        if not stored or (isinstance(holder, Parameter) and self.by_name.picks(function, holder.name)):
            yield replace(step, formula=None) if stored else step

    def _spread_position(self, value: Value, target: Function, position: int, base: Step) -> Iterator[Step]:
        places = [p for p in target.parameters if p.kind in ("positional", "normal")]
        star = next((p.name for p in target.parameters if p.kind == "star"), None)
        if position < len(places):
            yield replace(base, target=Parameter(target, places[position].name), path=value.path[1:])
        elif star is not None:
            yield replace(base, target=Parameter(target, star), path=(position - len(places), *value.path[1:]))

    def _construct(self, value: Value, argument: ir.Argument, owner: Class, site: CallSite, base: Step) -> Iterator[Step]:
        """A record's generated constructor stores its arguments into the fields."""
        if not self.program.classes.is_record(owner):
            return
        name: str | None = argument.keyword
        path = value.path
        if argument.star == "**":
            if not path:
                return
            name, path = str(path[0]), path[1:]
            base = replace(base, span=site.call.span)  # the whole construction is the write, as for any other spread
        elif name is None:
            position = [a for a in site.arguments if a.keyword is None].index(argument) + site.filled
            fields = self.program.classes.record_fields(owner)
            name = fields[position] if position < len(fields) else None
        if name is None or (name != ANY and not self.program.classes.has_record_field(owner, name)):
            return
        for top in self.program.classes.owners(owner, name):
            yield replace(base, target=Field(top, name), path=path)
