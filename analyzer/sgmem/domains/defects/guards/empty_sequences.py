"""First elements, least and greatest of lists that may hold nothing: of what was filtered, found, or split off a tool's output."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.evaluation import expression_conditions
from sgmem.control.implication import implies
from sgmem.control.predicates import And, Atom, Not, Opaque, all_of
from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.accounting.quantities import kept_as
from sgmem.domains.defects.guards.scopes import SizingScopes, sizing_scopes
from sgmem.flow.aside import is_aside
from sgmem.flow.order import ENTRY
from sgmem.flow.places import Field
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.control.predicates import Predicate
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.birth import Birth
    from sgmem.program.files import File
    from sgmem.syntax.ir import Expr

Reason = Literal["filtered", "found", "output", "collected"]

REDUCTIONS = frozenset({"min", "max", "mean", "median", "fmean"})
_KEEPS = frozenset({"list", "tuple", "sorted", "set", "reversed", "iter", "frozenset"})
_SPLITS = frozenset({"split", "splitlines", "rsplit"})
_OUTPUT = re.compile(r"\b(?:check_output|subprocess|popen|communicate|getoutput|stdout)\b")
_MAY_USE = re.compile(r"\b(?:min|max|mean|median|fmean|next)\(|\[\s*(?:0|-\s*1)\s*\]")
_OF_FIELD = r"\b(?:min|max)\(\s*self\.\w+\s*\)"
_KINDS = frozenset({"assign", "annotate", "augment", "return", "expression", "if", "assert"})
_CATCHES = frozenset({"ValueError", "IndexError", "LookupError", "StopIteration", "StatisticsError", "Exception", "BaseException"})
MAX_DEPTH = 6


class EmptySequence(msgspec.Struct, frozen=True):
    """`use` takes an element of `name`, which `producer` may have left empty; `word` says which use it is."""

    name: str
    reason: Reason
    word: str
    producer: Location
    use: Location
    hops: tuple[Location, ...] = ()

    weak: bool = False
    """Whether it rarely comes to that: one is picked by its position, only multiples are kept, or the candidates are constants."""


class _Source(msgspec.Struct, frozen=True):
    reason: Reason
    file: File
    statement: int
    span: ir.Span
    hops: tuple[Location, ...] = ()
    multiples: bool = False


def empty_sequences(facts: ProgramFacts) -> Iterator[EmptySequence]:
    """Every use of what may be empty in functions that measure memory or calculate with amounts of it; and of a field that is
    filled there, or that sizes what a function allocates. Of several uses in one function the first is told.
    """
    sizing = SizingScopes(facts)
    told: set[tuple[str, int, str, int]] = set()
    for file, index in _candidates(facts, sizing):
        scope = file.outline.statements[index].scope
        for found in _in_statement(facts, file, index, sizing):
            key = (file.path, scope, found.producer.path, found.producer.line)
            if key not in told:
                told.add(key)
                yield found


def _candidates(facts: ProgramFacts, sizing: SizingScopes) -> Iterator[tuple[File, int]]:
    """The statements of these functions that may take an element; and all that take the least or greatest of a field."""
    files = {file.path: file for file, _ in sizing_scopes(facts)}
    for path in facts.program.files.with_text(_OF_FIELD, begins=("min(", "max(")):
        if path not in files:
            file = facts.program.files.get(path)
            if file is not None:
                files[path] = file
    for path in sorted(files):
        file = files[path]
        for index, row in enumerate(file.outline.statements):
            if row.kind in _KINDS and file.scope(row.scope).kind == "function":
                text = file.own_text(index)
                if _MAY_USE.search(text) and ("self." in text or sizing.has(file, row.scope)) and not is_aside(file, index):
                    yield file, index


def _in_statement(facts: ProgramFacts, file: File, index: int, sizing: SizingScopes) -> Iterator[EmptySequence]:
    scope = file.outline.statements[index].scope
    for root in file.statement(index).expressions():
        for node, above in ir.paths(root):
            taken = _taken(node)
            source = _Sources(facts).of(taken[0], file, index) if taken is not None else None
            if taken is None or source is None:
                continue
            here = sizing.has(file, scope)
            made = sizing.has(source.file, source.file.outline.statements[source.statement].scope)
            if not (made and (here or source.hops)) and not (source.hops and _allocates(facts, file, scope)):
                continue
            sequence, word = taken
            if not (_is_checked(facts, file, index, sequence, (*above, node)) or _is_caught(file, index) or _kept_full(facts, source)):
                name = dotted(sequence) or Location(file, index, sequence.span).code
                producer = Location(source.file, source.statement, source.span)
                weak = source.reason == "filtered" and (not word.endswith("()") or source.multiples)
                yield EmptySequence(name, source.reason, word, producer, Location(file, index, node.span), source.hops, weak)


def _allocates(facts: ProgramFacts, file: File, scope: int) -> bool:
    """Whether a function makes something that a model knows to take memory."""
    words = [word for word in facts.models.sinks.words if word.isidentifier()]
    row = file.scope(scope).span
    text = file.source.slice(row)
    return any(f".{word}(" in text for word in words)


def _taken(node: Expr) -> tuple[Expr, str] | None:
    """The sequence of which a node takes an element, and in which way. Who takes a size of a tensor's shape knows that it has one."""
    match node:
        case ir.Subscript(base=ir.Attribute(attr="shape")):
            return None
        case ir.Call(args=(ir.Argument(value=value, keyword=None, star=""),)) if last_name(node) in REDUCTIONS:
            return value, f"{last_name(node)}()"
        case ir.Call(func=ir.Name(id="next"), args=(ir.Argument(value=value, keyword=None, star=""),)):
            return value, "next()"
        case ir.Call(args=(ir.Argument(value=value, keyword=None, star=""), ir.Argument(keyword="key"))) if last_name(node) in (
            "min",
            "max",
        ):
            return value, f"{last_name(node)}()"
        case ir.Subscript(base=base, index=ir.Const(value=0)) if not isinstance(base, ir.Dict):
            return base, "its first element"
        case ir.Subscript(base=base, index=ir.Unary(operator="-", operand=ir.Const(value=1))):
            return base, "its last element"
    return None


