"""Counts that are called one rank's and are those of all ranks: multiplied by how many there are, or taken from a configuration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.ranks.groups import spelled
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.models.rows import CountRow
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_PART = re.compile(r"(?:per_rank|per_partition|per_worker|num_local)\w*\s*=(?!=)")
_WORD = re.compile(r"[A-Za-z_]\w*")
_SHARED = re.compile(r"\s*\)?\s*//")
_KEEPS = re.compile(r"^(?:max|min|int|round)$|align|round|ceil")
"""Functions that give one of their arguments, or a rounded one."""
_IS_PART = re.compile(r"per_rank|per_partition|per_worker|num_local")
_CONFIG = re.compile(r"config|_args|(?:^|\.)(?:args|cfg)$|^get_\w+$")
_TOTAL = re.compile(r"^total_|_total$|^global_")


class MisnamedPart(msgspec.Struct, frozen=True):
    """`value` is called `name`, one rank's `things`, and counts those of all ranks; `whole` shows it: a group's size, or a config."""

    name: str
    things: str
    value: Location
    whole: Location
    group: str | None


def misnamed_parts(program: Program, groups: Groups, counts: Counts) -> Iterator[MisnamedPart]:
    """The names of parts that hold the whole."""
    for path in program.files.with_text(_IS_PART.pattern, words=_IS_PART.pattern):
        found = program.files.scanned(path, _parts_in)
        file = program.files.get(path) if any(_may_count(one, counts) for one in found if isinstance(one, str)) else None
        if file is None:
            continue
        for offset in (one for one in found if isinstance(one, int)):
            statement = file.statement_at(*file.source.position(offset))
            if statement >= 0:
                yield from _in_statement(file, statement, groups, counts)


@Scan
def _parts_in(text: str) -> list[int | str]:
    """Where the names of parts are given something, each with what that is: the rest of the line, or the next ones behind a bracket."""
    found: list[int | str] = []
    for match in _PART.finditer(text):
        end = text.find("\n", match.end())
        given = text[match.end() : end if end >= 0 else len(text)]
        if given.rstrip().endswith("("):
            given = text[match.end() : match.end() + 160]
        found += [match.start(), given]
    return found


def _may_count(given: str, counts: Counts) -> bool:
    """Whether what is given may be a count as it is: a division would show."""
    if "divide(" in given:
        return False
    words = (word for word in _WORD.finditer(given) if _SHARED.match(given, word.end()) is None)
    return any(row is not None and row.by for row in (counts.named(word[0]) for word in words))


def _in_statement(file: File, statement: int, groups: Groups, counts: Counts) -> Iterator[MisnamedPart]:
    for binding in file.statement(statement).bindings:
        name = spelled(binding.target)
        if binding.value is None or binding.how != "assign" or not _IS_PART.search(name):
            continue
        found = _whole(binding.value, file, statement, groups, counts)
        if found is not None:
            row, at, group = found
            yield MisnamedPart(name, row.things, Location(file, statement, binding.value.span), at, group)


def _whole(value: Expr, file: File, statement: int, groups: Groups, counts: Counts) -> tuple[CountRow, Location, str | None] | None:
    """Why a value counts the things of all ranks; None where it need not."""
    if isinstance(value, ir.Binary) and value.operator == "*":
        for count, size in ((value.left, value.right), (value.right, value.left)):
            row, of = counts.of(count), groups.size(size, file, statement)
            if row is not None and of and of <= set(row.by):
                return row, Location(file, statement, size.span), next(iter(of))
    match value:
        case ir.Conditional(body=body, orelse=orelse):
            return _whole(body, file, statement, groups, counts) or _whole(orelse, file, statement, groups, counts)
        case ir.Call(args=args) if _KEEPS.search(spelled(value)):
            given = (_whole(argument.value, file, statement, groups, counts) for argument in args)
            return next((found for found in given if found is not None), None)
        case ir.Name() | ir.Attribute():
            row = counts.named(spelled(value))
            whole = row is not None and row.by and not row.part and not _IS_PART.search(spelled(value))
            if row is not None and whole and (_is_of_config(value) or _TOTAL.search(spelled(value))):
                return row, Location(file, statement, value.span), None
    return None


def _is_of_config(value: Expr) -> bool:
    """Whether a count belongs to a configuration, or to the record that an accessor gives."""
    if not isinstance(value, ir.Attribute):
        return False
    base = value.base.func if isinstance(value.base, ir.Call) else value.base
    return _CONFIG.search(dotted(base) or "") is not None
