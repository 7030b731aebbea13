"""What may be handed to libcst: its native parser overflows its stack on deep nesting and long operator chains, which ends the
process, and needs minutes where both are long. The text is judged before it is parsed."""

from __future__ import annotations

import re

MAX_LENGTH = 60_000
MAX_NESTING = 120
MAX_OPERATORS = 400
MAX_DEPTH = 1_300
"""Brackets and operators around one place, each bracket counted `_BRACKET` times."""
MAX_PATTERN_NESTING = 6
"""libcst reads nested match patterns in time exponential in their depth."""
MAX_FILE_LENGTH = 4_000_000
MAX_ELIFS = 3_500

_BRACKET = 8
_OPERATORS = "+-*/%|&^@<>=~."
_WORDS = ("and", "or", "not", "if", "lambda", "await")

_CODE = re.compile(r"#[^\n]*|\\\n|\w+|[(\[{]|[)\]}]|,|\n|:|!=?|['\"]|[-+*/%|&^@<>=~.]+")
_PREFIX = re.compile(r"[bfrtu]|[bft]r|r[bft]", re.IGNORECASE)
_REST = {
    quote: re.compile(rf"(?:[^\\{'' if len(quote) == 3 else chr(92) + 'n' + quote}]|\\.)*?{quote}", re.DOTALL)
    for quote in ("'", '"', "'''", '"""')
}
_FORMAT = re.compile(r"\\N\{[^}]*\}|\\[^{}]|\{\{|\}\}|[{}]|\n|'''|\"\"\"|['\"]", re.DOTALL)
_SPECIFICATION = re.compile(r"[{}]|\n|'''|\"\"\"|['\"]")
_COUNTED = frozenset(("and", "or", "not", "if", "lambda", "await", "for", "in", "is"))


def parsable(text: str) -> bool:
    """Whether a slice of a file, a statement or an expression, may be handed to libcst's native parser."""
    if len(text) > MAX_LENGTH:
        return False
    if len(text) < MAX_NESTING:
        return True
    brackets = text.count("(") + text.count("[") + text.count("{")
    if brackets <= MAX_NESTING:
        if len(text) <= MAX_OPERATORS:
            return True
        operators = sum(map(text.count, _OPERATORS)) + sum(map(text.count, _WORDS))
        if brackets + operators <= MAX_OPERATORS:
            return True
    return _Scan(text).within_limits()


def parsable_pattern(text: str) -> bool:
    """Whether a match pattern may be handed to libcst's native parser."""
    return parsable(text) and _Scan(text).deepest(MAX_PATTERN_NESTING) <= MAX_PATTERN_NESTING


def parsable_file(text: str) -> bool:
    """Whether a whole file may be handed to libcst's native parser."""
    if len(text) > MAX_FILE_LENGTH or text.count("elif") > MAX_ELIFS:
        return False
    return _Scan(text, whole=True).within_limits()


class _Frame:
    """A bracket, an f-string's literal part or the expression in its braces; the operators since its last comma."""

    __slots__ = ("kind", "operators", "quote")

    def __init__(self, kind: str, quote: str = "") -> None:
        self.kind = kind
        self.quote = quote
        self.operators = 0


class _Irregular(Exception):
    """Unbalanced brackets or an endless string."""


