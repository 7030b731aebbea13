"""Lists of a record of settings that are changed in place through another name for them."""

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

    from sgmem.domains.accounting.options import Options
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_LISTS = "(?:bs|sizes|batches|buckets|lens|lengths)"
_RECORDS = ("args", "config", "settings")
_TEXT = rf"(?m)(?:{'|'.join(_RECORDS)})(?:\(\))?\.(?:\w*_)?{_LISTS}[ \t]*$"
_CHANGES = frozenset({"append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse"})
_LENDS = re.compile(r"(?:args|config|settings)(?:\(\))?\.\w+\s*$")
_ALTERS = re.compile(rf"\+=|\.(?:{'|'.join(sorted(_CHANGES))})\(|\]\s*=(?!=)")
_OF_MEMORY = re.compile(rf"(?:^|_){_LISTS}$")
_RECORD = re.compile(r"(?:args|config|settings)$")


class LentList(msgspec.Struct, frozen=True):
    """`change` alters the list that `name` stands for, which is the very list that `setting` holds since `lent`."""

    name: str
    setting: str
    lent: Location
    change: Location


def lent_lists(program: Program, order: Order, options: Options) -> Iterator[LentList]:
    """Every list about sizes, set by a flag, that a function takes from its record by reference and then changes."""
    for path in program.files.with_text(_TEXT, begins=_RECORDS):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind not in ("assign", "annotate") or not _LENDS.search(file.own_text(index)):
                continue
            if file.scope(row.scope).kind != "function" or is_aside(file, index):
                continue
            for binding in file.statement(index).bindings:
                setting, name = _setting(binding.value), dotted(binding.target)
                if setting is not None and name is not None and isinstance(binding.target, ir.Name | ir.Attribute):
                    change = _change(order, file, row.scope, index, name)
                    if change is not None and options.named(setting.rpartition(".")[2]) is not None:
                        yield LentList(name, setting, of_statement(file, index), change)


def _setting(value: Expr | None) -> str | None:
    """`args.batch_sizes`, `get_args().batch_sizes`: a field of a record of settings."""
    if not isinstance(value, ir.Attribute) or not _OF_MEMORY.search(value.attr):
        return None
    asked = isinstance(value.base, ir.Call)
    record = dotted(value.base.func if isinstance(value.base, ir.Call) else value.base)
    if record is None or not _RECORD.search(record):
        return None
    return f"{record}{'()' if asked else ''}.{value.attr}"


def _change(order: Order, file: File, scope: int, lent: int, name: str) -> Location | None:
    """The first statement that changes the list in place where the name still stands for what was lent."""
    reaching = order.reaching_assignments if "." in name else order.reaching
    for index in sorted(file.mentions_in(scope, name.rpartition(".")[2])):
        if index == lent or not _ALTERS.search(file.own_text(index)):
            continue
        if _alters(file, index, name) and lent in reaching(file, scope, name, index):
            return of_statement(file, index)
    return None


def _alters(file: File, index: int, name: str) -> bool:
    """`name += [one]`, `name[0] = one` or `name.append(one)`."""
    lowered = file.statement(index)
    for binding in lowered.bindings:
        target = binding.target
        if binding.how == "augment" and dotted(target) == name and _is_list(binding.value):
            return True
        if isinstance(target, ir.Subscript) and dotted(target.base) == name:
            return True
    for root in lowered.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and isinstance(node.func, ir.Attribute) and node.func.attr in _CHANGES:
                if dotted(node.func.base) == name:
                    return True
    return False


def _is_list(value: Expr | None) -> bool:
    """A list, or what makes one."""
    if isinstance(value, ir.Call):
        return dotted(value.func) in ("list", "sorted", "range")
    return isinstance(value, ir.Collection | ir.Comprehension)
