"""Text of analysed source made safe to show: control characters visible, one line, names shortened."""

from __future__ import annotations

import re
import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
"""Unicode categories that move the cursor, reorder or hide text; spelled out wherever source text is shown."""

SURROGATE = re.compile("[\ud800-\udfff]")
BRACKETS = re.compile(r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|[(\[{] +| +[)\]}]""")
PLAIN = re.compile(r"[ -~]*")


def escape(text: str) -> str:
    r"""Return `text` on one line, with control, bidirectional and unassigned characters as `\x1b`, `\n`, `\u202e`."""
    if PLAIN.fullmatch(text):
        return text
    return "".join(spelled(char) if unicodedata.category(char) in HIDDEN else char for char in text)


def spelled(char: str) -> str:
    """Return the Python escape of one character."""
    short = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}.get(char)
    if short:
        return short
    code = ord(char)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def tidy(code: str) -> str:
    """Close up brackets that a folded line break left open: `f( x )` -> `f(x)`; string literals stay as they are."""
    return BRACKETS.sub(lambda match: match.group().strip(" ") if match["string"] is None else match.group(), code)


def escape_surrogates(text: str) -> str:
    r"""Spell lone surrogates as `\udc80`, which no encoding accepts, and leave the rest alone."""
    return SURROGATE.sub(lambda match: spelled(match.group()), text)


def plural(count: int, noun: str, many: str | None = None) -> str:
    """Return `1 site`, `2 sites`."""
    return f"{count} {noun if count == 1 else many or noun + 's'}"


def short_slot(slot: str) -> str:
    """Return a slot without its module: `pkg.mod:Class.attr` -> `Class.attr`."""
    return slot.rpartition(":")[2] or slot


def slot_module(slot: str) -> str:
    """Return the module of a slot, empty where it has none."""
    return slot.rpartition(":")[0]


def last_name(dotted: str) -> str:
    """Return the last component of a slot or qualified name."""
    return re.split(r"[.:]", dotted)[-1]
