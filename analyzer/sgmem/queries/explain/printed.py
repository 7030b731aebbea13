"""Which line of a server's log prints an input: under its own name, under another label, or as a reading taken at the same stage.

The value is followed by dataflow: a message prints an input where what it formats was born at the same place. A measurement that no
message prints may still be known from one that reads the same gauge between the same events of the start-up.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.formulas import formulas_in
from sgmem.domains.accounting.location import Location
from sgmem.domains.program_facts import Formula
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.serverlog.meanings import Meanings as LogMeanings
from sgmem.serverlog.meanings import label_of
from sgmem.serverlog.messages import Message, logged_parts, messages
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from sgmem.domains.execution.context import Context
    from sgmem.domains.execution.values import Input
    from sgmem.flow.birth import Birth
    from sgmem.program.files import File
    from sgmem.queries.explain.run import Run

LEVELS = frozenset({"info", "warning", "debug", "error", "print", "log", "info_once", "warning_once"})
MAX_HEAD = 40
MAX_SHOWN = 70
_UNIT = re.compile(r"\s*(?:[GMK]i?B|%|tokens?|s)\b")
MAX_FILES = 30
"""A name that more files than this mention is not looked for in all of their messages."""
_WEIGHTS = "load-weights"


class Printed(msgspec.Struct, frozen=True):
    """The message at `location` prints an input; `how` says what else it is where that is not the input itself. `text` is what is seen
    in a log: how the message begins, and the words around the value.
    """

    location: Location
    text: str = ""
    how: str = ""


class Printing:
    """Finds what the messages of one program print of the inputs of a run."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.facts = context.facts
        self._stages: dict[str, str] = {}

    def look_at(self, run: Run) -> None:
        """Learn at which stage of the start-up the measured inputs of a run were read."""
        for step in run.machine.steps:
            for expression in formulas_in(step.file, step.statement):
                mixed = Formula(self.facts, expression).mixed_times
                if mixed is not None and any(event.row.kind == _WEIGHTS for event in mixed.events):
                    self._stages[_last(mixed.earlier.name)] = "before-weights"
                    self._stages[_last(mixed.later.name)] = "after-weights"

    def of(self, row: Input) -> Printed | None:
        """The message that prints an input: the input itself if there is one, else what is closest to it."""
        births = self.facts.births.of(row.leaf, row.file, row.statement)
        named = self._by_name(row, births)
        if named is not None and self._always(named):
            return named
        birth = next((birth for birth in births if birth.kind == "measurement"), None)
        same = self._same_birth(birth) if birth is not None else None
        if same is not None and self._always(same):
            return same
        stage = self._same_stage(row, birth) if birth is not None else None
        return self._with_its_record(births) or stage or named or same

    def _always(self, printed: Printed) -> bool:
        """Whether a message is printed whenever its function runs."""
        return not self.facts.conditions.own(printed.location.file, printed.location.statement)

    # -- the value itself -----------------------------------------------------------------------------------------------------

    def _by_name(self, row: Input, births: tuple[Birth, ...]) -> Printed | None:
        """A logging call that formats the input by a name that its value has on its way: nearby first, then anywhere."""
        names = {row.name, _last(row.path)}
        spots = [(row.file, row.statement)]
        for birth in births[:2]:
            spots += [(hop.file, hop.statement) for hop in birth.hops]
            spots.append((birth.file, birth.statement))
            names |= {hop.text for hop in birth.hops if hop.text.isidentifier()}
        scopes = dict.fromkeys((file, file.outline.statements[statement].scope) for file, statement in spots)
        for file, scope in scopes:
            for index, call in _logging(file, file.own_statements(scope)):
                for name in names:
                    if (part := _printed(call, name)) is not None:
                        return Printed(Location(file, index, call.span), _shown(logged_parts(call), part))
        last = _last(row.path)
        if "_" not in last or not last.isidentifier() or len(self.facts.program.files.tree.mentioning(last)) > MAX_FILES:
            return None
        for file in self.facts.program.files.mentioning(last):
            for index, call in _logging(file, file.mentions(last)):
                if (part := _printed(call, last)) is not None and not is_aside(file, index):
                    return Printed(Location(file, index, call.span), _shown(logged_parts(call), part))
        return None

    def _with_its_record(self, births: tuple[Birth, ...]) -> Printed | None:
        """A logging call that formats the whole record of options that an input is a field of."""
        fields = [birth.place for birth in births if birth.kind == "declaration" and isinstance(birth.place, Field)]
        owners = {field.owner for field in fields if self.context.options.is_option(field)}
        for file, index, call in self._record_messages if owners else ():
            for part in _parts(call):
                types = self.facts.program.values.types(part, file, file.outline.statements[index].scope)
                if any(owner in owners for owner in types):
                    return Printed(Location(file, index, call.span), f"{dotted(part)}=...", "with all other options")
        return None

    @cached_property
    def _record_messages(self) -> tuple[tuple[File, int, ir.Call], ...]:
        """Logging calls that format nothing but one name: `log.info(f"{options=}")`."""
        found: list[tuple[File, int, ir.Call]] = []
        for path in sorted(self.facts.program.files.paths):
            if _ONE_NAME.search(self.facts.program.files.tree.read(path)):
                file = self.facts.program.files.get(path)
                if file is not None:
                    rows = range(len(file.outline.statements))
                    found += [(file, i, call) for i, call in _logging(file, rows, _ONE_NAME_TEXT) if not is_aside(file, i)]
        return tuple(found)

    # -- readings -------------------------------------------------------------------------------------------------------------

    @cached_property
    def _messages(self) -> tuple[Message, ...]:
        return tuple(message for message in messages(self.facts.program) if not is_aside(message.file, message.statement))

    def _same_birth(self, birth: Birth) -> Printed | None:
        """A message that formats what was born at the same call."""
        for message in self._messages:
            for part in message.parts:
                if isinstance(part, ir.Name | ir.Attribute):
                    for other in self.facts.births.of(part, message.file, message.statement):
                        if (other.file.path, other.span, other.kind) == (birth.file.path, birth.span, birth.kind):
                            at = Location(message.file, message.statement, message.span)
                            return Printed(at, _shown(message.parts, part), "under another name")
        return None

    def _same_stage(self, row: Input, birth: Birth) -> Printed | None:
        """A message that reads free memory at the stage at which the input was read."""
        gauge = self.facts.gauges.of_birth(birth)
        stage = self._stages.get(_last(row.path)) or self._stages.get(row.name)
        if gauge is None or stage is None or gauge.frame.quantity != "free":
            return None
        reader = LogMeanings(self.facts)
        fitting: list[tuple[Message, str]] = []
        for message in self._messages:
            pattern = reader.pattern(message)
            field = next((one for one in pattern.fields if one.kind == f"free.{stage}"), None) if pattern is not None else None
            if field is not None:
                fitting.append((message, field.label))
        if not fitting:
            return None
        best, label = min(fitting, key=lambda one: (one[0].file is not birth.file, one[0].file.path, one[0].statement))
        where = "just before the weights are loaded" if stage == "before-weights" else "once the weights are loaded"
        reduced = "; it is this rank's own, the input is the minimum over ranks" if gauge.frame.reduction == "min" else ""
        how = f"another reading of the same gauge, {where}{reduced}"
        parts = best.parts
        value = next((b for a, b in pairwise(parts) if isinstance(a, str) and a.endswith(label) and not isinstance(b, str)), None)
        return Printed(Location(best.file, best.statement, best.span), _shown(parts, value), how)


