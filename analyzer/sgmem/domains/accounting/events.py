"""What changes device memory between two places: calls that the models know, on every way or on some, between them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.cfg import EXIT
from sgmem.control.predicates import TRUE
from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, last_name
from sgmem.flow.naming import call_names
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.activations import Activations, Level
    from sgmem.flow.guards import Conditions
    from sgmem.models.load import Models
    from sgmem.models.rows import EventRow
    from sgmem.program.files import File
    from sgmem.program.program import Program

CHARGED = frozenset({"communicator", "load-weights", "pool", "workspace", "graph-capture", "warm-up", "offload", "release", "restore"})
"""Kinds of events that move enough memory to matter between two measurements; single tensors and empty_cache do not."""

MAX_DEPTH = 4
MAX_FUNCTIONS = 60
MAX_OVERRIDES = 4


class EventSite(msgspec.Struct, frozen=True):
    """A call that changes device memory. `always`: it stands on every way between the two places; else `when` says on
    which. `via` is the call between the places that leads to it, where it is not that call itself; `certain` is false
    where a subclass may do otherwise.
    """

    row: EventRow
    location: Location
    name: str
    always: bool
    when: str = ""
    via: str = ""
    certain: bool = True


class Events:
    """Finds events inside functions."""

    def __init__(self, program: Program, models: Models, activations: Activations, conditions: Conditions) -> None:
        self.program = program
        self.models = models
        self.activations = activations
        self.conditions = conditions
        words = sorted(models.events.words)
        wild = [re.escape(pattern).replace(r"\*", r"\w*") for pattern in models.events.word_patterns]
        self._words = re.compile(rf"\b(?:{'|'.join([*map(re.escape, words), *wild])})\s*\(")
        self._inside: dict[tuple[str, int], EventSite | None] = {}

    def between(self, after: Level | None, before: Level, *, deep: bool = False) -> Iterator[EventSite]:
        """The events of one activation after a statement (None: its begin) and before another, in source order.

        `deep` also looks into the functions called in between, for what they do on every way through them.
        """
        file, scope = before.file, before.scope
        calling = file.holding("(", scope)
        indices = [index for index in calling if index < before.statement and (after is None or index > after.statement)]
        return self._among(file, scope, indices, after, before.statement, deep)

    def at(self, file: File, index: int) -> Iterator[EventSite]:
        """The events of one statement, and of what it calls on every way through that."""
        yield from self._direct(file, index, True)
        yield from self._through_calls(file, index)

    def until_return(self, after: Level, *, deep: bool = False) -> Iterator[EventSite]:
        """The events of one activation from a statement to its normal end."""
        indices = [index for index in after.file.holding("(", after.scope) if index > after.statement]
        return self._among(after.file, after.scope, indices, after, EXIT, deep)

    def _among(self, file: File, scope: int, indices: list[int], after: Level | None, end: int, deep: bool) -> Iterator[EventSite]:
        tree = self.activations.tree(file, scope)
        for index in indices:
            if after is not None and not tree.dominates(after.statement, index):
                continue
            always = tree.dominates(index, end)
            if not always and not self._reaches(file, scope, index, end):
                continue
            yield from self._direct(file, index, always)
            if deep and always:
                yield from self._through_calls(file, index)

    def _direct(self, file: File, index: int, always: bool) -> Iterator[EventSite]:
        """The calls of one statement that the models know."""
        if self._words.search(file.own_text(index)) is None:
            return
        scope = file.outline.statements[index].scope
        for root in file.statement(index).expressions():
            for node, ancestors in ir.paths(root):
                if not isinstance(node, ir.Call):
                    continue
                row = self.row(node, file, scope)
                if row is None or row.where != "device" or row.kind not in CHARGED or row.effect == "none":
                    continue
                sure = always and not any(isinstance(above, ir.Conditional | ir.Boolean | ir.Lambda) for above in ancestors)
                when = "" if sure else self.when(file, index)
                yield EventSite(row, Location(file, index, node.span), last_name(node), sure, when)

    def row(self, call: ir.Call, file: File, scope: int) -> EventRow | None:
        """The event that a call is, by the models."""
        if not self.models.events.rows_for_name(last_name(call)):
            return None
        names = call_names(self.program, call, file, scope)
        found = next((row for name in names if (row := self.models.events.find(name)) is not None), None)
        return None if found is not None and self._builds_record(call, file, scope) else found

    def _builds_record(self, call: ir.Call, file: File, scope: int) -> bool:
        """Whether a call builds a record, whatever its name says: what is made from annotated fields keeps what it is given."""
        built = [one.target for one in self.program.values.callables(call.func, file, scope)]
        classes = self.program.classes
        records = (isinstance(one, Class) and classes.is_record(one) and self.program.calls.constructor(one) is None for one in built)
        return bool(built) and all(records)

    def when(self, file: File, index: int) -> str:
        """Under which headers a statement stands, in words."""
        conditions = self.conditions.own(file, index)
        headers = [render(one.predicate) for one in conditions if one.how == "header" and one.predicate != TRUE]
        return " and ".join(dict.fromkeys(headers)) or "on some ways"

    def _reaches(self, file: File, scope: int, start: int, end: int) -> bool:
        """Whether control can go on from one statement to a later one."""
        graph = self.activations.order.graph(file, scope)
        seen, pending = {start}, [start]
        while pending:
            for target, label in graph.out(pending.pop()):
                if target == end:
                    return True
                if target not in seen and label != "loop":
                    seen.add(target)
                    pending.append(target)
        return False

    # -- inside the functions called ----------------------------------------------------------------------------------

    def _through_calls(self, file: File, index: int) -> Iterator[EventSite]:
        if "(" not in file.own_text(index):
            return
        scope = file.outline.statements[index].scope
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and self.row(node, file, scope) is None:
                    found = self._in_callee(node, file, scope, MAX_DEPTH)
                    if found is not None:
                        yield msgspec.structs.replace(found, via=last_name(node))
                        return

    def _in_callee(self, call: ir.Call, file: File, scope: int, depth: int) -> EventSite | None:
        """An event in what a call certainly enters; that overriding methods agree is looked at where they are few."""
        targets = self.program.calls.targets(call, file, scope)
        sure = [target for target, _, certain in targets if certain]
        if len(sure) != 1 or not isinstance(sure[0], Function):
            return None
        found = self._in_function(sure[0], depth)
        if found is None or len(targets) == 1:
            return found
        others = [target for target, _, certain in targets if not certain]
        agreed = len(others) <= MAX_OVERRIDES and all(
            isinstance(other, Function) and self._in_function(other, depth) is not None for other in others
        )
        return msgspec.structs.replace(found, certain=found.certain and agreed)

    def _in_function(self, function: Function, depth: int) -> EventSite | None:
        """An event that every complete way through a function passes."""
        key = (function.file.path, function.index)
        if key in self._inside:
            return self._inside[key]
        if depth <= 0 or len(self._inside) >= MAX_FUNCTIONS:
            return None
        self._inside[key] = None
        file, tree = function.file, self.activations.tree(function.file, function.index)
        sure = [index for index in file.holding("(", function.index) if tree.dominates(index, EXIT)]
        for index in sure:
            found = next((one for one in self._direct(file, index, True) if one.always), None)
            if found is not None:
                self._inside[key] = found
                return found
        for index in sure:
            if file.outline.statements[index].kind in ("function", "class"):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    inner = self._in_callee(node, file, function.index, depth - 1) if isinstance(node, ir.Call) else None
                    if inner is not None:
                        self._inside[key] = inner
                        return inner
        return None
