"""What a program's messages print: each placeholder followed to the quantity it is, each message made a pattern to find it by."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.domains.program_facts import ProgramFacts
from sgmem.flow.naming import call_names
from sgmem.program.files import dotted
from sgmem.serverlog.messages import Message, messages
from sgmem.serverlog.patterns import FieldPattern, Pattern
from sgmem.serverlog.rows import StageRow, rows
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.flow.birth import Birth
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

MIN_HEAD = 6
MAX_HEAD = 60
MAX_LABEL = 40
_BREAK = re.compile(r"[.,;:(|\]]\s+(?=\S)|\s\(|\(|\n")
_AMOUNT_NEAR = re.compile(r"^\s*(GB|GiB|G)\b")


class Meanings:
    """Reads the messages of one program."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self.events = facts.models.events

    def patterns(self) -> tuple[Pattern, ...]:
        """One pattern for each message that prints a known quantity or marks a stage; alike ones once, the first in the source."""
        found: dict[tuple[str, tuple[tuple[str, str], ...]], Pattern] = {}
        for message in messages(self.facts.program):
            pattern = self.pattern(message)
            if pattern is not None:
                key = pattern.head.lower(), tuple((field.label, field.kind) for field in pattern.fields)
                found.setdefault(key, pattern)
        return tuple(found.values())

    def pattern(self, message: Message) -> Pattern | None:
        """A message as a pattern; None where it prints nothing of interest."""
        fields: list[FieldPattern] = []
        for position, part in enumerate(message.parts):
            if not isinstance(part, str):
                before = message.parts[position - 1] if position else ""
                after = message.parts[position + 1] if position + 1 < len(message.parts) else ""
                field = self._field(message, part, _text(before), _text(after))
                if field is not None:
                    fields.append(field)
        head = head_of(message)
        if head is None:
            return None
        mark = next((row.kind for row in rows().mark if row.matches(message.text)), "")
        return Pattern(head, tuple(fields), mark, message.file.path, message.span.line) if fields or mark else None

    def _field(self, message: Message, part: Expr, before: str, after: str) -> FieldPattern | None:
        label = label_of(before)
        if not label:
            return None
        name = dotted(part) or _inner_name(part)
        for row in rows().quantity:
            proof = row.proof(before, name, message.text)
            if proof:
                return FieldPattern(label, row.kind, name, proof)
        if not _AMOUNT_NEAR.match(after):
            return None
        measured = self._measured(part, message)
        if measured is None:
            return None
        stage = self._stage(message)
        if stage is None:
            return None
        kind = f"free.{stage}" if measured == "free" else f"used.{stage.rpartition('-')[2]}"
        return FieldPattern(label, kind, name, "flow")

    # -- measured values ------------------------------------------------------------------------------------------------------

    def _measured(self, expr: Expr, message: Message) -> str | None:
        """`free` for a reading of the device's free memory, `used` for the difference of two; None for anything else."""
        if self._is_free(expr, message.file, message.statement):
            return "free"
        births = self.facts.births.of(expr, message.file, message.statement)
        computed = [birth for birth in births if birth.kind == "computed" and isinstance(birth.expression, ir.Binary)]
        pairs: list[tuple[Expr, File, int]] = [(expr, message.file, message.statement)] if isinstance(expr, ir.Binary) else []
        pairs += [(birth.expression, birth.file, birth.statement) for birth in computed if birth.expression is not None]
        for node, file, statement in pairs:
            if isinstance(node, ir.Binary) and node.operator == "-":
                if all(self._is_free(side, file, statement) for side in (node.left, node.right)):
                    return "used"
        return None

    def _is_free(self, expr: Expr, file: object, statement: int) -> bool:
        births = self.facts.births.of(expr, file, statement)  # type: ignore[arg-type]
        return any(self._reads_free(birth) for birth in births)

    def _reads_free(self, birth: Birth) -> bool:
        gauge = self.facts.gauges.of_birth(birth)
        return gauge is not None and gauge.frame.quantity == "free" and gauge.frame.scope != "machine"

    # -- stages ---------------------------------------------------------------------------------------------------------------

    def _stage(self, message: Message) -> str | None:
        """The stage of the start-up at which a message is printed, by the nearest events in its function; for what no event tells, by
        the message itself."""
        text = message.text
        allowed = [row for row in rows().stage if not row.refuses(text)]
        worded = [row.stage for row in allowed if row.heads and row.allows(text)]
        before, after = self._events_around(message)
        by_event = [row.stage for row in allowed if self._fits(row, before, after)]
        both = [stage for stage in worded if stage in by_event]
        return next(iter([*both, *worded, *by_event]), None)

    def _fits(self, row: StageRow, before: list[str], after: list[str]) -> bool:
        if row.side == "before":
            return row.event in after and row.event not in before
        return row.side == "after" and bool(before) and before[-1] == row.event and row.event not in after

    def _events_around(self, message: Message) -> tuple[list[str], list[str]]:
        """The kinds of events in the function of a message, before it and after it, in order."""
        file = message.file
        scope = file.outline.statements[message.statement].scope
        before: list[str] = []
        after: list[str] = []
        for index in file.own_statements(scope):
            text = file.own_text(index)
            if index == message.statement or not any(word in text for word in self._words):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Call):
                        kind = self._event(node, message, scope)
                        if kind is not None:
                            (before if index < message.statement else after).append(kind)
        return before, after

    def _event(self, call: ir.Call, message: Message, scope: int) -> str | None:
        last = (dotted(call.func) or "").rpartition(".")[2]
        if not last or not self.events.rows_for_name(last):
            return None
        names = call_names(self.facts.program, call, message.file, scope)
        found = next((row for name in names if (row := self.events.find(name)) is not None), None)
        return found.kind if found is not None and found.where == "device" else None

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """Texts, one of which is in every call that the models know as an event."""
        wild = (max(pattern.split("*"), key=len) for pattern in self.events.word_patterns)
        return (*self.events.words, *wild)


