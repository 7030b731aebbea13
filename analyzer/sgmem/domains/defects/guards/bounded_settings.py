"""What else is done to settings: `min` cuts a count, `max` lifts a limit; and which settings say how a cache is laid out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

from sgmem.domains.accounting.location import last_name
from sgmem.flow.places import Field
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from sgmem.domains.accounting.decisions import Decision
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.syntax.ir import Expr

_LAYOUT = r"(?:_cache_dtype|_tokens_ratio|_memory_ratio)[\"']?\]?\s*[=:]\s*[\"'\d(]"
_WRITTEN = re.compile(r"(?<=[.\"'(\s])(\w+(?:_cache_dtype|_tokens_ratio|_memory_ratio))[\"']?\]?\s*[=:]\s*[\"'\d(]", re.ASCII)
_COUNTED = re.compile(
    r"\bself\.((?:max|num)_\w+|\w+_num_\w+)[ \t]*=[ \t]*(?:\d|self\.)"
    r"|\bself\.(\w+)[ \t]*(?:\*=|//?=|=[ \t]*self\.\2[ \t]*(?:\*|//?)[ \t])",
    re.ASCII,
)
Bound = Literal["capped", "raised"]


def bound(facts: ProgramFacts, decision: Decision, name: str) -> Bound | None:
    """How a setting, or a copy under its name, is bounded: what the user gave is in the value.

    Cut to a constant, in place; or lifted to at least something that is no constant: a constant keeps a value possible, another
    quantity takes its place.
    """
    value = decision.value
    if not isinstance(value, ir.Call) or last_name(value) not in ("min", "max") or len(value.args) < 2:
        return None
    given = [argument.value for argument in value.args if argument.keyword is None and not argument.star]
    if len(given) < len(value.args):
        return None
    if last_name(value) == "min":
        rest = [one for one in given if not (isinstance(one, ir.Attribute) and one.attr == name)]
        return "capped" if len(rest) < len(given) and all(isinstance(one, ir.Const) for one in rest) else None
    others = [one for one in given if not any(isinstance(node, ir.Attribute) and node.attr == name for node in ir.walk(one))]
    if len(others) == len(given) or not any(isinstance(one, ir.Attribute) for one in others):
        return None
    read = facts.occurrences.reads_in_statement(decision.file, decision.statement, name)
    records = (seen.place.owner for seen in read if isinstance(seen.place, Field) and seen.grade != "name")
    return "raised" if any(facts.program.classes.is_record(owner) for owner in records) else None


def layouts(facts: ProgramFacts) -> Mapping[str, tuple[str, ...]]:
    """The settings of what a token takes, or of how pools share a budget, that are written as constants: by name, where."""
    found: dict[str, dict[str, None]] = {}
    for path in facts.program.files.with_text(_LAYOUT):
        for name in facts.program.files.scanned(path, _layouts_in):
            found.setdefault(name, {})[path] = None
    return {name: tuple(paths) for name, paths in sorted(found.items())}


def others(facts: ProgramFacts) -> Mapping[str, tuple[str, ...]]:
    """The other settings that a file with options replaces, where they are counts, or scales: by name, where."""
    found: dict[str, dict[str, None]] = {}
    for path in facts.program.files.with_text(r"\.add_argument\(", begins=(".add_argument(",)):
        for name in facts.program.files.scanned(path, _counted_in):
            if name not in facts.quantities.paths:
                found.setdefault(name, {})[path] = None
    return {name: tuple(paths) for name, paths in sorted(found.items())}


@Scan
def _counted_in(text: str) -> list[str]:
    return list(dict.fromkeys(one or other for one, other in _COUNTED.findall(text)))


@Scan
def _layouts_in(text: str) -> list[str]:
    return list(dict.fromkeys(_WRITTEN.findall(text)))


def is_layout(value: Expr | None) -> bool:
    """Whether a value is the name of an element type, or one of two: "auto" leaves the choice open."""
    if isinstance(value, ir.Conditional):
        return is_layout(value.body) and is_layout(value.orelse)
    return isinstance(value, ir.Const) and isinstance(value.value, str) and value.value not in ("", "auto")


def is_off(value: Expr | None) -> bool:
    """Whether a value is -1, by which settings are switched off."""
    if isinstance(value, ir.Unary) and value.operator == "-":
        return isinstance(value.operand, ir.Const) and value.operand.value == 1
    return isinstance(value, ir.Const) and value.value == -1
