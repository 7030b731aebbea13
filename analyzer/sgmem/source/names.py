"""File names as text that can be printed, stored and sent anywhere."""

from __future__ import annotations

import os
import re

_PLAIN = re.compile(r"[\w./+-]*", re.ASCII)
# Control characters, halves of surrogate pairs (bytes that are no UTF-8), line and direction marks, the escape itself.
_UNSAFE = re.compile("[\\\\\x00-\x1f\x7f-\x9f\ud800-\udfff\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def printable(name: str) -> str:
    """`name` with what cannot be shown as `\\xNN` or `\\uNNNN`; names stay distinct, for a backslash is doubled."""
    if _PLAIN.fullmatch(name):
        return name
    return _UNSAFE.sub(_escape, name)


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if character == "\\":
        return "\\\\"
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}"


def uri_reference(path: str) -> str:
    """A path, as the system spells it, as a URI reference: percent-encoded, forward slashes."""
    if _PLAIN.fullmatch(path):
        return path
    from urllib.parse import quote

    drive, rest = os.path.splitdrive(path)
    encoded = quote(os.fsencode(rest.replace(os.sep, "/")), safe="/+@,;=~!$&'()*")
    return f"file:///{drive}{encoded}" if drive else encoded
