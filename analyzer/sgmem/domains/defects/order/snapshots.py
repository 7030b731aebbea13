"""Values that are saved before something changes what they were saved from, and used after: the copy is stale."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import How, how_changed, is_told, may_both_run, mentions, reachable
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.places import Field, LooseField, Place
from sgmem.program.calls import CallSite, bind
from sgmem.program.contexts import positions
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.cfg import Cfg
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_EARLIER = re.compile(
    r"(?:^|_)(?:old|prev|previous|orig|original|origin|before|initial|saved|backup|last|raw|requested|profiled|unscaled|unaligned|"
    r"pre|given|snapshot|baseline|begin|start)(?:_|$)"
)
"""Names that say themselves that they keep an earlier value."""
_IN_PLACE = re.compile(r"self\.(?!batch_)(_?(?:[a-z]+_)*(?:size|capacity))[ \t]*=[^=\n][^\n]*\bself\.\1\b")
"""A size of an object that is worked out of itself anew."""
MAX_CALL_DEPTH = 3
MAX_CALLERS = 4
MAX_MENTIONS = 40
_KINDS = frozenset({"assign", "annotate", "expression", "return"})
_CASTS = frozenset({"int", "float"})


class LaterChange(msgspec.Struct, frozen=True):
    """A later change of what was copied; `via`: the call, in the function of the copy, that leads to it."""

    location: Location
    how: How
    via: Location | None = None


class StaleCopy(msgspec.Struct, frozen=True):
    """`source` was copied to `copy` at `taken`, then changed at `changes`; `used` still goes by the copy."""

    source: str
    copy: str
    taken: Location
    changes: tuple[LaterChange, ...]
    used: Location
    certain: bool


class Taken(msgspec.Struct, frozen=True):
    """A copy: of `source` (`self.size`), to `copy`, which is a variable or the places that a field may be."""

    source: str
    copy: str
    location: Location
    variable: str | None = None
    places: frozenset[Place] = frozenset()


def stale_copies(facts: ProgramFacts) -> Iterator[StaleCopy]:
    """Every copy of a memory quantity that is used although the quantity was changed after it was taken; and of a size of an object, by
    whatever name, that is changed in place.
    """
    files = facts.program.files
    asked = [(name, path) for name, paths in facts.quantities.paths.items() for path in paths]
    known = set(asked)
    for path in files.with_text(_IN_PLACE.pattern, begins=("self.",)):
        asked += [(name, path) for name in files.scanned(path, _changed_in_place) if (name, path) not in known]
    for name, path in asked:
        file = files.get(path) if files.scanned(path, _seems_taken, name) else None
        if file is not None:
            yield from _in_file(facts, file, name)


@Scan
def _changed_in_place(text: str) -> list[str]:
    return list(dict.fromkeys(_IN_PLACE.findall(text)))


def _in_file(facts: ProgramFacts, file: File, name: str) -> Iterator[StaleCopy]:
    for index in file.mentions(name):
        row = file.outline.statements[index]
        if row.kind in _KINDS and file.scope(row.scope).kind == "function":
            for taken in _takings(facts, file, index, name):
                moments = ((file, index, taken), *_seen_by_callers(facts, file, index, taken))
                found = (_stale(facts, where, at, name, one) for where, at, one in moments)
                yield from (one for one in found if one is not None)


def _seen_by_callers(facts: ProgramFacts, file: File, index: int, taken: Taken) -> Iterator[tuple[File, int, Taken]]:
    """The same copy as the callers of its function see it: the call is when it is taken, of the object as they call it."""
    function = facts.program.calls.inside(file, index)
    base, _, name = taken.source.rpartition(".")
    if function is None or taken.variable is not None or not base or "." in base:
        return
    if len(facts.program.files.tree.mentioning(_called(function))) > MAX_MENTIONS:
        return
    for site in facts.program.calls.callers(function)[:MAX_CALLERS]:
        text = _outside(function, base, site)
        if text is not None and site.certain:
            yield site.file, site.statement, msgspec.structs.replace(taken, source=f"{text}.{name}")


def _called(function: Function) -> str:
    return function.owner.name if function.name == "__init__" and function.owner is not None else function.name


def _outside(function: Function, base: str, site: CallSite) -> str | None:
    """What a caller calls the object that `function` calls `base`."""
    call = site.call
    if base == function.receiver and function.name != "__init__":
        return dotted(call.func.base) if isinstance(call.func, ir.Attribute) else None
    if base == function.receiver:
        bindings = site.file.statement(site.statement).bindings
        return next((dotted(one.target) for one in bindings if one.value is call), None)
    given = next((one.argument.value for one in bind(site, function.parameters) if one.parameter == base and one.key is None), None)
    return dotted(given) if given is not None else None


_BEFORE = re.compile(r"[(,=]\s*(?:(?:int|float)\()?\(?\s*(?:\w+\.)*\Z")
_BEHIND = re.compile(r"\s*(?:[,)]|\)*\s*(?:#.*)?$)", re.MULTILINE)
_LOOK_BACK = 400


def keeps_earlier(name: str) -> bool:
    """Whether a name says itself that it keeps an earlier value."""
    return _EARLIER.search(name) is not None


@cache
def _copying(name: str) -> re.Pattern[str]:
    """An assignment of nothing but the quantity."""
    return re.compile(rf"=\s*(?:(?:int|float)\()?\(?\s*(?:\w+\.)*{name}\s*\)*\s*(?:#.*)?$", re.MULTILINE)


@cache
def _handing(name: str) -> re.Pattern[str]:
    """An argument that is nothing but the quantity."""
    return re.compile(rf"[(,=]\s*((?:\w+\.)*{name})\s*(?=[,)])")


@Scan
def _seems_taken(text: str, name: str) -> bool:
    """Whether an assignment or an argument of nothing but the quantity may stand in a text: what is around it is looked at where it
    stands, which is many times faster than a search for the whole."""
    return any(
        _BEHIND.match(text, at + len(name)) is not None and _BEFORE.search(text, max(0, at - _LOOK_BACK), at) is not None
        for at in positions(text, name)
    )


def _takings(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[Taken]:
    text = file.own_text(index)
    if _copying(name).search(text):
        for binding in file.statement(index).bindings:
            source, copy = _copied(binding.value), dotted(binding.target)
            if source is None or copy is None or source.rpartition(".")[2] != name or binding.how not in ("assign", "annotate"):
                continue
            last = copy.rpartition(".")[2]
            if last == name or keeps_earlier(last):
                continue
            if isinstance(binding.target, ir.Name):
                yield Taken(source, copy, of_statement(file, index), copy)
            else:
                places = frozenset(seen.place for seen in facts.occurrences.writes_in_statement(file, index, last))
                yield Taken(source, copy, of_statement(file, index), None, places)
    elif any(_changed_later(facts, file, index, source) for source in dict.fromkeys(_handing(name).findall(text))):
        yield from _captured(facts, file, index, name)


def _captured(facts: ProgramFacts, file: File, index: int, name: str) -> Iterator[Taken]:
    """Arguments that a constructor keeps in a field of the new object."""
    scope = file.outline.statements[index].scope
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            handed = [argument for argument in node.args if _copied(argument.value)] if isinstance(node, ir.Call) else []
            for argument in handed:
                source = _copied(argument.value) or ""
                if source.rpartition(".")[2] == name and _changed_later(facts, file, index, source):
                    for place in _keeping(facts, node, argument, file, scope):
                        location = Location(file, index, node.span)
                        yield Taken(source, f"{place.owner.name}.{place.name}", location, None, frozenset({place}))


def _changed_later(facts: ProgramFacts, file: File, index: int, source: str) -> bool:
    return next(_changes_after(facts, file, index, source), None) is not None


def _keeping(facts: ProgramFacts, call: Expr, argument: ir.Argument, file: File, scope: int) -> Iterator[Field]:
    """The fields in which the object that a call builds keeps one of its arguments."""
    if not isinstance(call, ir.Call):
        return
    for target, filled, certain in facts.program.calls.targets(call, file, scope):
        if not certain:
            continue
        if not isinstance(target, Function):
            at = [one.value for one in call.args if one.keyword is None]
            fields = facts.program.classes.record_fields(target) if argument.keyword is None else ()
            name = argument.keyword or next((f for f, value in zip(fields, at, strict=False) if value is argument.value), None)
            if name is not None and facts.program.classes.has_record_field(target, name):
                yield from (Field(owner, name) for owner in facts.program.classes.owners(target, name))
            continue
        if target.name != "__init__" or target.owner is None:
            continue
        site = CallSite(file, -1, call, filled, certain)
        parameter = next((one.parameter for one in bind(site, target.parameters) if one.argument is argument), None)
        for field in _kept_from(target, parameter) if parameter is not None else ():
            yield from (Field(owner, field) for owner in facts.program.classes.owners(target.owner, field))


def _kept_from(constructor: Function, parameter: str) -> Iterator[str]:
    """The fields that a constructor sets to nothing but a parameter."""
    file = constructor.file
    for index in file.mentions_in(constructor.index, parameter):
        if file.outline.statements[index].kind not in ("assign", "annotate"):
            continue
        for binding in file.statement(index).bindings:
            target = binding.target
            if isinstance(target, ir.Attribute) and dotted(target.base) == constructor.receiver and binding.value is not None:
                if dotted(binding.value) == parameter:
                    yield target.attr


def _stale(facts: ProgramFacts, file: File, index: int, name: str, taken: Taken) -> StaleCopy | None:
    source = taken.source
    changes = [
        one
        for one in _changes_after(facts, file, index, source)
        if may_both_run(facts, file, index, _own_place(one).statement) and not _mended(one, name, taken)
    ]
    if not changes or _is_restored(changes, taken.copy):
        return None
    after = set[int]().union(*(reachable(_graph(facts, file, index), _own_place(one).statement) for one in changes))
    if _taken_again(facts, file, index, taken.copy, after):
        return None
    used = _used(facts, file, index, taken, after)
    if used is None or ("." not in source and not _goes_on(facts, file, index, source, after)):
        return None
    certain = facts.quantities.is_modelled(name) and any(one.how not in ("replaced", "aligned") for one in changes)
    return StaleCopy(source, taken.copy, taken.location, tuple(changes), used, certain)


def _copied(value: Expr | None) -> str | None:
    """What a value is a mere copy of."""
    if isinstance(value, ir.Call) and dotted(value.func) in _CASTS and len(value.args) == 1:
        value = value.args[0].value
    return dotted(value) if value is not None else None


def _own_place(change: LaterChange) -> Location:
    """Where the function of the copy makes the change."""
    return change.via or change.location


def _graph(facts: ProgramFacts, file: File, index: int) -> Cfg:
    return facts.order.graph(file, file.outline.statements[index].scope)


# -- what changes the original ------------------------------------------------------------------------------------------------------


def _changes_after(facts: ProgramFacts, file: File, index: int, source: str) -> Iterator[LaterChange]:
    """The changes of `source` that may come after a statement in its function, made there or by a method called there."""
    scope = file.outline.statements[index].scope
    later = reachable(_graph(facts, file, index), index)
    written = facts.order.assignments if "." in source else facts.order.definitions
    for at in sorted(written(file, scope, source)):
        how = how_changed(facts, file, at, source) if at in later and at != index else None
        if how is not None:
            yield LaterChange(of_statement(file, at), how)
    base, _, name = source.rpartition(".")
    if not base:
        return
    for at in sorted(later):
        if at >= 0 and _may_enter(file.own_text(at), base):
            for call, function, called in _entered(facts, file, at, base):
                found = _inside(facts, function, called, name, MAX_CALL_DEPTH)
                if found is not None:
                    yield LaterChange(found[0], found[1], Location(file, at, call.span))


_OWN_CALL = re.compile(r"\s*\.\s*\w+\s*\(")
_ARGUMENT = re.compile(r"\s*(?:[,)]|$)", re.MULTILINE)


def _may_enter(text: str, base: str) -> bool:
    """Whether a text shows a call of a method of the object `base`, or of something that is given it."""
    if "(" not in text:
        return False
    ends = [at + len(base) for at in positions(text, base)]
    return any(_OWN_CALL.match(text, end) is not None or _ARGUMENT.match(text, end) is not None for end in ends)


def _entered(facts: ProgramFacts, file: File, at: int, base: str) -> Iterator[tuple[ir.Call, Function, str]]:
    """The calls of a statement that work on the object `base`: as its method, or given it as an argument. Each with the one function
    that it can enter, and what that calls the object.
    """
    if file.outline.statements[at].kind in ("function", "class"):
        return
    for root in file.statement(at).expressions():
        for node in ir.walk(root):
            if not isinstance(node, ir.Call):
                continue
            own = isinstance(node.func, ir.Attribute) and dotted(node.func.base) == base
            given = next((argument for argument in node.args if dotted(argument.value) == base), None)
            if not own and given is None:
                continue
            for target, filled, certain in facts.program.calls.targets(node, file, file.outline.statements[at].scope):
                if not certain or not isinstance(target, Function):
                    continue
                called = target.receiver if own else None
                if given is not None and not own:
                    site = CallSite(file, at, node, filled, certain)
                    called = next((one.parameter for one in bind(site, target.parameters) if one.argument is given), None)
                if called is not None:
                    yield node, target, called


def _inside(facts: ProgramFacts, function: Function, base: str, name: str, depth: int) -> tuple[Location, How] | None:
    """Where a function, or one that it calls, changes a field of the object that it calls `base`."""
    file = function.file
    for at in facts.order.assignments(file, function.index, f"{base}.{name}"):
        how = how_changed(facts, file, at, f"{base}.{name}")
        if how is not None:
            return of_statement(file, at), how
    if depth <= 1:
        return None
    for at in file.own_statements(function.index):
        if _may_enter(file.own_text(at), base):
            for _, inner, called in _entered(facts, file, at, base):
                found = _inside(facts, inner, called, name, depth - 1) if inner != function else None
                if found is not None:
                    return found
    return None


def _mended(change: LaterChange, name: str, taken: Taken) -> bool:
    """Whether the function of a change sets the copy anew from what it has changed."""
    at, field = change.location, taken.copy.rpartition(".")[2]
    scope = at.file.outline.statements[at.statement].scope
    later = (one for one in at.file.mentions_in(scope, field) if one > at.statement and at.file.may_bind(one, field))
    return any(one in at.file.mentions(name) for one in later)


def _is_restored(changes: list[LaterChange], copy: str) -> bool:
    """Whether a change only puts the copy back."""
    for change in changes:
        at = change.location
        for binding in at.file.statement(at.statement).bindings:
            if binding.value is not None and mentions(binding.value, copy):
                return True
    return False


# -- what still goes by the copy ----------------------------------------------------------------------------------------------------


def _taken_again(facts: ProgramFacts, file: File, index: int, copy: str, after: set[int]) -> bool:
    scope = file.outline.statements[index].scope
    written = facts.order.assignments if "." in copy else facts.order.definitions
    return any(at in after and at != index for at in written(file, scope, copy))


def _used(facts: ProgramFacts, file: File, index: int, taken: Taken, after: set[int]) -> Location | None:
    """Where the copy decides something after the change."""
    scope = file.outline.statements[index].scope
    if taken.variable is not None:
        uses = [at for at in file.mentions_in(scope, taken.variable) if at in after and at != index]
        reached = sorted(facts.order.reached(file, scope, taken.variable, index, frozenset(uses)))
        return next((of_statement(file, at) for at in reached if not is_told(file, at) and reads(file, at, taken.variable)), None)
    own = reachable(_graph(facts, file, index), index)
    elsewhere: Location | None = None
    for field in sorted({place.name for place in taken.places if isinstance(place, Field | LooseField)}):
        for seen in facts.occurrences.field_reads(field):
            if seen.place not in taken.places or is_told(seen.file, seen.statement):
                continue
            here = seen.file is file and seen.scope == scope
            if not here and (seen.file, seen.scope) == (taken.location.file, _scope(taken.location)):
                continue  # the function of the copy reads it before its caller makes the change
            if here and (seen.statement == index or (seen.statement in own and seen.statement not in after)):
                continue
            found = Location(seen.file, seen.statement, seen.node.span)
            if seen.file is file:
                return found
            elsewhere = elsewhere or found
    return elsewhere


def _scope(at: Location) -> int:
    return at.file.outline.statements[at.statement].scope


def reads(file: File, at: int, name: str) -> bool:
    statement = file.statement(at)
    roots = [b.value for b in statement.bindings if b.value is not None] + list(statement.values)
    return any(mentions(root, name) for root in roots)


def _goes_on(facts: ProgramFacts, file: File, index: int, source: str, after: set[int]) -> bool:
    """Whether a changed variable is used for something after its change."""
    scope = file.outline.statements[index].scope
    return any(at in after and not is_told(file, at) and reads(file, at, source) for at in file.mentions_in(scope, source))
