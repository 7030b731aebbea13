"""The text of a file: bytes decoded as Python would, newlines normalised, addressed by 1-based spans."""

from __future__ import annotations

import codecs
import re
from array import array
from bisect import bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sgmem.syntax.ir import Span

# PEP 263: a cookie counts only on the first two lines, in a comment, and on the second only after a blank or a comment.
_COOKIE = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#|$)")
_NEWLINE = re.compile(rb"\r\n?|\n")
_UTF8 = "utf-8"


class Undecodable(Exception):
    """The bytes are not Python source text; the message says why in one line."""


def decode_with_comments(data: bytes) -> str:
    """Decode source bytes, comments included. Bytes that are no text in its encoding are replaced where they stand in comments only:
    Python refuses such a file, the analysis reads it. Raises `Undecodable`.
    """
    try:
        return decode(data)
    except Undecodable:
        decode(without_comments(data))
        return _lines(data.removeprefix(codecs.BOM_UTF8).decode(_cookie(data.removeprefix(codecs.BOM_UTF8)) or _UTF8, "replace"))


def decode(data: bytes) -> str:
    """Decode source bytes as the Python tokenizer would (BOM, PEP 263 cookie, UTF-8 otherwise).

    CR LF and lone CR become LF, as the tokenizer does, so that lines count the same everywhere. Raises `Undecodable`.
    """
    if b"\0" in data:
        raise Undecodable("contains null bytes")
    encoding = _cookie(data.removeprefix(codecs.BOM_UTF8)) or _UTF8
    if data.startswith(codecs.BOM_UTF8):
        data = data[len(codecs.BOM_UTF8) :]
        if codecs.lookup(encoding).name not in (_UTF8, "utf-8-sig"):
            raise Undecodable(f"begins with the mark of UTF-8 but declares the encoding {encoding!r}")
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        raise Undecodable(f"not valid {encoding}: {error.reason}") from None
    except ValueError as error:
        raise Undecodable(f"not valid {encoding}: {error}") from None
    return _lines(text)


def _lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _cookie(data: bytes) -> str | None:
    """The encoding that the first two lines declare."""
    start = 0
    for _ in range(2):
        newline = _NEWLINE.search(data, start)
        line = data[start : newline.start() if newline is not None else len(data)]
        found = _COOKIE.match(line)
        if found:
            return _text_encoding(found.group(1).decode("ascii"))
        if newline is None or not _BLANK.match(line):
            return None
        start = newline.end()
    return None


def _text_encoding(name: str) -> str:
    """The encoding called `name`, also if an editor's suffix follows it, as in `utf-8-unix`."""
    spelled = name[:12].lower().replace("_", "-")
    if spelled == _UTF8 or spelled.startswith("utf-8-"):
        return _UTF8
    if re.match(r"(latin-1|iso-8859-1|iso-latin-1)(-|$)", spelled):
        return "iso-8859-1"
    try:
        codec = codecs.lookup(name)
    except LookupError:
        raise Undecodable(f"unknown encoding {name!r}") from None
    if not codec._is_text_encoding:
        raise Undecodable(f"{name!r} is not a text encoding")
    return name


_WIDE = re.compile(r"[^\x00-\x7f][^\n]*")


def place_of(line: int, column: int) -> int:
    """A line and column as one number, which takes less memory than a pair, in the same order."""
    return line << 32 | column