class _Sources:
    """Finds what may leave a sequence empty."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts

    def of(self, expr: Expr, file: File, index: int, depth: int = 0) -> _Source | None:
        if depth > MAX_DEPTH:
            return None
        match expr:
            case ir.Comprehension(kind=kind) if kind != "dict":
                conditions = [condition for clause in expr.clauses for condition in clause.conditions]
                if conditions:
                    return _Source(
                        "filtered", file, index, expr.span, multiples=_is_chosen(expr) or all(map(_asks_for_multiples, conditions))
                    )
                return self.of(expr.clauses[0].iterable, file, index, depth + 1)
            case ir.Call():
                return self._call(expr, file, index, depth)
            case ir.Name():
                return self._local(expr, file, index, depth)
            case ir.Attribute():
                return self._field(expr, file, index, depth)
        return None

    def _call(self, expr: ir.Call, file: File, index: int, depth: int) -> _Source | None:
        name = last_name(expr)
        if name in _KEEPS and isinstance(expr.func, ir.Name) and expr.args:
            return self.of(expr.args[0].value, file, index, depth + 1)
        if name == "filter" and isinstance(expr.func, ir.Name):
            return _Source("filtered", file, index, expr.span)
        if name == "map" and len(expr.args) == 2:
            return self.of(expr.args[1].value, file, index, depth + 1)
        if name == "findall":
            return _Source("found", file, index, expr.span)
        if name in _SPLITS and isinstance(expr.func, ir.Attribute) and not (expr.args and name != "splitlines"):
            if self._is_output(expr.func.base, file, index):
                return _Source("output", file, index, expr.span)
        return None

    def _is_output(self, text: Expr, file: File, index: int) -> bool:
        """Whether a text is what another program printed."""
        if _OUTPUT.search(file.source.slice(text.span)):
            return True
        while isinstance(text, ir.Call | ir.Attribute):
            text = text.func if isinstance(text, ir.Call) else text.base
        if not isinstance(text, ir.Name):
            return False
        reaching = self.facts.order.reaching(file, file.outline.statements[index].scope, text.id, index)
        return any(_OUTPUT.search(file.own_text(at)) for at in reaching - {ENTRY})

    def _local(self, expr: ir.Name, file: File, index: int, depth: int) -> _Source | None:
        scope = file.outline.statements[index].scope
        for at in sorted(self.facts.order.reaching(file, scope, expr.id, index) - {ENTRY}):
            for binding in file.statement(at).bindings:
                if dotted(binding.target) != expr.id or binding.value is None or binding.how not in ("assign", "annotate"):
                    continue
                if isinstance(binding.value, ir.Collection) and not binding.value.items:
                    found = self._collected(expr.id, file, scope, at, index)
                elif at == index or _additions(file, scope, expr.id, at, index):
                    continue
                else:
                    found = self.of(binding.value, file, at, depth + 1)
                if found is not None:
                    return found
        return None

    def _collected(self, name: str, file: File, scope: int, start: int, end: int) -> _Source | None:
        """A list that is filled in a loop, and there under a condition only."""
        additions = _additions(file, scope, name, start, end)
        if not additions or any(not self._is_conditional(file, at) for at in additions):
            return None
        return _Source("collected", file, start, of_statement(file, start).span)

    def _is_conditional(self, file: File, at: int) -> bool:
        """Whether a statement stands in an `if` of a loop."""
        rows, tested = file.outline.statements, False
        parent = rows[at].parent
        while parent >= 0 and rows[parent].kind not in ("function", "class"):
            if rows[parent].kind in ("for", "while"):
                return tested
            tested = tested or rows[parent].kind in ("if", "case", "try")
            parent = rows[parent].parent
        return False

    def _field(self, expr: ir.Attribute, file: File, index: int, depth: int) -> _Source | None:
        return next(self._born(self.facts.births.of(expr, file, index), depth + 1, follow=depth <= 1), None)

    def _born(self, births: tuple[Birth, ...], depth: int, *, follow: bool) -> Iterator[_Source]:
        """What leaves a field empty where its value was made; with `follow`, what fills a setting that is only declared there."""
        for birth in births:
            hops = tuple(Location(hop.file, hop.statement, hop.span) for hop in reversed(birth.hops))
            if birth.kind in ("built", "call") and birth.expression is not None:
                found = self.of(birth.expression, birth.file, birth.statement, max(depth, 2))
                if found is not None and not self._is_added_to(birth):
                    yield msgspec.structs.replace(found, hops=hops)
            elif birth.kind == "declaration" and follow and isinstance(birth.place, Field):
                for found in self._filled(birth.place, depth):
                    yield msgspec.structs.replace(found, hops=(*found.hops, *hops))

    def _filled(self, field: Field, depth: int) -> Iterator[_Source]:
        """What the methods of a record's class fill a field with, as its defaults are."""
        for each, index in self.facts.program.classes.stores(field.owner, field.name):
            for binding in each.file.statement(index).bindings:
                if binding.value is not None and dotted(binding.target) == f"self.{field.name}":
                    births = self.facts.births.of(binding.value, each.file, index)
                    at = of_statement(each.file, index)
                    for found in self._born(births, depth + 1, follow=False):
                        yield msgspec.structs.replace(found, hops=(*found.hops, at))

    def _is_added_to(self, birth: Birth) -> bool:
        """Whether something is added to the list before its function gives it away."""
        file, scope = birth.file, birth.file.outline.statements[birth.statement].scope
        names = (dotted(binding.target) for binding in file.statement(birth.statement).bindings)
        end = len(file.outline.statements)
        return any(name is not None and _additions(file, scope, name, birth.statement, end) for name in names)


