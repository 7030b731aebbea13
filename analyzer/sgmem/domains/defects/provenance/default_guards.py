"""Settings that are changed where they have their default, as if a user who gives that number had given none."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.aside import is_aside
from sgmem.program.entities import Class
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_TEXT = r"(?:==|\bis) +\(?[A-Z]\w*\.[a-z_]\w*"
_OF_MEMORY = re.compile(
    r"(?:^|_)(?:mem|memory|cache|offload|tokens?|page|pool|kv|requests?|reqs|prealloc|reserved?|bs|gb|mb|bytes)(?:_|$)"
)


class DefaultGuard(msgspec.Struct, frozen=True):
    """`test` asks whether the setting `name` has its `default`, and `change` replaces it then."""

    name: str
    default: str
    declared: Location
    test: Location
    change: Location


def default_guards(program: Program) -> Iterator[DefaultGuard]:
    """Every change of a number about memory under a comparison with the default that its record declares."""
    for path in program.files.with_text(_TEXT, begins=("== ", "is ")):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind != "if" or not re.search(_TEXT, file.own_text(index)) or is_aside(file, index):
                continue
            test = file.test(index)
            for node in ir.walk(test) if test is not None else ():
                name, owner = _compared(node)
                if not _OF_MEMORY.search(name):
                    continue
                declared = _default(program, owner, name)
                change = _change(file, index, name) if declared is not None else None
                if declared is not None and change is not None:
                    yield DefaultGuard(name, declared[1], declared[0], Location(file, index, node.span), change)


def _compared(node: Expr) -> tuple[str, str]:
    """`args.limit == Settings.limit`: the setting and the class; nothing for anything else."""
    if isinstance(node, ir.Compare) and node.operators in (("==",), ("is",)) and len(node.operands) == 2:
        for left, right in (node.operands, node.operands[::-1]):
            if isinstance(left, ir.Attribute) and isinstance(right, ir.Attribute) and left.attr == right.attr:
                if isinstance(right.base, ir.Name) and right.base.id[:1].isupper() and not right.base.id.isupper():
                    return left.attr, right.base.id
    return "", ""


def _default(program: Program, owner: str, name: str) -> tuple[Location, str] | None:
    """Where a record of that name declares the field with a number, and the number."""
    for path in program.files.defining(owner):
        file = program.files.get(path)
        for index in sorted(file.mentions(name)) if file is not None else ():
            if file is None or file.outline.statements[index].kind not in ("annotate", "assign"):
                continue
            scope = file.outline.statements[index].scope
            if file.scope(scope).kind != "class" or file.scope(scope).name != owner:
                continue
            for binding in file.statement(index).bindings:
                value = binding.value
                if isinstance(binding.target, ir.Name) and binding.target.id == name and isinstance(value, ir.Const):
                    if isinstance(value.value, int | float) and not isinstance(value.value, bool):
                        if program.classes.is_record(Class(file, scope)):
                            return of_statement(file, index), value.text
    return None


def _change(file: File, index: int, name: str) -> Location | None:
    """The statement in the body of an `if` that gives a setting another value: in its record, under its name as a key or keyword."""
    for at in file.outline.inside(index, "body"):
        lowered = file.statement(at)
        for binding in lowered.bindings:
            target = binding.target
            key = target.index if isinstance(target, ir.Subscript) else None
            if (isinstance(target, ir.Attribute) and target.attr == name) or (isinstance(key, ir.Const) and key.value == name):
                return of_statement(file, at)
        for root in lowered.expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Call) and any(argument.keyword == name for argument in node.args):
                    return of_statement(file, at)
    return None
