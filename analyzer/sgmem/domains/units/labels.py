"""Values that are printed with a unit beside them: in f-strings, %-templates, `.format` templates and logging calls."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.units.evidence import Evidence, Strength
from sgmem.domains.units.unit import parse_unit
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.syntax.ir import Expr

_WORD = r"(GiB|MiB|KiB|TiB|GB|MB|KB|TB|bytes)"
_AFTER = re.compile(rf"[ \t]*(?:\[|\()?{_WORD}\b(?!\s*(?:/|per\b|\w*/s))")
"""A unit right behind a value; a rate (`GB/s`) is none."""
_BEFORE = re.compile(rf"(?:[(\[]{_WORD}[)\]]|_(gib|mib|kib|gb|mb|kb|bytes))['\"]?\s*[:=]\s*$")
"""A unit that ends the text before a value: `size (GB): `, `size_gb=`."""
_PERCENT = re.compile(r"%(?:%|(?:\(\w+\))?[-+ #0]*(?:\*|\d+)?(?:\.(?:\*|\d+))?[hlL]?[a-zA-Z])")
_BRACES = re.compile(r"\{\{|\}\}|\{[^{}]*\}")
_SPELLED = {"gib": "GiB", "mib": "MiB", "kib": "KiB", "gb": "GB", "mb": "MB", "kb": "KB", "bytes": "bytes"}
UNIT_WORDS = re.compile(r"\b(?:[KMGT]i?B|bytes)\b|_(?:gib|mib|kib|gb|mb|kb|bytes)['\"]?\s*[:=]")
"""What every text with a label holds: a quick look before anything is lowered."""


class Labelled(msgspec.Struct, frozen=True):
    """`value` is printed with the unit of `label`, spelled `word`, beside it."""

    value: ir.Expr
    label: Evidence
    word: str


def labelled(node: Expr) -> Iterator[Labelled]:
    """The values that an expression itself prints with a unit."""
    match node:
        case ir.Format(parts=parts):
            yield from _in_pieces(parts)
        case ir.Binary(operator="%", left=ir.Const(value=str(text)) as template, right=right):
            values = right.items if isinstance(right, ir.Collection) and right.kind == "tuple" else (right,)
            yield from _in_template(text, template, values, _PERCENT)
        case ir.Call(func=ir.Attribute(base=ir.Const(value=str(text)) as template, attr="format")):
            values = tuple(one.value for one in node.args if not one.keyword and not one.star)
            if len(values) == len(node.args):
                yield from _in_template(text, template, values, _BRACES)
        case ir.Call(args=(ir.Argument(value=ir.Const(value=str(text)) as template, keyword=None, star=""), _, *_)) if "%" in text:
            rest = node.args[1:]
            if not any(one.star for one in rest):
                yield from _in_template(text, template, tuple(one.value for one in rest if not one.keyword), _PERCENT)


def _in_pieces(parts: tuple[Expr, ...]) -> Iterator[Labelled]:
    for place, value in enumerate(parts):
        if isinstance(value, ir.Const):
            continue
        before = parts[place - 1] if place else None
        after = parts[place + 1] if place + 1 < len(parts) else None
        found = _beside(value, _text(before), _text(after), value.span)
        if found is not None:
            yield found


def _text(piece: Expr | None) -> str:
    return piece.value if isinstance(piece, ir.Const) and isinstance(piece.value, str) else ""


def _in_template(text: str, template: Expr, values: tuple[Expr, ...], pattern: re.Pattern[str]) -> Iterator[Labelled]:
    """Match the fields of a template with its values, in order; nothing where their numbers differ."""
    fields = [match for match in pattern.finditer(text) if match.group() not in ("%%", "{{", "}}")]
    if len(fields) != len(values) or any("*" in match.group() or "(" in match.group() for match in fields):
        return
    ends = [0, *(match.end() for match in fields)]
    starts = [*(match.start() for match in fields), len(text)]
    for number, value in enumerate(values):
        found = _beside(value, text[ends[number] : starts[number]], text[ends[number + 1] : starts[number + 1]], template.span)
        if found is not None:
            yield found


def _beside(value: Expr, before: str, after: str, span: ir.Span) -> Labelled | None:
    match = _AFTER.match(after)
    if match is None:
        match = _BEFORE.search(before)
    if match is None:
        return None
    word = next(group for group in match.groups() if group)
    word = _SPELLED.get(word, word)
    unit = parse_unit(f"{word}?" if word in ("GB", "MB", "KB", "TB") else word)
    return Labelled(value, Evidence(unit, Strength.LABEL, f"printed with the label {word}", span), word)