class SourceText:
    """One file's decoded text."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self._text = text

    @property
    def text(self) -> str:
        return self._text

    @cached_property
    def starts(self) -> array[int]:
        """The offset of each line's first character."""
        starts = array("Q", [0])
        find, offset = self._text.find, 0
        while (offset := find("\n", offset) + 1) > 0:
            starts.append(offset)
        return starts

    @cached_property
    def is_ascii(self) -> bool:
        return self._text.isascii()

    @cached_property
    def wide_lines(self) -> frozenset[int]:
        """The lines with characters that take more than one byte: there columns and bytes differ."""
        return frozenset(self.position(found.start())[0] for found in _WIDE.finditer(self._text))

    def line(self, number: int) -> str:
        """The text of a 1-based line, without its newline; empty past the end."""
        if not 1 <= number <= len(self.starts):
            return ""
        start = self.starts[number - 1]
        end = self.starts[number] - 1 if number < len(self.starts) else len(self._text)
        return self._text[start:end]

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """The 1-based line and column of a character offset."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def offsets(self, span: Span) -> tuple[int, int]:
        """Where a span begins and ends."""
        return self.offset(span.line, span.column), self.offset(span.end_line, span.end_column)

    def slice(self, span: Span) -> str:
        begin, end = self.offsets(span)
        return self._text[begin:end]

    def character_column(self, line: int, utf8_column: int) -> int:
        """Turn a 0-based UTF-8 byte column, as `ast` counts, into a 1-based character column."""
        if line not in self.wide_lines:
            return utf8_column + 1
        text = self.line(line)
        return len(text.encode("utf-8", "surrogatepass")[:utf8_column].decode("utf-8", "replace")) + 1


_STRING_OR_COMMENT = re.compile(
    rb"""["'#](?:
    (?<=")(?:""[^"\\]*(?:(?:\\(?:.|\Z)|"(?!""))[^"\\]*)*(?:"{3}|\Z)|[^"\\\n]*(?:\\(?:.|\Z)[^"\\\n]*)*(?:"|(?=\n)|\Z))
    |(?<=')(?:''[^'\\]*(?:(?:\\(?:.|\Z)|'(?!''))[^'\\]*)*(?:'{3}|\Z)|[^'\\\n]*(?:\\(?:.|\Z)[^'\\\n]*)*(?:'|(?=\n)|\Z))
    |(?<=\#)[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)
"""Every match ends, an unterminated string's at the end of its line or of the file: no file takes long."""
_COMMENT, _BACKSLASH = 0x23, 0x5C
_FORMATTED = re.compile(rb"""(?i:\b(?:[ft]r?|r[ft]))["']""")


def without_comments(data: bytes) -> bytes:
    """Source bytes without the comments, and without the blanks before them; all else stands where it stood.

    The first two lines stay as they are if they may declare the encoding. CR LF and lone CR become LF, as in `decode`.
    """
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"#" not in data:
        return data
    head = data.find(b"\n", data.find(b"\n") + 1) + 1 or len(data)
    kept = head if b"coding" in data[:head] else 0
    found = _regular_comments(data)
    if found is None:
        found = [match.span() for match in _STRING_OR_COMMENT.finditer(data) if data[match.start()] == _COMMENT]
    pieces: list[bytes] = []
    end = 0
    for start, stop in found:
        if start >= kept and not _in_field(data, start):
            pieces.append(data[end:start].rstrip(b" \t"))
            end = stop
    return b"".join([*pieces, data[end:]])


_SPANS = re.compile(rb"[\n\r#]|[ \t]\Z")
"""What may be left of lines and of comments in a text: blanks before a comment go with it."""


def is_plain(data: bytes) -> bool:
    """Whether source bytes are certain to be decoded, each to the character of its number."""
    return data.isascii() and b"\0" not in data and b"coding" not in data[: data.find(b"\n", data.find(b"\n") + 1) + 1 or len(data)]


def contains_plainly(data: bytes, text: str) -> bool | None:
    """Whether a text stands in the code of a file, as far as a look at its bytes tells, which need not be searched for comments then:
    it does not where they lack it, and it does on a line without a `#` before it. None if that does not tell."""
    part = text.encode("utf-8", "surrogatepass")
    if not is_plain(data) or _SPANS.search(part) is not None:
        return None
    at = data.find(part)
    if at < 0:
        return False
    while at >= 0:
        if b"#" not in data[data.rfind(b"\n", 0, at) + 1 : at]:
            return True
        at = data.find(part, at + 1)
    return None


def _in_field(data: bytes, mark: int) -> bool:
    """Whether a `#` may stand in a field of a formatted string, which may hold the string's own quotes from Python 3.12 on:
    `f"{names["#"]}"`. Then it is left alone."""
    before = data[data.rfind(b"\n", 0, mark) + 1 : mark]
    return before.count(b"{") > before.count(b"}") and _FORMATTED.search(before) is not None


def _regular_comments(data: bytes) -> list[tuple[int, int]] | None:
    """Where the comments of a file are, found in half the time: only the lines that hold a `#` and the quotes of long strings are
    looked at. None where these do not tell, for a string goes on after a backslash, or holds quotes of another."""
    find = data.find
    found: list[tuple[int, int]] = []
    at, double, single, mark = 0, find(b'"""'), find(b"'''"), find(b"#")
    while mark >= 0:
        double = find(b'"""', at) if 0 <= double < at else double
        single = find(b"'''", at) if 0 <= single < at else single
        triple = double if single < 0 or 0 <= double < single else single
        next_ = triple if 0 <= triple < mark else mark
        line = data.rfind(b"\n", at, next_) + 1
        head = data[line or at : next_]
        if line and data[line - 2] == _BACKSLASH:
            return None
        if next_ == triple:
            at = find(data[triple : triple + 3], triple + 3) + 3
            if at < 3 or data[at - 4] == _BACKSLASH or b"'" in head or b'"' in head:
                return None
        else:
            at = stop = stop if (stop := find(b"\n", mark)) >= 0 else len(data)
            if b"'" in head or b'"' in head:
                if 0 <= triple < stop or data[stop - 1] == _BACKSLASH:
                    return None
                quoted = _STRING_OR_COMMENT.finditer(data, mark - len(head), stop)
                found += [match.span() for match in quoted if data[match.start()] == _COMMENT]
            else:
                found.append((mark, stop))
        mark = find(b"#", at) if mark < at else mark
    return found