def _text(part: object) -> str:
    return part if isinstance(part, str) else ""


def _inner_name(expr: Expr) -> str:
    """The variable of `size / GB`, `f"{available / (1 << 30)}"`: the first one that is computed with."""
    names = [
        name
        for node in ir.walk(expr)
        if (name := dotted(node)) is not None and name.rpartition(".")[2] != name.rpartition(".")[2].upper()
    ]
    return names[0] if names else ""


def label_of(before: str) -> str:
    """The words just before a value: what follows the last break of the text."""
    text = before[-120:]
    breaks = [found.end() for found in _BREAK.finditer(text) if text[found.end() :].strip()]
    label = text[breaks[-1] :] if breaks else text
    label = " ".join(label.split()) + (" " if label[-1:].isspace() else "")
    words = label.split(" ")
    if re.fullmatch(r"[-\w.]+[_-][-\w.]+=", words[-1]):
        return words[-1]  # a name of several words is a label by itself
    if len(words) > 1 and words[0] in ("GB", "GiB", "MB", "s"):
        words = words[1:]  # the unit of the value before
        label = " ".join(words)
    while len(label) > MAX_LABEL and len(words) > 1:
        words = words[1:]
        label = " ".join(words)
    return label if any(character.isalnum() or character == "#" for character in label) else ""


def head_of(message: Message) -> str | None:
    """The anchor of a message: its first words, without the label of the value behind them. `*` stands for a value between words,
    where those before it are too common to find a message by."""
    head = ""
    for number, part in enumerate(message.parts):
        if not isinstance(part, str):
            continue
        text = " ".join(part.split())
        label = label_of(part).strip() if number + 1 < len(message.parts) else ""
        if label and text.endswith(label) and (head or len(text) - len(label) >= MIN_HEAD):
            text = text[: len(text) - len(label)]
        text = text.strip(" []().,;|:" if label else " []().,;|")
        if any(character.isalnum() for character in text):
            head = f"{head} * {text}" if head else text
        if sum(character.isalpha() for character in head) >= MIN_HEAD and (" " in head or "_" in head):
            return _cut(head)
    return head if sum(character.isalpha() for character in head) > MIN_HEAD else None


def _cut(text: str) -> str:
    """As much of a head as an anchor needs, at the end of a word."""
    if len(text) <= MAX_HEAD:
        return text
    return text[: MAX_HEAD + 1].rpartition(" ")[0] or text[:MAX_HEAD]