class _Scan:
    """Reads a text token by token, strings and comments aside, and measures how deep a recursive parser would go.

    An f-string's expressions are code, also where they hold their own kind of quote (PEP 701), as libcst reads them.
    """

    def __init__(self, text: str, *, whole: bool = False) -> None:
        self.text = text
        self.whole = whole
        self.position = 0
        self.frames = [_Frame("file")]
        self.depth = 0
        self.nesting = 0
        self.at_start = True
        self.in_case = False

    def within_limits(self) -> bool:
        try:
            while self._advance():
                if self.frames[-1].operators > MAX_OPERATORS or len(self.frames) > MAX_NESTING + 1:
                    return False
                if self.depth > MAX_DEPTH or (self.in_case and len(self.frames) > MAX_PATTERN_NESTING + 1):
                    return False
        except _Irregular:
            return False
        return len(self.frames) == 1

    def deepest(self, limit: int) -> int:
        """The deepest nesting of brackets; one more than `limit` where that is exceeded or the text is irregular."""
        try:
            while self._advance() and self.nesting <= limit:
                pass
        except _Irregular:
            return limit + 1
        return self.nesting

    def _advance(self) -> bool:
        """Read one token; False at the end."""
        frame = self.frames[-1]
        if frame.kind == "literal":
            return self._literal(frame)
        if frame.kind == "specification":
            return self._specification(frame)
        found = _CODE.search(self.text, self.position)
        if found is None:
            return False
        token = found.group()
        self.position = found.end()
        self._code(token, frame)
        return True

    def _code(self, token: str, frame: _Frame) -> None:
        first = token[0]
        if first in "'\"":
            self._string("", first)
        elif first.isalnum() or first == "_":
            self._word(token)
        elif first in "([{":
            self._count(1)
            self._push(_Frame(token))
        elif first in ")]}":
            self._close(token)
        elif first == ",":
            self.depth -= frame.operators
            frame.operators = 0
        elif first == "\n":
            self._newline()
        elif frame.kind == "expression" and first == ":":
            self._push(_Frame("specification", frame.quote))
        elif token != "=" and (first in _OPERATORS or token == "!="):  # assignments and keywords nest nothing
            self._count(len(token))

    def _word(self, word: str) -> None:
        if self.whole and self.at_start and len(self.frames) == 1:
            self.in_case = word == "case"
        self.at_start = False
        following = self.text[self.position : self.position + 1]
        if following and following in "'\"" and _PREFIX.fullmatch(word):
            self.position += 1
            self._string(word.lower(), following)
        elif word in _COUNTED:
            self._count(1)

    def _newline(self) -> None:
        if self.whole and len(self.frames) == 1:
            self.depth -= self.frames[0].operators
            self.frames[0].operators = 0
            self.at_start = True
            self.in_case = False

    def _string(self, prefix: str, quote: str) -> None:
        """Skip a string, or go into an f-string, whose first quote was just read."""
        self.at_start = False
        if self.text.startswith(quote * 2, self.position):
            quote *= 3
            self.position += 2
        if "f" in prefix or "t" in prefix:
            self._push(_Frame("literal", quote))
            return
        rest = _REST[quote].match(self.text, self.position)
        if rest is None:
            raise _Irregular
        self.position = rest.end()

    def _literal(self, frame: _Frame) -> bool:
        found = _FORMAT.search(self.text, self.position)
        if found is None:
            raise _Irregular
        token = found.group()
        if token[0] in "'\"":
            self._quote(frame, token, found.start())
            return True
        self.position = found.end()
        if token == "{":
            self._push(_Frame("expression", frame.quote))
        elif token == "\n" and len(frame.quote) == 1:
            raise _Irregular
        return True

    def _quote(self, frame: _Frame, token: str, start: int) -> None:
        """A quote inside an f-string's literal part: its end, or text."""
        if self.text.startswith(frame.quote, start):
            self.position = start + len(frame.quote)
            self._pop()
        else:
            self.position = start + 1

    def _specification(self, frame: _Frame) -> bool:
        found = _SPECIFICATION.search(self.text, self.position)
        if found is None:
            raise _Irregular
        token = found.group()
        self.position = found.end()
        if token == "{":
            self._push(_Frame("expression", frame.quote))
        elif token == "}":
            self._pop()
            self._close("}")
        elif token == "\n" and len(frame.quote) == 1:
            raise _Irregular
        elif token[0] in "'\"":
            if self.text.startswith(frame.quote, found.start()):
                raise _Irregular
            self.position = found.start() + 1
        return True

    def _close(self, token: str) -> None:
        kind = self.frames[-1].kind
        if kind != {")": "(", "]": "[", "}": "{"}[token] and not (kind == "expression" and token == "}"):
            raise _Irregular
        self._pop()

    def _count(self, operators: int) -> None:
        self.frames[-1].operators += operators
        self.depth += operators

    def _push(self, frame: _Frame) -> None:
        self.frames.append(frame)
        self.depth += _BRACKET
        self.nesting = max(self.nesting, len(self.frames) - 1)

    def _pop(self) -> None:
        frame = self.frames.pop()
        self.depth -= _BRACKET + frame.operators
