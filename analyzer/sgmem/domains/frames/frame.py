"""Frames: what a measurement of memory measured, of whom, when, and with which care.

Where events stand in the order of a start-up is the caller's to find out; here an epoch is a position that can be
compared within one root, and what lies between two positions is a list of events.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.units.evidence import Evidence, model_evidence
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from sgmem.models.load import Table
    from sgmem.models.rows import MeasurementRow, Result

NameOf = Callable[[ir.Expr], "str | None"]
"""The resolved name (`module:qualname`) or the dotted text of what a call calls."""

ArgumentOf = Callable[[ir.Call, str], "ir.Expr | None"]
"""The expression that a call passes for a parameter, its default included; None when it passes none or that is not
known.
"""

TextOf = Callable[[ir.Expr], str]

Aspect = Literal["quantity", "statistic", "scope", "reduction", "device", "epoch", "hygiene"]


class Epoch(msgspec.Struct, frozen=True):
    """A place in the order of what happens from `root` on. Positions of different roots do not compare."""

    root: str
    position: tuple[int, ...]
    label: str = ""

    def before(self, other: Epoch) -> bool | None:
        """Whether this comes first; None when the two are not ordered, or are the same place."""
        if self.root != other.root or self.position == other.position:
            return None
        return self.position < other.position


class Event(msgspec.Struct, frozen=True):
    """Something that changes device memory, at a place in the source; `kind` and `effect` as in the event rows."""

    kind: str
    effect: Literal["allocates", "frees", "none"]
    symbol: str
    path: str
    line: int
    when: tuple[str, ...] = ()
    where: Literal["device", "host"] = "device"


class Frame(msgspec.Struct, frozen=True):
    """What one measurement stands for. `reduction_when`: the condition under which ranks are combined, if it is not
    always.
    """

    quantity: str
    statistic: Literal["now", "peak"]
    scope: Literal["process", "device", "node", "machine"]
    reduction: Literal["none", "min", "max", "sum"] = "none"
    reduction_when: str | None = None
    group: str | None = None
    device: str | None = None
    epoch: Epoch | None = None
    hygiene: tuple[str, ...] = ()

    @property
    def reduction_text(self) -> str:
        if self.reduction == "none":
            return "not combined over ranks"
        return f"{self.reduction} over ranks" + (f" when {self.reduction_when}" if self.reduction_when else "")

    @property
    def text(self) -> str:
        """One line for a reader: `free memory of the device, min over ranks when self.tp_size > 1`."""
        start = f"{'peak ' if self.statistic == 'peak' else ''}{self.quantity} memory of the {self.scope}"
        parts = [start] + ([self.reduction_text] if self.reduction != "none" else [])
        if self.epoch is not None and self.epoch.label:
            parts.append(self.epoch.label)
        return ", ".join(parts)


class Measured(msgspec.Struct, frozen=True):
    """An expression that is a measurement: the call, its row, and which of its values this is."""

    call: ir.Call
    row: MeasurementRow
    result: Result

    def evidence(self) -> Evidence | None:
        """The unit, from the model."""
        scope = "the whole machine" if self.row.scope == "machine" else None
        return model_evidence(self.result.unit, f"{text_of(self.call.func)}(): {self.row.why}", self.call.span, scope)


class Difference(msgspec.Struct, frozen=True):
    """One aspect in which two frames differ; for epochs, the events between them that touch device memory."""

    aspect: Aspect
    left: str
    right: str
    text: str
    between: tuple[Event, ...] = ()


def measured(expr: ir.Expr, table: Table[MeasurementRow], name_of: NameOf) -> Measured | None:
    """The measurement that `expr` is: a call, the attribute or the element of a call's result. None for anything else.

    A call whose result is a tuple or a record is a measurement only through its element or attribute.
    """
    match expr:
        case ir.Attribute(base=ir.Call() as call):
            return measured_part(call, table, name_of, attribute=expr.attr)
        case ir.Subscript(base=ir.Call() as call, index=ir.Const(value=int(index))):
            return measured_part(call, table, name_of, index=index)
        case ir.Call():
            return measured_part(expr, table, name_of)
    return None


def measured_part(
    call: ir.Call, table: Table[MeasurementRow], name_of: NameOf, index: int | None = None, attribute: str | None = None
) -> Measured | None:
    """The measurement that one value of `call` is: for `free, total = mem_get_info()`, index 0 and 1."""
    name = name_of(call.func)
    row = table.find(name) if name is not None else None
    result = row.result(index, attribute) if row is not None else None
    return Measured(call, row, result) if row is not None and result is not None else None


def keyword_argument(call: ir.Call, name: str) -> ir.Expr | None:
    """An `ArgumentOf` for callers that do not know the signature: keywords only."""
    return next((argument.value for argument in call.args if argument.keyword == name), None)


def frame_of(
    found: Measured,
    argument_of: ArgumentOf = keyword_argument,
    text: TextOf = text_of,
    epoch: Epoch | None = None,
    care: Sequence[str] = (),
) -> Frame:
    """The frame of a measurement. `care`: hygiene that the caller saw just before it, besides what the function does
    itself.
    """
    row, call = found.row, found.call
    reduction: Literal["none", "min", "max", "sum"] = "none"
    when = group = None
    if row.reduction is not None:
        switch = argument_of(call, row.reduction.when)
        if switch is not None and not (isinstance(switch, ir.Const) and not switch.value):
            reduction = row.reduction.operation
            when = None if isinstance(switch, ir.Const) else text(switch)
            chosen = argument_of(call, row.reduction.group) if row.reduction.group else None
            group = text(chosen) if chosen is not None else None
    hygiene = list(care)
    for step in row.hygiene:
        switch = argument_of(call, step.unless_false) if step.unless_false else None
        if not (isinstance(switch, ir.Const) and not switch.value) and step.does not in hygiene:
            hygiene.append(step.does)
    return Frame(
        found.result.quantity or "some",
        row.statistic,
        row.scope,
        reduction,
        when,
        group,
        _device(call, row, argument_of, text),
        epoch,
        tuple(sorted(hygiene)),
    )


def compare(left: Frame, right: Frame, between: Sequence[Event] = ()) -> tuple[Difference, ...]:
    """Every aspect in which two frames differ. `between`: the events between their epochs, in order."""
    found: list[Difference] = []

    def differ(aspect: Aspect, a: str, b: str, text: str) -> None:
        if a != b:
            found.append(Difference(aspect, a, b, text))

    differ("quantity", left.quantity, right.quantity, f"{left.quantity} memory against {right.quantity} memory")
    differ("statistic", left.statistic, right.statistic, f"the {left.statistic} value against the {right.statistic} value")
    differ("scope", left.scope, right.scope, f"of the {left.scope} against of the {right.scope}")
    a, b = left.reduction_text, right.reduction_text
    differ("reduction", a, b, f"{a} against {b}")
    if left.device is not None and right.device is not None:
        differ("device", left.device, right.device, f"of {left.device} against of {right.device}")
    found += _times(left, right, between)
    a, b = ", ".join(left.hygiene) or "nothing", ", ".join(right.hygiene) or "nothing"
    differ("hygiene", a, b, f"{a} before the one, {b} before the other")
    return tuple(found)


def is_delta(left: Frame, right: Frame) -> bool:
    """Whether two frames differ in nothing but time: their difference is what happened in between, and no mistake."""
    return all(difference.aspect in ("epoch", "hygiene") for difference in compare(left, right))


def _times(left: Frame, right: Frame, between: Sequence[Event]) -> list[Difference]:
    if left.epoch is None or right.epoch is None:
        return []
    first = left.epoch.before(right.epoch)
    if first is None:
        return []
    felt = tuple(event for event in between if event.effect != "none" and event.where == "device")
    a, b = left.epoch.label or "one", right.epoch.label or "the other"
    names = ", ".join(dict.fromkeys(event.symbol for event in felt)) or "nothing known to touch device memory"
    order = f"{a}, then {names}, then {b}" if first else f"{b}, then {names}, then {a}"
    return [Difference("epoch", a, b, f"measured at different times: {order}", felt)]


def _device(call: ir.Call, row: MeasurementRow, argument_of: ArgumentOf, text: TextOf) -> str | None:
    """The arguments that choose the device; by position only where no name of theirs is known."""
    named = [argument_of(call, key) for key in row.device if isinstance(key, str)]
    chosen = [expr for expr in named if expr is not None]
    if not chosen:
        plain = [argument.value for argument in call.args if not argument.keyword and not argument.star]
        chosen = [plain[key] for key in row.device if isinstance(key, int) and key < len(plain)]
    return ", ".join(text(expr) for expr in chosen) or None