def _additions(file: File, scope: int, name: str, start: int, end: int) -> list[int]:
    """The statements between two others that add to a list, or do something else to it."""
    rows = file.outline.statements
    adds = re.compile(rf"\b{re.escape(name)}\s*(?:\.\w+\(|\+=)")
    return [
        at
        for at in file.mentions_in(scope, name.rpartition(".")[2])
        if start < at < end and rows[at].kind in ("expression", "augment") and adds.search(file.own_text(at))
    ]


def _is_chosen(expr: ir.Comprehension) -> bool:
    """Whether the candidates are a constant of the module: whoever wrote them knows which of them always stay."""
    iterable = expr.clauses[0].iterable
    return isinstance(iterable, ir.Name) and iterable.id.isupper()


def _asks_for_multiples(condition: Expr) -> bool:
    return isinstance(condition, ir.Compare) and any(isinstance(one, ir.Binary) and one.operator == "%" for one in condition.operands)


# -- checks ---------------------------------------------------------------------------------------------------------------


def _is_checked(facts: ProgramFacts, file: File, index: int, sequence: Expr, above: tuple[Expr, ...]) -> bool:
    """Whether a test around the use, or before it, asks whether there is anything."""
    known = all_of(
        one.predicate for one in (*facts.reaches.conditions.own(file, index), *expression_conditions(sequence, above, index))
    )
    names = {text for node in ir.walk(sequence) if (text := dotted(node)) is not None}
    return any(_holds_something(known, name) for name in names)


