"""Options about memory that are accepted, and reach nothing but messages and checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.changes import is_told
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.program.classes import assigned
from sgmem.program.entities import Class
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

_FLAG = re.compile(r"[\"']--([a-z][a-z0-9-]*)[\"']")
_OF_MEMORY = re.compile(r"(?:^|_)(?:mem|memory|cache|offload|tokens?|page|pool|kv|prealloc|reserve|reserved|gb|mb|bytes)(?:_|$)")
MAX_FILES = 12
"""An option that more files mention is used somewhere."""


class UnusedOption(msgspec.Struct, frozen=True):
    """`name` is declared and has a flag; `told` are the places that only test or print it."""

    name: str
    declared: Location
    flag: Location
    told: tuple[Location, ...]


def unused_options(facts: ProgramFacts) -> Iterator[UnusedOption]:
    """Every field of a record that a flag about memory sets, and that nothing goes by."""
    tree = facts.program.files.tree
    flags: dict[str, list[str]] = {}
    for path in facts.program.files.with_text("[\"']--", begins=('"--', "'--")):
        for flag in facts.program.files.scanned(path, _flags_in):
            flags.setdefault(flag.replace("-", "_"), []).append(path)
    for name in sorted(flags):
        if _OF_MEMORY.search(name) and len(tree.mentioning(name)) <= MAX_FILES:
            yield from _of(facts, name, flags[name])


@Scan
def _flags_in(text: str) -> list[str]:
    return list(dict.fromkeys(_FLAG.findall(text)))


def _of(facts: ProgramFacts, name: str, flagged: list[str]) -> Iterator[UnusedOption]:
    declared: Location | None = None
    told: list[Location] = []
    for file in facts.program.files.mentioning(name):
        for index in file.mentions(name):
            row = file.outline.statements[index]
            if row.kind == "annotate" and file.scope(row.scope).kind == "class":
                if facts.program.classes.is_record(Class(file, row.scope)) and file.target_text(index).strip().startswith(name):
                    declared = declared or of_statement(file, index)
                    continue
            how = _handled(file, index, name)
            if how == "used":
                return
            if how == "told":
                told.append(of_statement(file, index))
    flag = _flag(facts, name, flagged) if declared is not None else None
    if declared is not None and flag is not None:
        yield UnusedOption(name, declared, flag, tuple(told))


def _flag(facts: ProgramFacts, name: str, paths: list[str]) -> Location | None:
    """Where the command line gets the option."""
    spelled = re.compile(rf"[\"']--{name.replace('_', '-')}[\"']")
    for path in paths:
        source, file = facts.program.files.source(path), facts.program.files.get(path)
        found = spelled.search(source.text) if source is not None else None
        if source is not None and file is not None and found is not None:
            index = file.statement_at(*source.position(found.start()))
            if index >= 0 and "add_argument" in file.own_text(index):
                return of_statement(file, index)
    return None


def _handled(file: File, index: int, name: str) -> str:
    """What a statement does with the option: "used", "told" where it only tests or prints it, "passed" where it only hands it to a
    keyword, a field or a flag of the same name.
    """
    row = file.outline.statements[index]
    if row.kind == "function":
        scope = file.scope(file.scope_defined_by[index])
        return "used" if any(parameter.name == name for parameter in scope.parameters) else "passed"
    if row.kind in ("class", "import", "global", "nonlocal"):
        return "used" if row.kind != "class" else "passed"
    statement = file.statement(index)
    reads = [(node, above) for root in statement.expressions() for node, above in ir.paths(root) if _is_read(node, name)]
    targets = {id(target) for binding in statement.bindings for target in assigned(binding.target) if binding.how != "augment"}
    reads = [(node, above) for node, above in reads if id(node) not in targets]
    if not reads:
        return "passed"
    if is_told(file, index):
        return "told" if row.kind != "if" or _only_stops(file, index) else "used"
    handed = all(_same_keyword(node, above, name) for node, above in reads)
    own = any(isinstance(target, ir.Attribute) and target.attr == name for b in statement.bindings for target in assigned(b.target))
    return "passed" if handed or own else "used"


def _is_read(node: Expr, name: str) -> bool:
    if isinstance(node, ir.Attribute):
        return node.attr == name
    if isinstance(node, ir.Name):
        return node.id == name
    return isinstance(node, ir.Const) and node.value == name


def _same_keyword(node: Expr, above: tuple[Expr, ...], name: str) -> bool:
    """Whether an expression is the value of a keyword of its own name, or the destination of a flag."""
    call = above[-1] if above else None
    if not isinstance(call, ir.Call):
        return False
    return any(argument.value is node and argument.keyword in (name, "dest") for argument in call.args)


def _only_stops(file: File, index: int) -> bool:
    """Whether all that depends on a test is a message or an error."""
    inside = list(file.outline.inside(index))
    return bool(inside) and all(is_told(file, at) and file.outline.statements[at].kind != "if" for at in inside)
