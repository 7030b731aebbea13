"""Readings of free memory on one platform without the emptied cache that the function's other platforms see to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

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
    """`reading` is taken without `care`, which `asked` (a parameter) asks for and which is taken where `device` is another."""

    asked: str
    care: Location
    reading: Location


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
    reading: list[tuple[int, str, Location, str]] = []
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
            branch = _branch(file, index)
            for root in file.statement(index).expressions() if branch is not None else ():
                for node in ir.walk(root):
                    if (
                        branch is not None
                        and isinstance(node, ir.Call)
                        and isinstance(node.func, ir.Attribute)
                        and node.func.attr in _READS
                    ):
                        reading.append((branch[0], branch[1], Location(file, index, node.span), dotted(node.func.base) or ""))
    for (asked, variable), care in cared.items():
        for branch_at, by, location, module in reading:
            if by != variable or branch_at in caring or not module or is_aside(file, location.statement):
                continue
            if any(asked in file.own_text(one) for one in file.outline.inside(branch_at, "body")):
                continue
            if next(facts.program.files.containing("empty_cache", f"{module}.empty_cache("), None) is not None:
                yield CarelessBranch(asked, care, location)


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
