"""Tables that are addressed by the slots of a pool and have one row for each of its things, while the slots are counted from one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.aside import is_aside
from sgmem.program.entities import Class
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_ALLOCATES = frozenset({"zeros", "ones", "empty", "full"})
_TEXT = rf"\b(?:{'|'.join(sorted(_ALLOCATES))})\(\s*[(\[]*\s*[\w.]+\.size\b"
_SLOTS = re.compile(r"slots\b\s*(?::[^=\n]{0,40})?=(?!=)[^=;]{0,160}?\+ 1\b")
_NUMBERS = frozenset({"range", "arange"})


class ShortTable(msgspec.Struct, frozen=True):
    """`rows`, as many as `pool` has things, of a table; `numbered` counts the slots from one, so that the last is beyond it. Without a
    pool, `numbered` makes a slot more than there are rows in the same function.
    """

    pool: str
    rows: Location
    numbered: Location


def short_tables(program: Program) -> Iterator[ShortTable]:
    """The tensors that another object allocates with as many rows as such a pool has things."""
    known: dict[str, Location | None] = {}
    for path in program.files.with_text(_TEXT, begins=sorted(f"{one}(" for one in _ALLOCATES)):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind in ("function", "class") or not re.search(_TEXT, file.own_text(index)) or is_aside(file, index):
                continue
            for rows in _rows(file, index):
                pool = spelled(rows.base)
                if pool not in known:
                    known[pool] = _numbered(program, pool)
                numbered = known[pool]
                if numbered is not None:
                    yield ShortTable(pool, Location(file, index, rows.span), numbered)
    for path in program.files.with_text(_SLOTS.pattern, begins=("slots",)):
        file = program.files.get(path)
        if file is not None:
            yield from _beside(file)


def _beside(file: File) -> Iterator[ShortTable]:
    """Tables with a row for each of the things of which the same function makes one more slot: `self.slots = things + 1`."""
    for match in _SLOTS.finditer(file.source.text):
        start = file.source.text.rfind("\n", 0, match.start()) + 1
        at = file.statement_at(file.source.text.count("\n", 0, match.start()) + 1, match.start() - start + 1)
        if at < 0 or is_aside(file, at) or file.outline.statements[at].kind not in ("assign", "annotate"):
            continue
        counted = {
            things for binding in file.statement(at).bindings if binding.value is not None for things in _one_more(binding.value)
        }
        for index in file.own_statements(file.outline.statements[at].scope) if counted else ():
            for rows in _first_dimensions(file, index) if "(" in file.own_text(index) else ():
                if dotted(rows) in counted:
                    yield ShortTable("", Location(file, index, rows.span), of_statement(file, at))


def _one_more(value: Expr) -> Iterator[str]:
    """What a value, or one of its alternatives, is one more than."""
    if isinstance(value, ir.Conditional):
        yield from _one_more(value.body)
        yield from _one_more(value.orelse)
    elif isinstance(value, ir.Boolean):
        for one in value.values:
            yield from _one_more(one)
    elif isinstance(value, ir.Binary) and value.operator == "+" and isinstance(value.right, ir.Const) and value.right.value == 1:
        things = dotted(value.left)
        if things is not None:
            yield things


def _rows(file: File, index: int) -> Iterator[ir.Attribute]:
    """The first dimensions of what a statement allocates that are the size of another object."""
    for first in _first_dimensions(file, index):
        if isinstance(first, ir.Attribute) and first.attr == "size" and not isinstance(first.base, ir.Call):
            yield first


def _first_dimensions(file: File, index: int) -> Iterator[Expr]:
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and last_name(node) in _ALLOCATES and node.args and node.args[0].keyword is None:
                shape = node.args[0].value
                yield shape.items[0] if isinstance(shape, ir.Collection) and shape.items else shape


def _numbered(program: Program, pool: str) -> Location | None:
    """Where every class that a variable's name spells hands out numbers from one to its size."""
    found: list[Location] = []
    for name in program.files.spelled(pool):
        for path in program.files.defining(name):
            file = program.files.get(path)
            for scope in range(len(file.outline.scopes)) if file is not None else ():
                if file is not None and file.scope(scope).kind == "class" and file.scope(scope).name == name:
                    counted = _counts_from_one(program, Class(file, scope))
                    if counted is None:
                        return None
                    found.append(counted)
    return found[0] if found else None


def _counts_from_one(program: Program, owner: Class) -> Location | None:
    """`self.free_slots = list(range(1, size + 1))` in the class, or in the first of its ancestors that numbers anything."""
    for each in program.classes.mro(owner):
        row = each.scope
        for index in sorted({index for word in _NUMBERS for index in each.file.mentions(word)}):
            kind = each.file.outline.statements[index].kind
            if not row.first <= index < row.last or kind not in ("assign", "annotate") or "range(" not in each.file.own_text(index):
                continue
            for binding in each.file.statement(index).bindings:
                if not isinstance(binding.target, ir.Attribute) or binding.value is None:
                    continue
                for node in ir.walk(binding.value):
                    if isinstance(node, ir.Call) and last_name(node) in _NUMBERS and len(node.args) > 1:
                        first, last = node.args[0].value, node.args[1].value
                        if isinstance(first, ir.Const) and first.value == 1 and _is_beyond(program, each, last, 0):
                            return of_statement(each.file, index)
    return None


def _is_beyond(program: Program, owner: Class, last: Expr, depth: int) -> bool:
    """Whether numbers up to, not including, `last` reach the size of the object: it is `size + 1`, or a field that is."""
    if isinstance(last, ir.Binary) and last.operator == "+":
        return any(spelled(one) == "size" for one in (last.left, last.right))
    if isinstance(last, ir.Attribute) and depth < 1:
        values = [
            binding.value
            for method, index in program.classes.stores(owner, last.attr)
            for binding in method.file.statement(index).bindings
            if spelled(binding.target) == last.attr and binding.value is not None
        ]
        return bool(values) and all(_is_beyond(program, owner, value, depth + 1) for value in values)
    return False