_ONE_NAME_TEXT = re.compile(r"""\w*log\w*\.\w+\(\s*f["']\{(?:self\.)?\w+=?\}["']\s*\)""")
_ONE_NAME = re.compile(_ONE_NAME_TEXT.pattern.encode())


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _logging(file: File, statements: Iterable[int], text: re.Pattern[str] | None = None) -> Iterator[tuple[int, ir.Call]]:
    """The logging calls among statements, by the name of the level that is called."""
    rows = file.outline.statements
    for index in statements:
        if (
            rows[index].kind != "expression"
            or "log" not in (own := file.own_text(index))
            or (text is not None and not text.search(own))
        ):
            continue
        for root in file.statement(index).expressions():
            if isinstance(root, ir.Call) and isinstance(root.func, ir.Attribute) and root.func.attr in LEVELS:
                yield index, root


def _parts(call: ir.Call) -> Iterator[ir.Expr]:
    """The values that a logging call formats."""
    yield from (part for part in logged_parts(call) if not isinstance(part, str))


def _printed(call: ir.Call, name: str) -> ir.Expr | None:
    """The part of a logging call that formats the value of a name, and nothing calculated from it."""
    return next((part for part in _parts(call) if (text := dotted(part)) is not None and _last(text) == name), None)


def _shown(parts: Sequence[str | ir.Expr], value: ir.Expr | None) -> str:
    """The first words of a message and those around one of its values: `Load weight end. ... avail mem={free} GB`."""
    position = next((number for number, part in enumerate(parts) if part is value), None)
    if value is None or position is None:
        return " ".join("".join(part if isinstance(part, str) else "{}" for part in parts).split())[:MAX_SHOWN]
    before = parts[position - 1] if position and isinstance(parts[position - 1], str) else ""
    after = parts[position + 1] if position + 1 < len(parts) else ""
    head = " ".join(part for part in parts[:1] if isinstance(part, str)).strip()
    assert isinstance(before, str)
    label = label_of(before).strip() or before.strip()
    unit = _UNIT.match(after) if isinstance(after, str) else None
    text = f"{label}{' ' if label and before[-1:].isspace() else ''}{{{dotted(value) or '...'}}}{unit[0] if unit else ''}"
    begun = head.partition(label)[0].strip() if label and label in head else head
    begun = begun[:MAX_HEAD].rpartition(" ")[0] if len(begun) > MAX_HEAD else begun
    if not begun:
        return text
    return f"{begun} {text}" if position == 1 else f"{begun} ... {text}"
