"""String literals as their source spells them: their values, and the parts of f-strings.

The parts are found in the text, since before Python 3.12 `ast` gives what stands in an f-string wrong places.
"""

from __future__ import annotations

import ast
import re
import warnings
from typing import NamedTuple

_OPENING = re.compile(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_BETWEEN = re.compile(r"(?:\s|\\\n|#[^\n]*\n)*")
_CODE = re.compile(r"[A-Za-z]{0,2}(?:'''|\"\"\"|'|\")|[\w.]+|[(\[{]|[)\]}]|[=!<>]=|[!:=]|#[^\n]*", re.ASCII)
_BLANKS = re.compile(r"\s*")


class Unreadable(ValueError):
    """The text is no string literal that this module understands."""


class Piece(NamedTuple):
    """A stretch of an f-string's text, or of a literal beside one: a `literal` with the prefix and the quote that it stands under, or
    the expression in a pair of braces (blanks included), or the `label` that `{value = }` prints before the value."""

    kind: str
    start: int
    end: int
    prefix: str = ""
    quote: str = ""


def pieces(text: str) -> list[Piece]:
    """The pieces of a concatenation of string literals, some of them f-strings, in order. Raises `Unreadable`."""
    found: list[Piece] = []
    at = 0
    while at < len(text):
        opening = _OPENING.match(text, at)
        if opening is None:
            raise Unreadable(text)
        prefix, quote = opening[1].lower(), opening[2]
        if "f" in prefix:
            at = _formatted(text, opening.end(), prefix, quote, found)
        else:
            end = _end_of_plain(text, opening.end(), quote)
            found.append(Piece("string", at, end, prefix, quote))
            at = end
        between = _BETWEEN.match(text, at)
        at = between.end() if between is not None else at
    return found


def _end_of_plain(text: str, at: int, quote: str) -> int:
    while True:
        end = text.find(quote, at)
        if end < 0:
            raise Unreadable(text)
        escape = text.find("\\", at, end)
        if escape < 0:
            return end + len(quote)
        at = escape + 2


def _formatted(text: str, at: int, prefix: str, quote: str, found: list[Piece]) -> int:
    """Note the pieces of an f-string whose content begins at `at`; where it ends."""
    start = at
    while True:
        at = _literal_end(text, at, prefix, quote)
        if text.startswith(("{{", "}}"), at):
            at += 2
            continue
        if at > start:
            found.append(Piece("literal", start, at, prefix, quote))
        if text[at] != "{":
            return at + len(quote)
        at = start = _replacement(text, at + 1, prefix, quote, found)


def _literal_end(text: str, at: int, prefix: str, quote: str) -> int:
    """The next brace or closing quote at or after `at`."""
    while True:
        if at >= len(text):
            raise Unreadable(text)
        if text.startswith(quote, at) or text[at] == "{":
            return at
        if text[at] == "}":
            if text.startswith("}}", at):
                return at
            raise Unreadable(text)
        if text[at] == "\\":
            if text.startswith("N{", at + 1) and "r" not in prefix:
                at = text.find("}", at)
                if at < 0:
                    raise Unreadable(text)
            elif text[at + 1 : at + 2] not in ("{", "}"):
                at += 1
        at += 1


def _replacement(text: str, start: int, prefix: str, quote: str, found: list[Piece]) -> int:
    """Note the pieces of `{...}` whose content begins at `start`; where the text goes on after it."""
    end = _expression_end(text, start)
    at = end
    if text[at] == "=":
        blanks = _BLANKS.match(text, at + 1)
        at = blanks.end() if blanks is not None else at + 1
        found.append(Piece("label", start, at))
    found.append(Piece("expression", start, end))
    if text[at : at + 1] == "!":
        named = re.compile(r"!\s*[A-Za-z]\s*").match(text, at)
        if named is None:
            raise Unreadable(text)
        at = named.end()
    if text[at : at + 1] == ":":
        return _specification(text, at + 1, prefix, quote, found)
    if text[at : at + 1] != "}":
        raise Unreadable(text)
    return at + 1


def _specification(text: str, at: int, prefix: str, quote: str, found: list[Piece]) -> int:
    """Note the expressions in a format specification, whose literal text is no part of what is printed."""
    while at < len(text):
        if text[at] == "}":
            return at + 1
        if text[at] == "{":
            at = _replacement(text, at + 1, prefix, quote, found)
        elif text.startswith(quote, at):
            break
        else:
            at += 1
    raise Unreadable(text)


def _expression_end(text: str, at: int) -> int:
    """Where the expression of a replacement ends: at a brace, a colon, a conversion or the `=` of a label outside all brackets."""
    depth = 0
    while True:
        token = _CODE.search(text, at)
        if token is None:
            raise Unreadable(text)
        word, at = token.group(), token.end()
        if word[-1] in "'\"":
            opening = _OPENING.fullmatch(word)
            if opening is None:
                raise Unreadable(text)
            at = (
                _formatted(text, at, opening[1].lower(), opening[2], [])
                if "f" in opening[1].lower()
                else _end_of_plain(text, at, opening[2])
            )
        elif word in "([{":
            depth += 1
        elif depth and word in ")]}":
            depth -= 1
        elif not depth and word in ("}", ":", "!", "="):
            return token.start()


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


def literal_part(text: str, prefix: str, quote: str) -> str:
    """What a stretch of text between the braces of an f-string stands for."""
    text = text.replace("{{", "{").replace("}}", "}")
    if "\\" not in text or "r" in prefix.lower():
        return text
    try:
        return str(_escaped(f"{quote}{text}{quote}"))
    except (ValueError, SyntaxError):
        return text


def _escaped(text: str) -> str | bytes:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # invalid escapes in the analysed code are its author's business
        value = ast.literal_eval(text)
    if not isinstance(value, str | bytes):
        raise ValueError(text)
    return value
