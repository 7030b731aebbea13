"""Shares of a server's count that can be none: requests divided by more ranks than there are requests."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.control.expressions import from_expression
from sgmem.control.implication import implies
from sgmem.control.predicates import Atom, negate
from sgmem.domains.accounting.location import Location
from sgmem.domains.algebra import arithmetic
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

THINGS = frozenset({"requests", "states"})
"""What a user gives so few of that some rank may get none, and what pools are sized by."""
_BRANCHES = ("if", "while", "assert")
_LOGS = frozenset({"debug", "info", "warning", "error", "exception", "print", "log"})


class EmptyShare(msgspec.Struct, frozen=True):
    """`share` is none where `count` is less than `by`; `kept` is the variable or field that is given it, "" if it is used at once."""

    share: Location
    count: str
    by: str
    things: str
    kept: str


def empty_shares(program: Program, groups: Groups, counts: Counts) -> Iterator[EmptyShare]:
    """The floor divisions of such counts by the size of a group of ranks, of which nothing says that one is left for every rank."""
    names = _names(counts)
    any_name = "|".join(names)
    compared: dict[str, bool] = {}
    for path in program.files.with_text(rf"(?:{any_name})\b\)?\s*//", words=rf"(?:{any_name})\b") if names else ():
        file = program.files.get(path)
        if file is None:
            continue
        for statement in _divisions(file, names):
            for node, parents in _shares(file, statement, groups, counts):
                kept = _kept(file, statement, node)
                if _is_raised(parents) or _is_asked(program, file, statement, kept) or _is_a_bound(file, statement, kept):
                    continue
                count = spelled(node.left)
                if count not in compared:
                    compared[count] = _is_compared(program, groups, count)
                if compared[count]:
                    continue
                row = counts.of(node.left)
                left, right = (Location(file, statement, _telling(side).span).code for side in (node.left, node.right))
                yield EmptyShare(Location(file, statement, node.span), left, right, row.things if row is not None else "", kept)


def _names(counts: Counts) -> list[str]:
    """Patterns for the ends of the last names of such counts. None begins with `*`: what is searched for needs no such start, and with
    one the time grows with the square of the longest word."""
    rows = (row for row in counts.models.counts.rows if row.things in THINGS and not row.part)
    return sorted({pattern.rpartition(".")[2].lstrip("*").replace("*", r"\w*") for row in rows for pattern in row.names})


def _divisions(file: File, names: list[str]) -> Iterator[int]:
    """The statements whose own text divides something of such a name."""
    pattern = re.compile(rf"(?:{'|'.join(names)})\b\)?\s*//")
    text = file.source.text
    found = set()
    for match in pattern.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        found.add(file.statement_at(text.count("\n", 0, match.start()) + 1, match.start() - start + 1))
    yield from (index for index in sorted(found) if index >= 0 and not is_aside(file, index))


def _shares(file: File, statement: int, groups: Groups, counts: Counts) -> Iterator[tuple[ir.Binary, tuple[Expr, ...]]]:
    """The divisions in a statement, each with the expressions around it."""
    row = file.statement(statement)
    for root in row.expressions():
        for node, parents in ir.paths(root):
            if not isinstance(node, ir.Binary) or node.operator != "//" or not isinstance(node.left, ir.Name | ir.Attribute):
                continue
            of = counts.of(node.left)
            if of is not None and of.things in THINGS and not of.part and groups.size(node.right, file, statement):
                yield node, parents


def _is_raised(parents: tuple[Expr, ...]) -> bool:
    """Whether what is around a share makes more of it than nothing, only asks for it, or only shows it."""
    for parent in parents:
        match parent:
            case ir.Boolean() | ir.Compare() | ir.Format():
                return True
            case ir.Binary(operator="+", left=left, right=right) if isinstance(left, ir.Const) or isinstance(right, ir.Const):
                return True
            case ir.Call() if arithmetic.function_name(parent) == "max" or spelled(parent) in _LOGS:
                return True
    return False


def _kept(file: File, statement: int, node: ir.Binary) -> str:
    for binding in file.statement(statement).bindings:
        if binding.value is not None and binding.how in ("assign", "annotate") and any(one is node for one in ir.walk(binding.value)):
            return dotted(binding.target) or ""
    return ""


def _is_asked(program: Program, file: File, statement: int, kept: str) -> bool:
    """Whether a test keeps what was given the share above zero: a variable in its function, a field anywhere."""
    if not kept:
        return False
    name = kept.rpartition(".")[2]
    if "." not in kept:
        scope = file.outline.statements[statement].scope
        return any(_keeps_above(file, index, kept) for index in file.mentions_in(scope, name))
    return any(_keeps_above(each, index, name) for each in program.files.mentioning(name) for index in each.mentions(name))


def _is_a_bound(file: File, statement: int, kept: str) -> bool:
    """Whether all that a variable is used for is to be compared and shown: nothing is sized by it."""
    if not kept or "." in kept:
        return False
    used = False
    for index in file.mentions_in(file.outline.statements[statement].scope, kept):
        if index == statement or file.outline.statements[index].kind in ("function", "class"):
            continue
        for root in file.statement(index).expressions():
            for node, parents in ir.paths(root):
                if isinstance(node, ir.Name) and node.id == kept:
                    used = True
                    shown = (isinstance(one, ir.Call) and spelled(one) in _LOGS for one in parents)
                    if not any(isinstance(one, ir.Compare | ir.Format) for one in parents) and not any(shown):
                        return False
    return used


def _keeps_above(file: File, index: int, name: str) -> bool:
    """Whether a statement raises a variable or field to one, or asks whether it is above zero."""
    kind = file.outline.statements[index].kind
    if kind in ("function", "class"):
        return False
    test = file.test(index) if kind in _BRANCHES else None
    tests = [test] if test is not None else []
    for root in file.statement(index).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Conditional):
                tests.append(node.test)
            if isinstance(node, ir.Call) and arithmetic.function_name(node) == "max":
                if any(spelled(argument.value) == name for argument in node.args):
                    return True
            if isinstance(node, ir.Boolean) and node.operator == "or" and spelled(node.values[0]) == name:
                return True
    return any(_asks(test, name) for test in tests)


def _asks(test: Expr, name: str) -> bool:
    asked = from_expression(test)
    for node in ir.walk(test):
        text = dotted(node)
        if text is not None and text.rpartition(".")[2] == name:
            # Truth says so too: no count is negative. A test for a larger number is there for something else.
            for one in (asked, negate(asked)):
                above = implies(one, Atom(text, "truthy")) or implies(one, Atom(text, ">", 0))
                if above and not implies(one, Atom(text, ">", 1)):
                    return True
    return False


def _is_compared(program: Program, groups: Groups, count: str) -> bool:
    """Whether a test anywhere holds the count against the size of a group."""
    for file in program.files.mentioning(count):
        for index in file.mentions(count):
            if file.outline.statements[index].kind not in _BRANCHES or "size" not in file.own_text(index):
                continue
            test = file.test(index)
            for node in ir.walk(test) if test is not None else ():
                if isinstance(node, ir.Compare) and _holds_against(node, groups, file, index, count):
                    return True
    return False


def _holds_against(node: ir.Compare, groups: Groups, file: File, index: int, count: str) -> bool:
    """`count < size`, `count % size != 0`."""
    parts = [part for operand in node.operands for part in _terms(operand)]
    return any(spelled(part) == count for part in parts) and any(groups.size(part, file, index) for part in parts)


def _terms(operand: Expr) -> tuple[Expr, ...]:
    return (operand.left, operand.right) if isinstance(operand, ir.Binary) and operand.operator == "%" else (operand,)


def _telling(side: Expr) -> Expr:
    """Of a size that only counts under some condition, or that is one at least, the size."""
    if isinstance(side, ir.Call) and arithmetic.function_name(side) == "max":
        others = [argument.value for argument in side.args if not isinstance(argument.value, ir.Const)]
        return others[0] if len(others) == 1 else side
    return side.body if isinstance(side, ir.Conditional) and isinstance(side.orelse, ir.Const) else side
