"""The messages that a program prints: texts with placeholders, from logging calls, raised errors and the strings handed to them.

Text and outline say where to look; only statements whose text speaks of memory are lowered.
"""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

import msgspec

from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

Part = str | ir.Expr
TELLING = re.compile(
    r"\bG[i]?B\b|\bMiB\b|avail|mem usage|[Mm]emory|max_total|#tokens|mem_fraction|mem-fraction|[Cc]aptur|[Pp]rofiled|_bytes|workspace"
    r"|distributed"
)
_QUICK = re.compile(
    rb"""["'][^\n]*(?:avail[_ ]?\w*[_ ]mem|avail mem|mem usage|#tokens|is allocated|cache allocated|profiled value"""
    rb"""|mem-fraction-static|mem_fraction_static[={]|max_total_num_tokens?=|max_total_tokens=|available_bytes=|rest_memory[=:]"""
    rb"""|[Cc]aptur\w+ [^\n]*(?:begin|end|batches)|torch distributed|[Nn]ot enought? memory|no GPU memory)"""
)
"""What a line of source with a message of interest holds: most files are told apart by it without parsing them."""
_PERCENT = re.compile(r"%(?:\((\w+)\))?[-#0 +]*[\d*]*(?:\.[\d*]+)?([sdifFeEgGxXr%])")
_BRACES = re.compile(r"\{\{|\}\}|\{([^{}:!]*)(?:![rsa])?(?::[^{}]*)?\}")
MAX_STATEMENT = 4000
MAX_VARIANTS = 8


class Message(msgspec.Struct, frozen=True, eq=False):
    """One message: literal text and printed expressions in turn. `statement` is where it stands."""

    file: File
    statement: int
    parts: tuple[Part, ...]
    span: ir.Span

    @property
    def text(self) -> str:
        """The message with each value as `{name}`, for a reader."""
        return "".join(part if isinstance(part, str) else "{}" for part in self.parts)


def messages(program: Program) -> Iterator[Message]:
    """Every message of the program that may speak of device memory."""
    for path in sorted(program.files.paths):
        if _beside(path) or not _QUICK.search(program.files.tree.read(path)):
            continue
        file = program.files.get(path)
        if file is not None:
            yield from messages_in(file)


def _beside(path: str) -> bool:
    return any(part in ("test", "tests", "benchmark", "lang", "eval") for part in path.split("/")[:-1])


def messages_in(file: File) -> Iterator[Message]:
    """The telling messages of one file."""
    for index, row in enumerate(file.outline.statements):
        if row.kind not in ("expression", "raise", "assign", "augment", "return", "annotate"):
            continue
        if row.span.end_line - row.span.line > 60:
            continue
        text = file.source.slice(row.span)
        if '"' in text or "'" in text:
            if len(text) <= MAX_STATEMENT and TELLING.search(text):
                yield from _in_statement(file, index)


def _in_statement(file: File, index: int) -> Iterator[Message]:
    pending = list(file.statement(index).expressions())
    while pending:
        node = pending.pop()
        parts = _template(node)
        if parts is None and isinstance(node, ir.Call):
            parts = _logged(node)
        if parts is None:
            pending.extend(node.children())
            continue
        for variant in _variants(parts):
            joined = _joined(variant)
            if TELLING.search("".join(part for part in joined if isinstance(part, str))):
                yield Message(file, index, joined, node.span)


def logged_parts(call: ir.Call) -> tuple[Part, ...]:
    """Texts and printed values in turn of what a logging call prints, whichever way it formats."""
    parts = _logged(call)
    if parts is None:
        parts = next((found for argument in call.args if (found := _template(argument.value)) is not None), None)
    return _joined(tuple(parts)) if parts is not None else tuple(argument.value for argument in call.args)


def _logged(call: ir.Call) -> list[Part] | None:
    """The message of a call with a %-format and its values: `logger.info("%d tokens", n)`, behind a logger or level at most."""
    for position, argument in enumerate(call.args[:2]):
        value = argument.value
        if isinstance(value, ir.Const) and isinstance(value.value, str) and "%" in value.value:
            values = [one.value for one in call.args[position + 1 :] if one.keyword is None and not one.star]
            if values:
                return _percent(value.value, values)
    return None


def _template(node: Expr) -> list[Part] | None:
    """The parts of an expression that builds text; None for any other."""
    match node:
        case ir.Const(value=str() as text):
            return [text]
        case ir.Format(parts=parts):
            return [part.value if isinstance(part, ir.Const) and isinstance(part.value, str) else part for part in parts]
        case ir.Binary(operator="%", left=left, right=right):
            formatted = left.value if isinstance(left, ir.Const) else None
            if isinstance(formatted, str):
                values = list(right.items) if isinstance(right, ir.Collection) else [right]
                return _percent(formatted, values)
        case ir.Binary(operator="+", left=left, right=right):
            sides = [_template(left), _template(right)]
            if any(side is not None for side in sides):
                return [*(sides[0] or [left]), *(sides[1] or [right])]
        case ir.Call(func=ir.Attribute(base=ir.Const(value=str() as text), attr="format"), args=args):
            return _braces(text, args)
    return None


def _percent(text: str, values: list[Expr]) -> list[Part]:
    parts: list[Part] = []
    position = number = 0
    for found in _PERCENT.finditer(text):
        parts.append(text[position : found.start()])
        position = found.end()
        if found[2] == "%":
            parts.append("%")
        elif number < len(values):
            parts.append(values[number])
            number += 1
    return [*parts, text[position:]]


def _braces(text: str, args: tuple[ir.Argument, ...]) -> list[Part]:
    by_name = {str(argument.keyword): argument.value for argument in args if argument.keyword}
    plain = [argument.value for argument in args if not argument.keyword and not argument.star]
    parts: list[Part] = []
    position = number = 0
    for found in _BRACES.finditer(text):
        parts.append(text[position : found.start()])
        position = found.end()
        name = found[1]
        if name is None:
            parts.append(found.group()[0])
            continue
        index = int(name) if name.isascii() and name.isdigit() else number
        number += name == ""
        if name in by_name:
            parts.append(by_name[name])
        elif index < len(plain) and not name.isidentifier():
            parts.append(plain[index])
        else:
            parts.append("")
    return [*parts, text[position:]]


def _variants(parts: list[Part]) -> Iterator[tuple[Part, ...]]:
    """A label chosen at run time between constants makes one message each."""
    choices = [_choices(part) for part in parts]
    for number, variant in enumerate(product(*choices)):
        if number >= MAX_VARIANTS:
            return
        yield variant


def _choices(part: Part) -> tuple[Part, ...]:
    if isinstance(part, ir.Conditional):
        sides = [side.value if isinstance(side, ir.Const) else None for side in (part.body, part.orelse)]
        if all(isinstance(side, str) for side in sides):
            return tuple(str(side) for side in sides)
    return (part,)


def _joined(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Neighbouring texts as one."""
    joined: list[Part] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, str) and isinstance(last, str):
            joined[-1] = last + part
        elif part != "":
            joined.append(part)
    return tuple(joined)
