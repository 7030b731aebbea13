"""The text of a file: bytes decoded as Python would, newlines normalised, addressed by 1-based spans."""

from __future__ import annotations

import codecs
import re
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.syntax.ir import Span

# PEP 263: a cookie counts only on the first two lines, in a comment.
_COOKIE = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")


class Undecodable(Exception):
    """The bytes are not Python source text; the message says why in one line."""


def decode(data: bytes) -> str:
    """Decode source bytes as the Python tokenizer would (BOM, PEP 263 cookie, UTF-8 otherwise).

    CR LF and lone CR become LF, as the tokenizer does, so that lines count the same everywhere. Raises `Undecodable`.
    """
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        encoding = "utf-8"
    else:
        encoding = _cookie(data) or "utf-8"
    if b"\0" in data:
        raise Undecodable("contains null bytes")
    try:
        text = data.decode(encoding)
    except LookupError:
        raise Undecodable(f"unknown encoding {encoding!r}") from None
    except (UnicodeDecodeError, ValueError) as error:
        raise Undecodable(
            f"not valid {encoding}: {error.reason if isinstance(error, UnicodeDecodeError) else error}"
        ) from None
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _cookie(data: bytes) -> str | None:
    for line in data[:1024].split(b"\n", 2)[:2]:
        found = _COOKIE.match(line)
        if found:
            name = found.group(1).decode("ascii", "replace")
            try:
                codec = codecs.lookup(name)
            except LookupError:
                raise Undecodable(f"unknown encoding {name!r}") from None
            if not codec._is_text_encoding:
                raise Undecodable(f"{name!r} is not a text encoding")
            return name
        if line.strip() and not line.lstrip().startswith(b"#"):
            return None
    return None


class SourceText:
    """One file's decoded text."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def starts(self) -> list[int]:
        """The offset of each line's first character."""
        starts = [0]
        find, offset = self.text.find, 0
        while (offset := find("\n", offset) + 1) > 0:
            starts.append(offset)
        return starts

    @cached_property
    def is_ascii(self) -> bool:
        return self.text.isascii()

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its newline; empty past the end."""
        if not 1 <= number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] - 1 if number < len(self.starts) else len(self.text)
        return self.text[start:end]

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def slice(self, span: Span) -> str:
        return self.text[self.offset(span.line, span.column) : self.offset(span.end_line, span.end_column)]

    def character_column(self, line: int, utf8_column: int) -> int:
        """Turn a 0-based UTF-8 byte column, as `ast` counts, into a 1-based character column."""
        if self.is_ascii:
            return utf8_column + 1
        text = self.line(line)
        if text.isascii():
            return utf8_column + 1
        return len(text.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace")) + 1
