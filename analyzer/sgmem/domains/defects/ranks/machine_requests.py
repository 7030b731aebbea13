"""The whole machine's memory held against what one rank asks for: every rank on the machine passes the same check."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.algebra import arithmetic
from sgmem.domains.ranks.groups import given
from sgmem.flow.order import ENTRY
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.gauges import Gauges
    from sgmem.domains.ranks.groups import Groups
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_ORDERS = frozenset({"<", "<=", ">", ">="})
MAX_DEPTH = 8
MAX_FILES = 8
"""A function of the whole machine's memory that more files mention is not followed to its callers."""
_WORD = re.compile(r"[A-Za-z_]\w*")


class Whole(msgspec.Struct, frozen=True):
    """The whole machine's memory, read at `reading` and divided by nothing since."""

    reading: Location


class MachineRequest(msgspec.Struct, frozen=True):
    """`test` compares `request`, what one rank asks for as `rank` shows, with the whole machine's memory."""

    test: Location
    request: Location
    whole: Location
    reading: Location
    rank: Location
    rank_why: str


class MachineRequests:
    """Looks for the comparisons, first where the machine's memory is read, then where functions that return it are called."""

    def __init__(self, program: Program, models: Models, gauges: Gauges, groups: Groups) -> None:
        self.program = program
        self.models = models
        self.gauges = gauges
        self.groups = groups
        self._known: dict[Expr, Whole | None] = {}

    def found(self) -> Iterator[MachineRequest]:
        """Every comparison, each once."""
        rows = [row for row in self.models.measurements.rows if row.scope == "machine"]
        pending = {name.rpartition(":")[2].rpartition(".")[2] for row in rows for name in row.names}
        searched: set[str] = set()
        seen: set[Location] = set()
        while pending:
            word = pending.pop()
            searched.add(word)
            paths = self.program.files.tree.mentioning(word)
            if len(paths) > MAX_FILES * (4 if len(searched) <= len(rows) else 1):
                continue
            for path in sorted(paths):
                file = self.program.files.get(path)
                for function in self._functions(file, word) if file is not None else ():
                    for one in self._in_function(function):
                        if one.test not in seen:
                            seen.add(one.test)
                            yield one
                    if function.name not in searched and self._returns_whole(function):
                        pending.add(function.name)

    def _functions(self, file: File, word: str) -> list[Function]:
        inside = (self.program.calls.inside(file, statement) for statement in file.mentions(word))
        return list(dict.fromkeys(one for one in inside if one is not None))

    def _in_function(self, function: Function) -> Iterator[MachineRequest]:
        file = function.file
        for statement in file.own_statements(function.index):
            row = file.outline.statements[statement]
            test = file.test(statement) if row.kind in ("if", "assert") else None
            for node in ir.walk(test) if test is not None and (row.kind == "assert" or self._raises(file, statement)) else ():
                if isinstance(node, ir.Compare) and len(node.operands) == 2 and node.operators[0] in _ORDERS:
                    yield from self._compared(node, function, statement)

    def _raises(self, file: File, statement: int) -> bool:
        """Whether a branch of an if ends the attempt."""
        return any(file.outline.statements[inner].kind in ("raise", "return") for inner in file.outline.inside(statement))

    def _compared(self, node: ir.Compare, function: Function, statement: int) -> Iterator[MachineRequest]:
        file = function.file
        for request, whole in (node.operands, node.operands[::-1]):
            amount = self.whole(whole, file, statement)
            if amount is None or isinstance(request, ir.Const) or self.whole(request, file, statement) is not None:
                continue
            rank = self._of_one_rank(request, function, statement)
            if rank is not None:
                yield MachineRequest(
                    test=Location(file, statement, node.span),
                    request=Location(file, statement, request.span),
                    whole=Location(file, statement, whole.span),
                    reading=amount.reading,
                    rank=rank[0],
                    rank_why=rank[1],
                )

    # -- the machine's memory -----------------------------------------------------------------------------------------

    def whole(self, expr: Expr, file: File, statement: int, depth: int = 0) -> Whole | None:
        """Whether a value is the whole machine's memory, but for fixed amounts and shares taken off."""
        if expr not in self._known:
            self._known[expr] = None
            if depth <= MAX_DEPTH:
                self._known[expr] = self._whole(expr, file, statement, depth + 1)
        return self._known[expr]

    def _whole(self, expr: Expr, file: File, statement: int, depth: int) -> Whole | None:
        gauge = self.gauges.of(expr, file, statement)
        if gauge is not None:
            return Whole(gauge.location) if gauge.frame.scope == "machine" else None
        match expr:
            case ir.Binary(operator="+" | "-" | "*" | "<<" | ">>", left=left, right=right):
                found = self.whole(left, file, statement, depth)
                return found or (self.whole(right, file, statement, depth) if expr.operator == "*" else None)
            case ir.Binary(operator="/" | "//", left=left, right=right):
                return self.whole(left, file, statement, depth) if isinstance(right, ir.Const | ir.Binary) else None
            case ir.Call() if arithmetic.function_name(expr) is not None:
                return self._all(tuple(one.value for one in expr.args), file, statement, depth)
            case ir.Call():
                return self._called(expr, file, statement, depth)
            case ir.Conditional(body=body, orelse=orelse):
                return self._all((body, orelse), file, statement, depth)
            case ir.Name():
                return self._variable(expr, file, statement, depth)
        return None

    def _all(self, values: tuple[Expr, ...], file: File, statement: int, depth: int) -> Whole | None:
        """What any of the values is: the smallest of the machine's memory and a limit is the machine's on some machines."""
        return next((found for value in values if (found := self.whole(value, file, statement, depth)) is not None), None)

    def _variable(self, expr: ir.Name, file: File, statement: int, depth: int) -> Whole | None:
        scope = file.outline.statements[statement].scope
        definitions = self.groups.order.reaching(file, scope, expr.id, statement) - {ENTRY}
        values = [(value, index) for index in sorted(definitions) for value in given(expr.id, file, index)]
        if any(self._is_divided(value, file) for value, _ in values) or self._is_scaled_down(expr.id, file, definitions):
            return None
        return next((found for value, index in values if (found := self.whole(value, file, index, depth)) is not None), None)

    def _is_divided(self, value: Expr, file: File) -> bool:
        return any(
            isinstance(node, ir.Binary) and node.operator in ("/", "//") and not isinstance(node.right, ir.Const | ir.Binary)
            for node in ir.walk(value)
        )

    def _is_scaled_down(self, name: str, file: File, definitions: frozenset[int]) -> bool:
        """`available //= ranks`."""
        bindings = (binding for index in definitions for binding in file.statement(index).bindings)
        return any(binding.how == "augment" and binding.operator in ("/", "//") for binding in bindings)

    def _called(self, call: ir.Call, file: File, statement: int, depth: int) -> Whole | None:
        if len(self.program.files.tree.mentioning(last_name(call))) > MAX_FILES:
            return None
        scope = file.outline.statements[statement].scope
        for target, _, certain in self.program.calls.targets(call, file, scope):
            if certain and isinstance(target, Function):
                return self._returned(target, depth)
        return None

    def _returned(self, function: Function, depth: int) -> Whole | None:
        if self.models.measurements.find(function.qualified) is not None:
            return None
        file = function.file
        for index in file.own_statements(function.index):
            if file.outline.statements[index].kind == "return":
                for value in file.statement(index).values:
                    found = self.whole(value, file, index, depth)
                    if found is not None:
                        return found
        return None

    def _returns_whole(self, function: Function) -> bool:
        return self._returned(function, 1) is not None

    # -- one rank's request -------------------------------------------------------------------------------------------

    def _of_one_rank(self, request: Expr, function: Function, statement: int) -> tuple[Location, str] | None:
        """Why what is asked for is one rank's: a part of it is, or the object that asks is."""
        for expr, index in self._parts(request, function, statement):
            for node in ir.walk(expr):
                why = self._says_rank(node.attr if isinstance(node, ir.Attribute) else node.id if isinstance(node, ir.Name) else "")
                if why:
                    return Location(function.file, index, node.span), why
        return self._rank_of_object(function)

    def _parts(self, request: Expr, function: Function, statement: int) -> Iterator[tuple[Expr, int]]:
        """A request and what its local names were given."""
        file, pending, seen = function.file, [(request, statement)], set[int]()
        while pending:
            expr, index = pending.pop()
            yield expr, index
            for node in ir.walk(expr):
                if isinstance(node, ir.Name):
                    for definition in sorted(self.groups.order.reaching(file, function.index, node.id, index) - {ENTRY} - seen):
                        seen.add(definition)
                        pending += [(value, definition) for value in given(node.id, file, definition)]

    def _says_rank(self, name: str) -> str:
        """What the models say of a name that belongs to one rank; nothing for any other."""
        if not name:
            return ""
        units = next((row.why for row in self.models.units.find_all(f"_.{name}") if row.scope == "this rank"), "")
        return units or next((row.why for row in self.models.groups.find_all(f"_.{name}") if row.kind in ("rank", "bound")), "")

    def _rank_of_object(self, function: Function) -> tuple[Location, str] | None:
        """The class whose method asks keeps the number of its rank, or where its stage's layers begin."""
        owner = function.owner
        if owner is None:
            return None
        file = owner.file
        for name in dict.fromkeys(_WORD.findall(file.source.slice(file.outline.statements[owner.scope.statement].span))):
            why = self._says_rank(name)
            stores = self.program.classes.stores(owner, name) if why else ()
            for method, index in stores:
                return Location(method.file, index, method.file.statement(index).span), why
        return None
