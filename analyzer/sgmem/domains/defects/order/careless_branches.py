"""Readings of free memory on one platform that leave out what the function's other platforms see to: the emptied cache, or which device
is meant."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.file import File

_EMPTIES = re.compile(r"\bempty_\w*cache\w*\(")
_TEXT = r"\bempty_\w*cache\w*\("
_READS = frozenset({"mem_get_info"})
_READING = re.compile(rf"\b(?:{'|'.join(_READS)})\(")


class CarelessBranch(msgspec.Struct, frozen=True):
    """`reading` is taken without `care`, which `asked` (a parameter) asks for and other platforms take; or it reads the `device` that
    happens to be the current one, where another platform reads the one that the parameter names.
    """

    asked: str
    care: Location
    reading: Location
    what: Literal["cache", "device"] = "cache"


class _Reading(msgspec.Struct, frozen=True):
    branch: int
    variable: str
    location: Location
    module: str
    arguments: frozenset[str]


def careless_branches(facts: ProgramFacts) -> Iterator[CarelessBranch]:
    """Every reading on one platform before which nothing empties its cache, although the program does so elsewhere."""
    for path in facts.program.files.with_text(_TEXT, begins=("empty_",)):
        file = facts.program.files.get(path) if facts.program.files.text_has(path, _READING) else None
        for scope in sorted({row.scope for row in file.outline.statements}) if file is not None else ():
            if file is not None and file.scope(scope).kind == "function":
                yield from _in_function(facts, file, scope)


def _in_function(facts: ProgramFacts, file: File, scope: int) -> Iterator[CarelessBranch]:
    rows = file.outline.statements
    cared: dict[tuple[str, str], Location] = {}
    caring: set[int] = set()
    readings: list[_Reading] = []
    for index in file.own_statements(scope):
        text = file.own_text(index)
        if rows[index].kind == "expression" and _EMPTIES.search(text):
            parent = rows[index].parent
            test = file.test(parent) if parent >= 0 and rows[index].block == "body" else None
            branch = _branch(file, index)
            caring |= {branch[0]} if branch is not None else set()
            if isinstance(test, ir.Name) and branch is not None:
                cared.setdefault((test.id, branch[1]), of_statement(file, index))
        elif rows[index].kind == "assign" and _READING.search(text):
            readings += _readings(file, index)
    yield from _uncached(facts, file, readings, cared, caring)
    yield from _of_other_devices(file, scope, readings)


def _readings(file: File, index: int) -> Iterator[_Reading]:
    """The readings of a statement that stands in one branch of a choice."""
    branch = _branch(file, index)
    for root in file.statement(index).expressions() if branch is not None else ():
        for node in ir.walk(root):
            if branch is not None and isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and node.func.attr in _READS:
                given = frozenset(one.value.id for one in node.args if isinstance(one.value, ir.Name))
                yield _Reading(branch[0], branch[1], Location(file, index, node.span), dotted(node.func.base) or "", given)


def _uncached(
    facts: ProgramFacts, file: File, readings: list[_Reading], cared: dict[tuple[str, str], Location], caring: set[int]
) -> Iterator[CarelessBranch]:
    for (asked, variable), care in cared.items():
        for one in readings:
            if one.variable != variable or one.branch in caring or not one.module or is_aside(file, one.location.statement):
                continue
            if any(asked in file.own_text(at) for at in file.outline.inside(one.branch, "body")):
                continue
            if next(facts.program.files.containing("empty_cache", f"{one.module}.empty_cache("), None) is not None:
                yield CarelessBranch(asked, care, one.location)


def _of_other_devices(file: File, scope: int, readings: list[_Reading]) -> Iterator[CarelessBranch]:
    """Readings of whichever device is current, in a branch that knows by a parameter which one is meant; of each branch the first."""
    parameters = {parameter.name for parameter in file.scope(scope).parameters}
    told: set[int] = set()
    for one in readings:
        if one.branch in told or not one.location.code.endswith("()") or is_aside(file, one.location.statement):
            continue
        texts = [file.own_text(at) for at in file.outline.inside(one.branch, "body")]
        for other in readings:
            meant = sorted(other.arguments & parameters)
            known = [name for name in meant if any(name in text and f"{one.module}." in text for text in texts)]
            if other.variable == one.variable and other.branch != one.branch and known:
                told.add(one.branch)
                yield CarelessBranch(known[0], other.location, one.location, "device")
                break


def _branch(file: File, index: int) -> tuple[int, str] | None:
    """The branch of a choice by a variable (`device == "npu"`) in which a statement stands, and the variable."""
    rows = file.outline.statements
    while index >= 0 and rows[index].parent >= 0:
        parent = rows[index].parent
        test = file.test(parent) if rows[index].block == "body" else None
        if isinstance(test, ir.Compare) and test.operators == ("==",) and isinstance(test.operands[1], ir.Const):
            variable = dotted(test.operands[0])
            if variable is not None:
                return parent, variable
        index = parent
    return None
