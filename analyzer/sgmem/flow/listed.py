"""Fields read by names from a list: `{name: getattr(record, name) for name in NAMES}` with `NAMES = ["size", ...]`."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from sgmem.flow.occurrences import Grade, Occurrences
from sgmem.flow.places import GlobalVariable, Place
from sgmem.program.contexts import occurs, quoted
from sgmem.program.files import File, dotted
from sgmem.program.program import Program
from sgmem.syntax import ir
from sgmem.syntax.ir import Expr


class ListedRead(msgspec.Struct, frozen=True):
    """`getattr(record, name)` in a comprehension whose `name` runs over a list that holds the field's name; `owner` is the field."""

    file: File
    statement: int
    node: ir.Call
    ancestors: tuple[Expr, ...]
    owner: Place
    grade: Grade


def listed_reads(program: Program, occurrences: Occurrences, name: str) -> Iterator[ListedRead]:
    """Every such read of a field called `name`."""
    for file in program.files.mentioning(name, quoted):
        for index in file.mentions(name):
            if not occurs(file.own_text(index), name, quoted):
                continue
            for binding in file.statement(index).bindings:
                if isinstance(binding.target, ir.Name) and _holds(binding.value, name) and file.outline.statements[index].scope == 0:
                    for seen in occurrences.reads(binding.target.id):
                        if seen.place == GlobalVariable(file, binding.target.id):
                            yield from _reads(occurrences, name, seen.file, seen.statement, seen.node, seen.ancestors)
            for root in file.statement(index).expressions():
                for node, ancestors in ir.paths(root):
                    if _holds(node, name):
                        yield from _reads(occurrences, name, file, index, node, ancestors)


def _holds(display: Expr | None, name: str) -> bool:
    """A display of literal names that holds `name`."""
    return isinstance(display, ir.Collection) and any(isinstance(item, ir.Const) and item.value == name for item in display.items)


def _reads(
    occurrences: Occurrences, name: str, file: File, statement: int, names: Expr, ancestors: tuple[Expr, ...]
) -> Iterator[ListedRead]:
    """The reads by a comprehension or a `for` that runs over `names`."""
    loop = ancestors[-1] if ancestors else None
    if not isinstance(loop, ir.Comprehension):
        yield from _reads_in_for(occurrences, name, file, statement, names)
        return
    running = {clause.target.id for clause in loop.clauses if clause.iterable is names and isinstance(clause.target, ir.Name)}
    scope = file.outline.statements[statement].scope
    for node, inner in ir.paths(loop):
        if isinstance(node, ir.Call) and dotted(node.func) == "getattr" and len(node.args) >= 2:
            key = node.args[1].value
            if isinstance(key, ir.Name) and key.id in running:
                for owner, grade in occurrences.fields(node.args[0].value, name, file, scope):
                    yield ListedRead(file, statement, node, (*ancestors[:-1], *inner), owner, grade)


def _reads_in_for(occurrences: Occurrences, name: str, file: File, statement: int, names: Expr) -> Iterator[ListedRead]:
    """The reads in the statements of a `for` whose variable runs over `names`."""
    bindings = file.statement(statement).bindings
    running = {b.target.id for b in bindings if b.how == "iterate" and b.value is names and isinstance(b.target, ir.Name)}
    end = file.outline.statements[statement].span.end_line
    for index in file.mentions("getattr") if running else ():
        row = file.outline.statements[index]
        if not (index > statement and row.span.line <= end):
            continue
        for root in file.statement(index).expressions():
            for node, ancestors in ir.paths(root):
                if isinstance(node, ir.Call) and dotted(node.func) == "getattr" and len(node.args) >= 2:
                    key = node.args[1].value
                    if isinstance(key, ir.Name) and key.id in running:
                        for owner, grade in occurrences.fields(node.args[0].value, name, file, row.scope):
                            yield ListedRead(file, index, node, ancestors, owner, grade)


def runs_past(program: Program, file: File, scope: int, key: Expr, name: str) -> bool:
    """Whether a variable runs over literal names only, and `name` is none of them."""
    if not isinstance(key, ir.Name):
        return False
    given = [b for i in program.names.bindings(file, scope, key.id) for b in file.statement(i).bindings if dotted(b.target) == key.id]
    return bool(given) and all(b.how == "iterate" and _is_listing(b.value) and not _holds(b.value, name) for b in given)


def _is_listing(display: Expr | None) -> bool:
    """A display of nothing but literal names."""
    return isinstance(display, ir.Collection) and all(isinstance(i, ir.Const) and isinstance(i.value, str) for i in display.items)
