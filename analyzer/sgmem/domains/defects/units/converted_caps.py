"""A limit that the user gave, applied to a count that is converted afterwards: the limit does not hold for the result."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.model_words import any_of, words_in
from sgmem.domains.ranks.groups import given
from sgmem.flow.order import ENTRY
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan, matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.flow.order import Order
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_OF_MEMORY = "[Pp]ool|capacity"
_CAPS = re.compile(r"= min\(([^()\n]+)\)")
_LIMIT = re.compile(r"args|config|settings|^get_")
_BEFORE = 1600
MAX_DEPTH = 4
MAX_CALLERS = 4


class Capped(msgspec.Struct, frozen=True):
    """`name` is at most `limit` behind the statement of `at`."""

    name: str
    limit: str
    at: Location


class ConvertedCap(msgspec.Struct, frozen=True):
    """What `cap` limits is multiplied and divided at `conversion`, and the result takes its place. `via` lead there."""

    cap: Capped
    conversion: Location
    by: str
    via: tuple[Location, ...]


class Stage(msgspec.Struct, frozen=True):
    """How far a value is from the limited one: by what it was multiplied and divided, rounding to a multiple aside."""

    factors: tuple[str, ...] = ()
    divisors: tuple[tuple[str, Expr], ...] = ()

    @property
    def conversion(self) -> Expr | None:
        """The division that makes it a count of something else: both factors and divisors are left of the way."""
        return self.divisors[-1][1] if self.factors and self.divisors else None

    @property
    def by(self) -> str:
        return f"{' * '.join(self.factors)} / {' / '.join(text for text, _ in self.divisors)}"

    def multiplied(self, text: str) -> Stage:
        if any(text == divisor for divisor, _ in self.divisors):  # rounded down to a multiple
            return Stage(self.factors, tuple(one for one in self.divisors if one[0] != text))
        return Stage((*self.factors, text), self.divisors)

    def divided(self, text: str, at: Expr) -> Stage:
        if text in self.factors:
            return Stage(tuple(one for one in self.factors if one != text), self.divisors)
        return Stage(self.factors, (*self.divisors, (text, at)))


CAPPED = Stage()


class ConvertedCaps:
    """Follows limited counts forwards: through the rest of their function, to what is called, and back to the callers."""

    def __init__(self, program: Program, order: Order, models: Models) -> None:
        self.program = program
        self.of_memory = any_of(words_in(models, "bytes/token", "tokens"), _OF_MEMORY).pattern
        self.order = order

    def found(self) -> Iterator[ConvertedCap]:
        seen: set[Location] = set()
        for path in self.program.files.with_text(r"= min\("):
            files = self.program.files
            offsets = files.scanned(path, _caps_in)
            of_memory = bool(offsets) and files.scanned(path, matches, self.of_memory)
            file = files.get(path) if of_memory else None
            if file is None:
                continue
            for statement in sorted({file.statement_at(*file.source.position(at)) for at in offsets} - {-1}):
                for cap in self._caps(file, statement):
                    for one in self._after(cap, cap.name, file, statement, (), 0):
                        if one.conversion not in seen:
                            seen.add(one.conversion)
                            yield one

    def _caps(self, file: File, statement: int) -> Iterator[Capped]:
        """`count = min(count, limit)` under the question whether the user gave a limit."""
        for binding in file.statement(statement).bindings:
            name, value = dotted(binding.target), binding.value
            if name is None or not isinstance(value, ir.Call) or dotted(value.func) != "min" or len(value.args) != 2:
                continue
            for argument in value.args:
                text = dotted(argument.value)
                if text is not None and self._is_limit(argument.value, text, file, statement):
                    yield Capped(name, text, Location(file, statement, value.span))

    def _is_limit(self, value: Expr, text: str, file: File, statement: int) -> bool:
        """Whether a value was asked to be given, `is not None`, and comes from the settings."""
        row = file.outline.statements[statement]
        test = file.test(row.parent) if row.parent >= 0 and row.block == "body" else None
        asked = isinstance(test, ir.Compare) and test.operators == ("is not",) and dotted(test.operands[0]) == text
        if not asked:
            return False
        if isinstance(value, ir.Attribute):
            return _is_setting(value)
        if not isinstance(value, ir.Name):
            return False
        reaching = self.order.reaching(file, row.scope, value.id, statement)
        return ENTRY in reaching or any(_is_setting(one) for index in reaching for one in given(value.id, file, index))

    def _after(
        self, cap: Capped, name: str, file: File, statement: int, via: tuple[Location, ...], depth: int
    ) -> Iterator[ConvertedCap]:
        """What the rest of a function does with a limited value that `name` holds behind a statement."""
        function = self.program.calls.inside(file, statement)
        if function is not None:
            yield from self._through(cap, name, function, statement, via, depth)

    def _through(
        self, cap: Capped, name: str, function: Function, statement: int, via: tuple[Location, ...], depth: int
    ) -> Iterator[ConvertedCap]:
        """The statements of a function behind one, in source order; -1 and a definition's own statement stand before all."""
        if depth > MAX_DEPTH:
            return
        file = function.file
        values: dict[str, Stage] = {name: CAPPED}
        for index in file.own_statements(function.index):
            if index <= statement or file.outline.statements[index].kind in ("function", "class"):
                continue
            lowered = file.statement(index)
            for root in lowered.expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call):
                        yield from self._called(cap, node, values, function, index, via, depth)
            for binding in lowered.bindings:
                target = dotted(binding.target)
                if target is None or binding.value is None or binding.how not in ("assign", "annotate"):
                    continue
                stage = _stage(binding.value, values, file)
                if stage is None:
                    if _certainly_after(file, statement, index):
                        values.pop(target, None)
                    continue
                if stage.conversion is not None and target == name:
                    yield ConvertedCap(cap, Location(file, index, stage.conversion.span), stage.by, via)
                    return
                values[target] = stage
            if lowered.kind == "return":
                yield from self._returned(cap, lowered.values, values, function, index, via, depth)

    def _returned(
        self, cap: Capped, returned: tuple[Expr, ...], values: dict[str, Stage], function: Function, index: int,
        via: tuple[Location, ...], depth: int,
    ) -> Iterator[ConvertedCap]:  # fmt: skip
        """A limited value goes back to the callers, a converted one is what they go on with."""
        file = function.file
        parts = [item for value in returned for item in (value.items if isinstance(value, ir.Collection) else (value,))]
        for part in parts:
            stage = _stage(part, values, file)
            if stage is None:
                continue
            if stage.conversion is not None:
                if via:
                    yield ConvertedCap(
                        cap, Location(file, self._statement_of(function, stage.conversion), stage.conversion.span), stage.by, via
                    )
                return
            if len(parts) == 1 and not via:
                sites = self.program.calls.callers(function)
                for site in sites if len(sites) <= MAX_CALLERS else ():
                    for binding in site.file.statement(site.statement).bindings:
                        if binding.value is site.call and (target := dotted(binding.target)) is not None:
                            step = (Location(site.file, site.statement, site.call.span),)
                            yield from self._after(cap, target, site.file, site.statement, step, depth + 1)

    @staticmethod
    def _statement_of(function: Function, expr: Expr) -> int:
        return function.file.statement_at(expr.span.line, expr.span.column)

    def _called(
        self,
        cap: Capped,
        call: ir.Call,
        values: dict[str, Stage],
        function: Function,
        index: int,
        via: tuple[Location, ...],
        depth: int,
    ) -> Iterator[ConvertedCap]:
        """A function that gets the limited value, or a method of the object that keeps it."""
        file = function.file
        handed = [one for one in call.args if _stage(one.value, values, file) == CAPPED]
        kept = [name for name, stage in values.items() if stage == CAPPED and name.startswith(f"{function.receiver}.")]
        own = isinstance(call.func, ir.Attribute) and isinstance(call.func.base, ir.Name) and call.func.base.id == function.receiver
        if not handed and not (kept and own and not call.args):
            return
        step = (*via, Location(file, index, call.span))
        for target, filled, certain in self.program.calls.targets(call, file, function.index):
            if not isinstance(target, Function) or target == function:
                continue
            for one in bind(CallSite(file, index, call, filled, certain), target.parameters) if handed else ():
                if one.argument in handed and one.parameter is not None and one.key is None:
                    yield from self._inside(cap, one.parameter, target, step, depth)
            for name in kept if own and not call.args else ():
                if target.receiver is not None:
                    yield from self._inside(cap, f"{target.receiver}.{name.partition('.')[2]}", target, step, depth)

    def _inside(self, cap: Capped, name: str, target: Function, step: tuple[Location, ...], depth: int) -> Iterator[ConvertedCap]:
        yield from self._through(cap, name, target, target.scope.statement, step, depth + 1)