def _holds_something(known: Predicate, name: str) -> bool:
    if implies(known, Atom(name, "truthy")):
        return True
    parts = known.parts if isinstance(known, And) else (known,)
    length = f"len({name})"
    for part in parts:
        denied = isinstance(part, Not)
        leaf = part.operand if isinstance(part, Not) else part
        if isinstance(leaf, Opaque) and leaf.text.startswith(length):
            compared = leaf.text[len(length) :].strip()
            if re.match(r"(?:== ?0|<= ?0|< ?1)$" if denied else r"(?:|> ?\d+|!= ?0|>= ?[1-9]\d*|== ?[1-9]\d*)$", compared):
                return True
            if not denied and re.match(r"== |> |>= ", compared) and not re.match(r"[=>]=? ?0$", compared):
                return True
    return False


def _is_caught(file: File, index: int) -> bool:
    """Whether the use stands in a `try` whose handlers catch what an empty sequence raises."""
    rows = file.outline.statements
    child, parent = index, rows[index].parent
    while parent >= 0 and rows[parent].kind not in ("function", "class"):
        if rows[parent].kind == "try" and rows[child].block == "body":
            handlers = [at for at in file.outline.inside(parent) if rows[at].kind == "except"]
            texts = [file.own_text(at) for at in handlers]
            if any(text.strip() in ("except:", "except") or _CATCHES & set(re.findall(r"\w+", text)) for text in texts):
                return True
        child, parent = parent, rows[parent].parent
    return False


def _kept_full(facts: ProgramFacts, source: _Source) -> bool:
    """Whether a check stands on the way from where the sequence is made: at one of the places that it passes, by a name that it has."""
    stops = [(source.file, source.statement), *((hop.file, hop.statement) for hop in source.hops)]
    bound = {kept_as(binding.target) for file, index in stops for binding in file.statement(index).bindings}
    for file, index in stops[1:]:
        known = all_of(one.predicate for one in facts.reaches.conditions.own(file, index))
        read = (dotted(node) for root in file.statement(index).expressions() for node in ir.walk(root))
        names = {text for text in read if text is not None and text.rpartition(".")[2] in bound}
        if any(_holds_something(known, name) for name in names):
            return True
    return False
