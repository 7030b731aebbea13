"""Settings that a user gives by a flag and the program changes without asking whether they were given, or too late to matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.algebra import arithmetic
from sgmem.domains.defects.guards.bounded_settings import bound, is_layout, is_off, layouts, others
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.program.idioms import is_view
from sgmem.syntax import ir
from sgmem.syntax.unparse import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.decisions import Decision
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.entities import Class
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr
    from sgmem.syntax.outline import StatementOutline

How = Literal["scaled", "reduced", "increased", "replaced", "switched off", "calculated", "derived", "capped", "raised"]

_LOCAL = re.compile(r"(?<![.\w\"'])[a-z_]\w*(?![\w(.\"'])")
_TELLS = re.compile(r"\s*(?:\w+\.)*(?:warn|warning|warning_once|info|error|print|print_\w+|log_\w+)\(")
_SCALES = frozenset({"*", "/", "//"})
_IN_PLACE: dict[str, How] = {"*": "scaled", "/": "scaled", "//": "scaled", "-": "reduced", "+": "increased"}
IN_PLACE = frozenset({"scaled", "reduced", "increased"})
"""Ways to change a setting that change it once more when they are gone again."""


class SettingChange(msgspec.Struct, frozen=True):
    """A write to the setting `name` that no condition on the setting keeps from a value that the user gave.

    `how`: it is scaled, replaced by a constant (-1 switches it off) or another setting, or by what is calculated or derived from other
    things although None stands for "not given"; it is capped by a constant; a limit is raised to another quantity. `share`: the setting
    is a share or an amount of memory.
    `copied`: where the object whose method this is had already copied the setting, so that what it uses later is the copy.
    """

    name: str
    location: Location
    how: How
    value: str
    share: bool
    copied: Location | None = None
    told: bool = False
    """Whether a message beside the write says that the setting is changed."""
    again: bool = True
    """Whether another run would change the result once more: the setting itself is written, not a decision beside it."""
    optional: bool = False
    """Whether the setting is declared with None, so that a default could be told from what was given."""
    given: bool = False
    """Whether it is changed only where it is not None, which is where the user gave it."""
    beside: bool = False
    """Whether the setting is no quantity of memory itself: a share of time, a number of parts."""

    @property
    def in_place(self) -> bool:
        """Whether the setting is changed by its own value, as scaling does."""
        return self.how in IN_PLACE


def setting_changes(facts: ProgramFacts) -> Iterator[SettingChange]:
    """Every such write to a field that keeps a quantity of memory, or decides how much there is of one, and that a flag sets."""
    names = [(False, facts.quantities.paths), (False, layouts(facts)), (True, others(facts))]
    for beside, name, paths in ((beside, name, paths) for beside, found in names for name, paths in found.items()):
        for path in paths:
            for decision in facts.decisions(name, path):
                found = _of_decision(facts, decision, name)
                if found is not None and facts.options.named(name) is not None:
                    yield msgspec.structs.replace(found, beside=beside)


def _of_decision(facts: ProgramFacts, decision: Decision, name: str) -> SettingChange | None:
    file, index, share = decision.file, decision.statement, facts.quantities.is_amount(name)
    if is_aside(file, index):
        return None
    at, value = _said(facts, decision)
    how = _change(facts, decision, value, name)
    if how is None or any(_asked(facts, file, one, name, how, value) for one in {index, at}):
        return None
    settings = [one for one in decision.places if _is_setting(facts, one.owner, name, copies=share or how in IN_PLACE)]
    if how != "raised" and not settings:
        return None
    optional = any(_is_none_at_first(facts, one) for one in decision.places)
    if how in ("calculated", "derived") and not optional:
        return None
    text = Location(file, index, decision.value.span).code if decision.value is not None else ""
    copied = next((found for one in sorted(decision.places, key=str) if (found := _copied(facts, decision, one)) is not None), None)
    given = any(render(one.predicate).endswith(f"{name} is not None") for one in facts.conditions.of(file, index))
    told = _is_told(file, index, name)
    return SettingChange(name, decision.location, how, text, share, copied, told, not decision.aside, optional, given)


def _said(facts: ProgramFacts, decision: Decision) -> tuple[int, Expr | None]:
    """What a field is set to, and where that is written: the only value of a local, or what the field is set to itself."""
    value, file, index = decision.value, decision.file, decision.statement
    if isinstance(value, ir.Name):
        reaching = facts.order.reaching(file, file.outline.statements[index].scope, value.id, index)
        if len(reaching) == 1 and ENTRY not in reaching:
            at = next(iter(reaching))
            said = [b.value for b in file.statement(at).bindings if dotted(b.target) == value.id and b.how in ("assign", "annotate")]
            if len(said) == 1 and said[0] is not None:
                return at, said[0]
    return index, value


def _change(facts: ProgramFacts, decision: Decision, value: Expr | None, name: str) -> How | None:
    """How a decision changes what was there."""
    if decision.operator is not None:
        return _IN_PLACE.get(decision.operator.removesuffix("="))
    if isinstance(value, ir.Attribute) and value.attr != name and _is_option(facts, decision, value):
        return "replaced"
    return _made(value, name) or bound(facts, decision, name) or _anew(decision, value)


def _is_option(facts: ProgramFacts, decision: Decision, value: ir.Attribute) -> bool:
    """Whether what a field is set to is another setting."""
    read = facts.occurrences.reads_in_statement(decision.file, decision.statement, value.attr)
    return any(isinstance(one.place, Field) and one.grade != "name" and facts.options.is_option(one.place) for one in read)


def _made(value: Expr | None, name: str) -> How | None:
    """How a value is made of the setting, or that it is a constant, roundings aside."""
    value = _unrounded(value)
    match value:
        case ir.Const(value=int() | float() as number) if not isinstance(number, bool):
            return "replaced" if number > 0 else "switched off"
        case ir.Conditional(test=test, body=body, orelse=orelse) if not is_layout(value):
            if any(_names(node, name) for node in ir.walk(test)):
                return None
            return next((how for side in (body, orelse) if (how := _made(side, name)) is not None), None)
        case ir.Binary(operator=operator, left=left, right=right):
            itself = _names(left, name) or (operator in ("*", "+") and _names(right, name))
            return _IN_PLACE.get(operator) if itself else None
    if is_off(value):
        return "switched off"
    return "replaced" if is_layout(value) else None


def _anew(decision: Decision, value: Expr | None) -> How | None:
    """Whether a value is calculated, or asked for, that has nothing to do with what was there."""
    value = _unrounded(value)
    if decision.how != "replaced":
        return None
    if isinstance(value, ir.Binary) and value.operator in _SCALES:
        return "calculated"
    return "derived" if isinstance(value, ir.Call | ir.Subscript) else None


def _names(expr: Expr, name: str) -> bool:
    return isinstance(expr, ir.Attribute) and expr.attr == name


def _unrounded(value: Expr | None) -> Expr | None:
    while isinstance(value, ir.Call) and arithmetic.function_name(value) in ("int", "float", "round") and value.args:
        value = value.args[0].value
    return value


def _is_none_at_first(facts: ProgramFacts, place: Field) -> bool:
    """Whether a record declares a field with None, which says that the user gave nothing."""
    for owner in facts.program.classes.mro(place.owner):
        index = facts.program.classes.declaration(owner, place.name)
        if index is not None:
            values = [b.value for b in owner.file.statement(index).bindings if dotted(b.target) == place.name]
            return any(isinstance(value, ir.Const) and value.value is None for value in values)
    return False


def _is_setting(facts: ProgramFacts, owner: Class, name: str, *, copies: bool) -> bool:
    """Whether a field holds what the user gave: declared by a record, or, with `copies`, copied from a value of the same name."""
    if is_view(owner):
        return True
    if facts.program.classes.declaration(owner, name) is not None:
        return facts.options.is_option(Field(owner, name))
    return copies and _copy(facts, owner, name) is not None


def _copy(facts: ProgramFacts, owner: Class, name: str) -> Location | None:
    """Where a class copies a value of the same name into its own field."""
    for each in facts.program.classes.mro(owner):
        for function, index in facts.program.classes.stores(each, name):
            for binding in each.file.statement(index).bindings:
                given = dotted(binding.value) if binding.value is not None else None
                if function.name == "__init__" and given is not None and given.rpartition(".")[2] == name:
                    return of_statement(each.file, index)
    return None


def _asked(facts: ProgramFacts, file: File, index: int, name: str, how: str, value: Expr | None) -> bool:
    """Whether a condition of the write, or of its only caller, looks at the setting: by its name, or by a local worked out of it."""
    word = re.compile(rf"\b{re.escape(name)}\b")
    for one in facts.conditions.of(file, index):
        text = render(one.predicate)
        if text.endswith(f"{name} is not None"):
            continue  # what was given is changed then: what there is to scale is there the second time as well
        if value is not None and text.endswith(f"{name} != {text_of(value)}"):
            continue  # it only asks whether there is anything to change
        # What raises otherwise says which values are valid; a valid one may still be scaled twice.
        if how in IN_PLACE and one.how == "check" and "None" not in text:
            continue
        if word.search(text) or any(word.search(each) for each in _behind(file, index, text)):
            return True
    return False


def _behind(file: File, index: int, text: str) -> Iterator[str]:
    """The assignments of a function that say what the locals of a condition are."""
    scope = file.outline.statements[index].scope
    for local in sorted(set(_LOCAL.findall(text))):
        for at in file.mentions_in(scope, local):
            if at < index and file.may_bind(at, local) and file.outline.statements[at].kind in ("assign", "annotate"):
                yield file.own_text(at)


def _is_told(file: File, index: int, name: str) -> bool:
    """Whether a statement of the same block logs something about the setting."""
    rows = file.outline.statements
    words = re.compile(rf"\b(?:--)?{re.escape(name).replace('_', '[_ -]')}\b")
    siblings = (at for at, row in enumerate(rows) if (row.parent, row.block, row.scope) == _block(rows[index]) and at != index)
    texts = (file.own_text(at) for at in siblings if rows[at].kind == "expression")
    return any(_TELLS.match(text) and words.search(text) for text in texts)


def _block(row: StatementOutline) -> tuple[int, str, int]:
    return row.parent, row.block, row.scope


def _copied(facts: ProgramFacts, decision: Decision, place: Field) -> Location | None:
    """For a write to another object's setting: where this object copied it before, if all it uses is the copy."""
    function = facts.program.calls.inside(decision.file, decision.statement)
    if function is None or function.owner is None or facts.program.classes.related(function.owner, place.owner):
        return None
    found = _copy(facts, function.owner, place.name)
    if found is None or (found.file is decision.file and function.name == "__init__" and found.statement > decision.statement):
        return None
    return found