def _certainly_after(file: File, first: int, later: int) -> bool:
    """Whether a statement runs whenever an earlier one has: no test stands around it that does not stand around both."""
    rows = file.outline.statements
    above = set[tuple[int, str]]()
    while first >= 0:
        above.add((rows[first].parent, rows[first].block))
        first = rows[first].parent
    return (rows[later].parent, rows[later].block) in above


@Scan
def _caps_in(text: str) -> list[int]:
    """Where the text takes the smaller of a count and something that was asked to be given."""
    found = []
    for match in _CAPS.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if any(part.strip() + " is not None" in before for part in match[1].split(",")):
            found.append(match.start())
    return found


def _is_setting(value: Expr) -> bool:
    if not isinstance(value, ir.Attribute):
        return False
    base = value.base.func if isinstance(value.base, ir.Call) else value.base
    return _LIMIT.search((dotted(base) or "").rpartition(".")[2]) is not None


def _stage(expr: Expr, values: dict[str, Stage], file: File) -> Stage | None:
    """How far an expression is from the limited value; None where it has nothing to do with it or is limited again."""
    text = dotted(expr)
    if text is not None:
        return values.get(text)
    match expr:
        case ir.Binary(operator="*", left=left, right=right):
            for known, factor in ((left, right), (right, left)):
                stage = _stage(known, values, file)
                if stage is not None:
                    return stage if isinstance(factor, ir.Const) else stage.multiplied(_text(factor, file))
        case ir.Binary(operator="/" | "//", left=left, right=right):
            stage = _stage(left, values, file)
            return stage if stage is None or isinstance(right, ir.Const) else stage.divided(_text(right, file), expr)
        case ir.Call(args=args) if len(args) == 1 and dotted(expr.func) not in ("len", "str"):
            return _stage(args[0].value, values, file)
        case ir.Call(args=args) if dotted(expr.func) == "max":
            return next((stage for one in args if (stage := _stage(one.value, values, file)) is not None), None)
        case ir.Conditional(body=body, orelse=orelse):
            return _stage(body, values, file) or _stage(orelse, values, file)
    return None


def _text(expr: Expr, file: File) -> str:
    text = " ".join(file.source.slice(expr.span).split())
    return f"({text})" if isinstance(expr, ir.Binary) and not text.startswith("(") else text
