"""What is worked out of a field and kept: the fields that a read decides, through locals and the results of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.flow.places import Field
from sgmem.program.classes import assigned
from sgmem.program.contexts import positions
from sgmem.program.files import dotted
from sgmem.program.text_answers import Scan
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr, Span

COPY, COMPUTED = 1, 2
_SAME = frozenset({"int", "float", "round"})
_NUMERIC = frozenset({"min", "max", "ceil", "floor", "abs", "sum", "range", "ceil_div", "cdiv", "next_power_of_2", "list", "sorted"})
MAX_RETURNS = 2
MAX_CALLERS = 3
_KINDS = frozenset({"assign", "annotate", "augment", "return", "expression"})


class Consumer(msgspec.Struct, frozen=True):
    """`read` is an expression that reads the field; the field `kept` is set at `stored` to what is worked out of it."""

    file: File
    statement: int
    read: Location
    places: frozenset[Field]
    kept: str
    stored: Location
    computed: bool


@Scan
def _seems_read(text: str, name: str) -> bool:
    return any(text[at - 1 : at] == "." for at in positions(text, name))


def consumers(facts: ProgramFacts, name: str, path: str, wanted: frozenset[Field]) -> Iterator[Consumer]:
    """The reads of a field of that name, one of some, in one file from which another memory quantity is worked out."""
    if not facts.program.files.scanned(path, _seems_read, name):
        return
    file = facts.program.files.get(path)
    for index in file.mentions(name) if file is not None else ():
        if file is None or file.outline.statements[index].kind not in _KINDS:
            continue
        if f".{name}" not in file.own_text(index) or file.scope(file.outline.statements[index].scope).kind != "function":
            continue
        seen = [one for one in facts.occurrences.reads_in_statement(file, index, name) if isinstance(one.place, Field)]
        nodes = {one.node for one in seen if one.grade != "name"}
        places = frozenset(one.place for one in seen if isinstance(one.place, Field))
        if nodes and places & wanted:
            read = Location(file, index, seen[0].node.span)
            for kept, stored, how in _Following(facts, name).from_statement(file, index, nodes.__contains__, MAX_RETURNS):
                yield Consumer(file, index, read, places, kept, stored, how == COMPUTED)


class _Following:
    """Follows a value from one statement on, as text within functions."""

    def __init__(self, facts: ProgramFacts, name: str) -> None:
        self.facts = facts
        self.name = name
        self.seen: set[tuple[str, Span]] = set()

    def from_statement(
        self, file: File, index: int, is_source: Callable[[Expr], bool], returns: int
    ) -> Iterator[tuple[str, Location, int]]:
        scope = file.outline.statements[index].scope
        tainted: dict[str, int] = {}
        yield from self._step(file, index, is_source, COPY, tainted, returns)
        at = _next_mention(file, scope, index, tainted)
        while at is not None:
            if _may_go_on(file, at, tainted):
                how = max(tainted.values())
                yield from self._step(file, at, _spelled(frozenset(tainted)), how, tainted, returns)
            at = _next_mention(file, scope, at, tainted)

    def _step(
        self, file: File, index: int, is_source: Callable[[Expr], bool], so_far: int, tainted: dict[str, int], returns: int
    ) -> Iterator[tuple[str, Location, int]]:
        """What one statement does with the value: keeps it, gives it another name, gives it back."""
        for how, target in _targets(self.facts, file, index, is_source):
            how = max(how, so_far)
            if isinstance(target, str):
                if target == "return":
                    yield from self._returned(file, index, how, returns)
                elif self._is_kept(target):
                    yield target, of_statement(file, index), how
                continue
            text = dotted(target)
            last = text.rpartition(".")[2] if text is not None else ""
            if isinstance(target, ir.Attribute) and self._is_kept(last):
                yield last, of_statement(file, index), how
            elif text is not None and last != self.name:
                tainted[text] = max(how, tainted.get(text, 0))

    def _is_kept(self, name: str) -> bool:
        return name != self.name and self.facts.quantities.is_quantity(name)

    def _returned(self, file: File, index: int, how: int, returns: int) -> Iterator[tuple[str, Location, int]]:
        function = self.facts.program.calls.inside(file, index)
        if function is None or returns <= 0 or len(self.facts.program.files.tree.mentioning(function.name)) > 40:
            return
        for site in self.facts.program.calls.callers(function)[:MAX_CALLERS]:
            key = (site.file.path, site.call.span)
            if key not in self.seen:
                self.seen.add(key)
                for kept, stored, _ in self.from_statement(site.file, site.statement, _being(site.call), returns - 1):
                    yield kept, stored, how


def _next_mention(file: File, scope: int, after: int, names: Iterable[str]) -> int | None:
    """The next statement of a scope behind one that may keep or give back what it mentions: the last part of one of some names."""
    mentions = (at for name in names for at in file.mentions_in(scope, name.rpartition(".")[2]) if at > after)
    return min((at for at in mentions if file.shape(at).kind in _KINDS), default=None)


def _may_go_on(file: File, index: int, names: Iterable[str]) -> bool:
    """Whether a statement, by its text, keeps or gives back what one of some names holds."""
    text, kind = file.own_text(index), file.shape(index).kind
    value = text if kind == "return" else text.partition("=")[2]
    return any(next(positions(value, name.rpartition(".")[2]), None) is not None for name in names)


def _being(source: Expr) -> Callable[[Expr], bool]:
    return lambda node: node is source


def _spelled(texts: frozenset[str]) -> Callable[[Expr], bool]:
    return lambda node: dotted(node) in texts


def _targets(facts: ProgramFacts, file: File, index: int, is_source: Callable[[Expr], bool]) -> Iterator[tuple[int, Expr | str]]:
    """Where the value of a source goes: a target, the name of a field that a call writes, or "return"."""
    statement = file.statement(index)
    for binding in statement.bindings:
        how = carries(binding.value, is_source) if binding.value is not None else 0
        if how and binding.how in ("assign", "annotate", "augment"):
            for target in assigned(binding.target):
                yield (COMPUTED if binding.how == "augment" else how), target
    if statement.kind == "return":
        for value in statement.values:
            if carries(value, is_source):
                yield carries(value, is_source), "return"
            for key, item in value.items if isinstance(value, ir.Dict) else ():
                if isinstance(key, ir.Const) and isinstance(key.value, str) and carries(item, is_source):
                    yield carries(item, is_source), key.value
    elif statement.kind == "expression":
        for value in statement.values:
            for argument in value.args if isinstance(value, ir.Call) else ():
                how = carries(argument.value, is_source) if argument.keyword is not None else 0
                if how and isinstance(value, ir.Call) and argument.keyword and _writes(facts, value, file, index):
                    yield how, argument.keyword


def _writes(facts: ProgramFacts, call: ir.Call, file: File, index: int) -> bool:
    """Whether a call sets the fields that its keywords name."""
    from sgmem.program.entities import Function

    targets = facts.program.calls.targets(call, file, file.outline.statements[index].scope)
    return any(isinstance(target, Function) and facts.program.idioms.writers(target) for target, _, _ in targets)


def carries(value: Expr, is_source: Callable[[Expr], bool]) -> int:
    """Whether a value is made of a source's: COPY where it is the source itself, COMPUTED by arithmetic; 0 where it is not."""
    if is_source(value):
        return COPY
    match value:
        case ir.Binary():
            return COMPUTED if carries(value.left, is_source) or carries(value.right, is_source) else 0
        case ir.Unary():
            return carries(value.operand, is_source) if value.operator != "not" else 0
        case ir.Conditional():
            return max(carries(value.body, is_source), carries(value.orelse, is_source))
        case ir.Boolean():
            return max(carries(each, is_source) for each in value.values)
        case ir.Starred() | ir.Walrus():
            return carries(value.value, is_source)
        case ir.Call():
            name = (dotted(value.func) or "").rpartition(".")[2]
            how = max((carries(argument.value, is_source) for argument in value.args), default=0)
            return how if name in _SAME else COMPUTED if how and name in _NUMERIC else 0
    return 0
