"""The values of string literals."""

from __future__ import annotations

import warnings

import libcst as cst


def string_value(text: str) -> str | bytes:
    """What a string literal, `text`, stands for. ValueError or SyntaxError for one that is none."""
    opening = min(at for quote in "'\"" if (at := text.find(quote)) >= 0)
    prefix = text[:opening].lower()
    width = 3 if text.startswith(text[opening] * 3, opening) and len(text) - opening >= 6 else 1
    body = text[opening + width : -width]
    if "\\" in body and "r" not in prefix:
        return _escaped(text)
    return body.encode("ascii") if "b" in prefix else body


def joined(pieces: list[object], count: int) -> str | bytes | None:
    """The value of a concatenation of string literals; None where not all `count` pieces are literals of one kind."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == count:
        return "".join(texts)
    raw = [piece for piece in pieces if isinstance(piece, bytes)]
    return b"".join(raw) if len(raw) == count else None


def literal_part(node: cst.FormattedString, text: str) -> str:
    """What a stretch of text between the braces of an f-string stands for."""
    text = text.replace("{{", "{").replace("}}", "}")
    if "\\" not in text or "r" in node.prefix.lower():
        return text
    quote = node.quote
    try:
        return str(_escaped(f"{quote}{text}{quote}"))
    except (ValueError, SyntaxError):
        return text


def _escaped(text: str) -> str | bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the analysed code are its author's business
        return cst.SimpleString(text).evaluated_value
