"""Births of what calls give: what the function returns, what its callers hand in, what a library function passes through."""

from __future__ import annotations

from collections.abc import Iterator

from sgmem.flow.arithmetic import NUMERIC
from sgmem.flow.birth import At, Birth
from sgmem.flow.calling import METHODS
from sgmem.flow.field_births import MAX_FILES, FieldBirths, Seen
from sgmem.flow.places import ANY, Parameter, Path
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

_ZIPPED = {"zip", "product"}
_SAME_VALUE = {"copy", "deepcopy", "cast", "item", "clone", "cpu", "to", "detach"}


class CallBirths(FieldBirths):
    """Finds the births of what calls give."""

    def _call(self, expr: ir.Call, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        if self.measures(expr, at.file, at.scope):
            yield at.born("measurement", expr)
            return
        last = expr.func.attr if isinstance(expr.func, ir.Attribute) else expr.func.id if isinstance(expr.func, ir.Name) else ""
        if last == "dict" and path:
            for argument in expr.args:
                if argument.keyword == path[0]:
                    yield from self._expression(argument.value, path[1:], at, seen)
                elif argument.keyword is None:
                    yield from self._expression(argument.value, path, at, seen)
            return
        if isinstance(expr.func, ir.Attribute) and last in METHODS and not expr.args:
            yield from self._expression(expr.func.base, path, at, seen)
            return
        targets = self.program.calls.targets(expr, at.file, at.scope)
        functions = [(target, filled, certain) for target, filled, certain in targets if isinstance(target, Function)]
        if functions and not any(target.name == "__init__" for target, _, _ in functions):
            for target, filled, certain in functions:
                site = CallSite(at.file, at.statement, expr, filled, certain)
                yield from self._returns(target, path, at, (*at.stack, site), seen)
            return
        if last in _ZIPPED and len(path) > 1 and isinstance(path[1], int) and path[1] < len(expr.args):
            yield from self._expression(expr.args[path[1]].value, (ANY, *path[2:]), at, seen)
            return
        if last in NUMERIC and expr.args:
            for argument in expr.args:
                if argument.keyword is None and not (last == "round" and argument is not expr.args[0]):
                    yield from self._expression(argument.value, path, at, seen)
            return
        if last in _SAME_VALUE and expr.args:
            yield from self._expression(expr.args[-1 if last == "cast" else 0].value, path, at, seen)
            return
        if last == "getattr" and len(expr.args) >= 2:
            yield from self._getattr(expr, path, at, seen)
            return
        if isinstance(expr.func, ir.Attribute) and last in ("get", "pop") and expr.args:
            key = expr.args[0].value
            if isinstance(key, ir.Const) and isinstance(key.value, str | int):
                yield from self._expression(expr.func.base, (key.value, *path), at, seen)
                return
        yield at.born("call", expr)

    def _getattr(self, expr: ir.Call, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        key = expr.args[1].value
        found = False
        if isinstance(key, ir.Const) and isinstance(key.value, str):
            for place, grade in self.occurrences.fields(expr.args[0].value, key.value, at.file, at.scope):
                if grade != "name":
                    found = True
                    yield from self._writes(place, path, at, seen)
        for default in expr.args[2:3]:
            found = True
            yield from self._expression(default.value, path, at, seen)
        if not found:
            yield at.born("call", expr)

    def _returns(self, function: Function, path: Path, at: At, stack: tuple[CallSite, ...], seen: Seen) -> Iterator[Birth]:
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind == "return":
                statement = function.file.statement(index)
                for value in statement.values:
                    onward = at.hop(function.file, index, statement.span, f"{function.name}()", stack)
                    yield from self._expression(value, path, onward, seen)

    def _parameter(self, place: Parameter, path: Path, at: At, seen: Seen) -> Iterator[Birth]:
        """Back to the call the value came in by, or to every caller."""
        function = place.function
        stack = at.stack
        sites: tuple[CallSite, ...] = ()
        if place.name == function.receiver:
            stack = ()  # an object, which callers name in front of the call
        elif stack and any(target == function for target, _, _ in self._targets(stack[-1])):
            sites, stack = (stack[-1],), stack[:-1]
        else:
            sites, stack = self._callers(function), ()
        row = function.parameter(place.name)
        found = False
        for site in sites:
            for birth in self._argument(site, place, path, at, stack, seen):
                found = True
                yield birth
        # A caller may hand over what another one did, whose births are told already.
        found = found or any(self._was_followed(site, place, path, seen) for site in sites)
        if not found and row is not None and (place, path) not in seen:
            seen.add((place, path))
            yield Birth("parameter", function.file, function.scope.statement, None, row.span, place, at.hops)

    @staticmethod
    def _was_followed(site: CallSite, place: Parameter, path: Path, seen: Seen) -> bool:
        """Whether a caller other than the function itself hands over something that was followed back."""
        function = place.function
        if site.file is function.file and site.scope == function.index:
            return False
        handed = (filled for filled in bind(site, function.parameters) if filled.parameter == place.name and filled.key is None)
        return any((filled.argument.value, path) in seen for filled in handed)

    def _callers(self, function: Function) -> tuple[CallSite, ...]:
        """The callers of a function; of one with an everyday name only those in its own file, where there are any."""
        owner = function.owner
        name = owner.name if owner is not None and function.name == "__init__" else function.name
        if len(self.program.files.tree.mentioning(name)) > MAX_FILES:
            near = self.program.calls.callers_in(function.file, function)
            if near:
                return near
        return self._callers_of(function)

    def _targets(self, site: CallSite) -> tuple[tuple[Function | Class, int, bool], ...]:
        return self.program.calls.targets(site.call, site.file, site.scope)

    def _argument(
        self, site: CallSite, place: Parameter, path: Path, at: At, stack: tuple[CallSite, ...], seen: Seen
    ) -> Iterator[Birth]:
        for filled in bind(site, place.function.parameters):
            onward = at.hop(site.file, site.statement, filled.argument.span, place.name, stack)
            if filled.parameter == place.name:
                inner = path
                if filled.key is not None:
                    if not path or path[0] not in (filled.key, ANY):
                        continue
                    inner = path[1:]
                yield from self._expression(filled.argument.value, inner, onward, seen)
            elif filled.parameter is None and filled.argument.star == "**":
                yield from self._expression(filled.argument.value, (place.name, *path), onward, seen)
