"""Which statements of a function a value depends on: by names, so that an execution can leave out all others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import last_name
from sgmem.program.classes import assigned
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr, Statement

MAX_STATEMENTS = 1500
_COMPOUND = frozenset({"if", "while", "for", "with", "try", "except", "match", "case"})


class Relevance:
    """Finds the statements of functions that matter for names, memoised. `fields` are attributes that are followed into
    the functions that a function calls.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._found: dict[tuple[str, int, frozenset[str], bool], tuple[frozenset[int], frozenset[str]]] = {}
        self._below: list[Function] = []

    def of(self, file: File, scope: int, names: frozenset[str], results: bool) -> tuple[frozenset[int], frozenset[str]]:
        """The statements that matter for the names, for what the function returns too if `results`; and all names that
        these statements read.
        """
        key = (file.path, scope, names, results)
        if key not in self._found:
            self._found[key] = self._find(file, scope, names, results)
        return self._found[key]

    def _find(self, file: File, scope: int, names: frozenset[str], results: bool) -> tuple[frozenset[int], frozenset[str]]:
        rows = file.outline.statements
        own = [index for index in file.own_statements(scope) if rows[index].kind not in ("function", "class", "import")]
        if len(own) > MAX_STATEMENTS:
            return frozenset(), names
        needed, kept = set(names), set[int]()
        growing = True
        while growing:
            growing = False
            for index in own:
                if index in kept or not (self._matters(file, index, needed, results) or _jumps(file, index, kept)):
                    continue
                growing = True
                for each in self._with_headers(file, scope, index):
                    if each not in kept:
                        kept.add(each)
                        needed |= read_by(file.statement(each)) | self._read_below(file, each, needed)
        if not results:
            self._add_early_returns(file, scope, own, kept, needed)
        return frozenset(kept), frozenset(needed)

    def _add_early_returns(self, file: File, scope: int, own: list[int], kept: set[int], needed: set[str]) -> None:
        """Returns before the last statement that matters decide whether it is reached."""
        last = max(kept, default=-1)
        for index in own:
            if index < last and file.outline.statements[index].kind == "return":
                for each in self._with_headers(file, scope, index):
                    kept.add(each)
                    needed |= read_by(file.statement(each)) if each != index else set()

    def _read_below(self, file: File, index: int, needed: set[str]) -> set[str]:
        """The names that functions read for what they store for a statement that only calls them."""
        found: set[str] = set()
        if file.outline.statements[index].kind != "expression":
            return found
        for call in _calls(file.statement(index)):
            for target, _, _ in self.program.calls.targets(call, file, file.outline.statements[index].scope):
                if isinstance(target, Function) and target not in self._below and stores(target, needed):
                    self._below.append(target)
                    stored = frozenset(name for name in needed if stores(target, {name}))
                    found |= self._find(target.file, target.index, stored, False)[1]
                    self._below.pop()
        return found

    def _with_headers(self, file: File, scope: int, index: int) -> Iterable[int]:
        """A statement and the compound statements around it."""
        top = file.outline.scopes[scope].statement
        while index not in (top, -1):
            yield index
            index = file.outline.statements[index].parent

    def _matters(self, file: File, index: int, needed: set[str], results: bool) -> bool:
        row = file.outline.statements[index]
        if row.kind in _COMPOUND:
            return False
        if row.kind == "return":
            return results
        if row.kind in ("raise", "assert"):
            return self._is_guard(file, index, needed)
        text = file.own_text(index)
        if not any(name in text for name in needed) and "(" not in text:
            return False
        statement = file.statement(index)
        if bound_by(statement) & needed:
            return True
        return any(self._may_write(call, file, index, needed) for call in _calls(statement)) if row.kind == "expression" else False

    def _is_guard(self, file: File, index: int, needed: set[str]) -> bool:
        """Whether a raise is behind a test of needed values alone: such a test says something about them."""
        row = file.outline.statements[index]
        parent = row.parent
        test = file.test(index) if row.kind == "assert" else file.test(parent) if parent >= 0 and row.block == "body" else None
        names = names_in(test) if test is not None else set()
        return bool(names & needed) and names <= needed | {"self"}

    def _may_write(self, call: ir.Call, file: File, index: int, needed: set[str]) -> bool:
        """Whether a call may set one of the names: by a keyword of that name, or in the function that it enters."""
        if any(argument.keyword in needed for argument in call.args if argument.keyword):
            return True
        if not last_name(call):
            return False
        scope = file.outline.statements[index].scope
        targets = self.program.calls.targets(call, file, scope)
        return any(isinstance(target, Function) and stores(target, needed) for target, _, _ in targets)


def _jumps(file: File, index: int, kept: set[int]) -> bool:
    """Whether a statement ends a round of a loop, or the loop, that something that matters stands in."""
    rows = file.outline.statements
    if rows[index].kind not in ("break", "continue"):
        return False
    around = rows[index].parent
    while around >= 0 and rows[around].kind not in ("for", "while"):
        around = rows[around].parent
    return around in kept


def stores(function: Function, names: Iterable[str]) -> bool:
    """Whether a function's own statements assign an attribute of one of these names."""
    file = function.file
    for name in names:
        for index in file.mentions_in(function.index, name):
            if file.may_bind(index, name) and any(
                isinstance(target, ir.Attribute) and target.attr == name
                for binding in file.statement(index).bindings
                for target in assigned(binding.target)
            ):
                return True
    return False


def bound_by(statement: Statement) -> set[str]:
    """The names of variables and attributes that a statement assigns."""
    found: set[str] = set()
    for binding in statement.bindings:
        for target in assigned(binding.target):
            if isinstance(target, ir.Name):
                found.add(target.id)
            elif isinstance(target, ir.Attribute):
                found.add(target.attr)
    for root in statement.expressions():
        found |= {node.target.id for node in ir.walk(root) if isinstance(node, ir.Walrus)}
    return found


def read_by(statement: Statement) -> set[str]:
    """The names that a statement reads: its values, and the bases of what it assigns to."""
    found: set[str] = set()
    for binding in statement.bindings:
        if binding.value is not None:
            found |= names_in(binding.value)
        for target in assigned(binding.target):
            for child in target.children():
                found |= names_in(child)
    for value in statement.values:
        found |= names_in(value)
    return found


def names_in(root: Expr) -> set[str]:
    found: set[str] = set()
    for node in ir.walk(root):
        if isinstance(node, ir.Name):
            found.add(node.id)
        elif isinstance(node, ir.Attribute):
            found.add(node.attr)
    return found


def _calls(statement: Statement) -> list[ir.Call]:
    return [node for root in statement.expressions() for node in ir.walk(root) if isinstance(node, ir.Call)]
