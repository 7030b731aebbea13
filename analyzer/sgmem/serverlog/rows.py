"""The rows of `quantities.toml`: which printed value is which quantity."""

from __future__ import annotations

import re
import tomllib
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from importlib import resources

import msgspec

from sgmem.serverlog.patterns import FieldPattern, Pattern


class _Row(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    heads: tuple[str, ...] = ()
    unless: tuple[str, ...] = ()
    why: str = ""

    @cached_property
    def _wanted(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.heads))

    @cached_property
    def _unwanted(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.unless))

    def allows(self, message: str) -> bool:
        """Whether the message around the value is of the right sort."""
        wanted = not self.heads or any(one.search(message) for one in self._wanted)
        return wanted and not self.refuses(message)

    def refuses(self, message: str) -> bool:
        return any(one.search(message) for one in self._unwanted)


class QuantityRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A quantity told by the words before the value or by the printed variable's own name."""

    kind: str
    labels: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    @cached_property
    def _labels(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(rf"(?:{label})[^A-Za-z0-9]*$") for label in self.labels)

    def proof(self, label: str, name: str, message: str) -> str:
        """How the row knows the value: "label", "name", or "" where it does not."""
        if not self.allows(message):
            return ""
        if any(one.search(label) for one in self._labels):
            return "label"
        last = name.rpartition(".")[2]
        return "name" if any(fnmatchcase(last, one) for one in self.names) else ""


class StageRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A stage of the start-up: by an event on one side of the logging call, or by the message."""

    stage: str
    event: str = ""
    side: str = ""


class MarkRow(_Row, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message without a value that matters."""

    kind: str
    texts: tuple[str, ...]

    @cached_property
    def _texts(self) -> tuple[re.Pattern[str], ...]:
        return tuple(map(re.compile, self.texts))

    def matches(self, text: str) -> bool:
        return self.allows(text) and any(one.search(text) for one in self._texts)


class FieldRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    label: str
    kind: str


class PatternRow(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A message that does not come from the analysed program."""

    head: str
    fields: tuple[FieldRow, ...]
    mark: str = ""


class Rows(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    fraction: str
    """The field that holds the share of memory for weights and pools."""
    quantity: tuple[QuantityRow, ...]
    stage: tuple[StageRow, ...]
    mark: tuple[MarkRow, ...]
    pattern: tuple[PatternRow, ...]

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        """The messages of others, as patterns."""
        return tuple(
            Pattern(row.head, tuple(FieldPattern(one.label, one.kind) for one in row.fields), row.mark) for row in self.pattern
        )


@lru_cache(maxsize=1)
def rows() -> Rows:
    """The shipped rows."""
    text = resources.files("sgmem.serverlog").joinpath("quantities.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Rows)
