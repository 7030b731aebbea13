"""What a trace of many formulas leaves out: computed values that say nothing of memory.

A width in tokens or a number of ranks stands in a thousand computations: indices of kernels, tests of divisibility, widths of layers.
Those of them stay that size, guard or keep an amount of memory, those that lead there, and what is done with their results. The rest is
counted.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.flow.aside import is_aside, is_test
from sgmem.flow.graph import Move
from sgmem.flow.places import Field, Parameter, Variable
from sgmem.models.patterns import last_name
from sgmem.program.contexts import called, mentioned, occurs, places
from sgmem.program.files import dotted, module_name
from sgmem.queries.results.trace import MADE
from sgmem.queries.trace.formulas import ENOUGH, leaves, whole
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.accounting.units import Units
    from sgmem.flow.graph import FormulaSite, SiteKey, Slice, State
    from sgmem.models.load import Models
    from sgmem.program.entities import Class
    from sgmem.program.program import Program

_COUNTED = frozenset({"tokens", "pages", "slots", "requests"})
_ON_DEVICE = frozenset({"jit", "kernel", "heuristics", "autotune"})
"""Decorators of code that is compiled for the device: what it computes are places in buffers that are there already."""
_WORD = re.compile(r"(\.?)\b([A-Za-z_]\w*)\b(?!\s*=[^=])\s*(\(?)")
"""A name, a keyword's aside, with the dot before it and the bracket behind it."""
_BYTES = re.compile(r"(?:^|_)(?:n?bytes|[kmgt]i?b|mem|memory|budget|capacity|available|free|reserved)(?:_|$)")
_AMOUNT = re.compile(rf"{_BYTES.pattern}|(?:^|_)(?:tokens|slots|pages|blocks|requests|reqs)(?:_|$)")

_SIZE = re.compile(r"(?:^|_)(?:size|shape)s?(?:_|$)")


class Telling:
    """Chooses among the formulas of one slice."""

    def __init__(self, program: Program, slice_: Slice, models: Models, units: Units) -> None:
        self.program = program
        self.slice = slice_
        self.models = models
        self.units = units

    def leave_out_others(self) -> None:
        """Where there are many formulas, take out of the slice the computed values that say nothing of memory, and say how many."""
        formulas = self.slice.formulas
        told = self._told() if len(formulas) > ENOUGH else formulas.keys()
        left = formulas.keys() - told
        if not left:
            return
        first = min(left, key=lambda key: (key.file.path, key.span))
        gone = self._passed_by_others(left)
        sizing = self._leading_on(set())
        # Where there is no room for the inputs of all formulas, it goes to those of the parameter and of allocations.
        kept = sorted((key for key in formulas if key in told), key=lambda key: self.slice.sites[key].derived and key not in sizing)
        self.slice.formulas = {key: formulas[key] for key in kept}
        self.slice.left_out.update((key.file.path, key.span) for key in left)
        self.slice.remove(gone)
        others = len(gone) - len(left)
        also = f", with {others} places that take their results," if others > 0 else ""
        why = f"{len(left)} computations that size, guard or keep no amount of memory{also} are left out; --hops all tells them"
        self.slice.unresolved[(first.file.path, first.span.line, why)] = None

    # -- which formulas tell something -------------------------------------------------------------------------------------------

    def _told(self) -> set[SiteKey]:
        """The formulas that tell something of memory, and those that lead there."""
        formulas = self.slice.formulas
        told = {key for key, formula in formulas.items() if not self.slice.sites[key].derived or self._tells(formula)}
        while True:
            more = (self._into_these(told) | self._leading_on(told)) - told
            if not more:
                return told
            told |= more

    def _tells(self, formula: FormulaSite) -> bool:
        """Whether a formula by itself is about an amount of memory."""
        file, statement = formula.file, formula.statement
        expression = whole(formula)
        if any(self._is_first_seen(leaf, formula) for leaf in leaves(expression)):
            return True
        if is_aside(file, statement) or self._is_on_device(formula):
            return False
        if formula.target == "a test":
            return not _is_remainder(expression) and self._compares_amounts(formula)
        if isinstance(formula.place, Field) and self._is_pool(formula.place.owner):
            return True
        if any(self._takes_amount(formula, name) for name in (*_names_of(formula), *self._returned_by(formula))):
            return True
        if self._names_amount(expression, _AMOUNT if formula.place is not None else _BYTES) or self._sizes_tensor(formula):
            return True
        evidence = self.units.infer(expression, file, statement)
        return evidence is not None and (evidence.unit.memory_per == 1 or (evidence.strong and str(evidence.unit) in _COUNTED))

    def _is_first_seen(self, leaf: ir.Expr, formula: FormulaSite) -> bool:
        """Whether an operand bears the parameter's name and is found by the way back from this formula only."""
        name = next(_last_names(leaf), None) if isinstance(leaf, ir.Name | ir.Attribute) else None
        if name is None or not self.slice.bears_name(name):
            return False
        statement = formula.file.statement(formula.statement)  # the site of a test is all of it
        return not any(self.slice.at(formula.file, span) for span in (leaf.span, statement.span))

    def _compares_amounts(self, formula: FormulaSite) -> bool:
        """Whether the comparison that a formula stands in, or the formula itself, names an amount, the parameter aside."""
        around = self.slice.sites[formula.site].ancestors
        compared = next((node for node in reversed(around) if isinstance(node, ir.Compare)), formula.expression)
        return self._names_amount(compared, _AMOUNT)

    def _names_amount(self, expression: ir.Expr, kind: re.Pattern[str]) -> bool:
        """Whether an expression names an amount, the parameter aside."""
        return any(kind.search(name.lower()) and not self.slice.bears_name(name) for name in _last_names(expression))

    def _returned_by(self, formula: FormulaSite) -> Iterator[str]:
        """The name of the function that returns what is made of a formula's result there, or the variable that takes it."""
        function = self.program.calls.inside(formula.file, formula.statement)
        rows = formula.file.outline.statements
        places = [formula.statement]
        if function is not None and isinstance(formula.place, Variable):
            places += formula.file.mentions_in(function.index, formula.place.name)
        if function is not None and any(rows[index].kind == "return" for index in places):
            yield function.name

    def _takes_amount(self, formula: FormulaSite, name: str) -> bool:
        """Whether what takes a formula's result is called like the parameter, an amount or, in a pool, a size; or is given to one."""
        if self.slice.bears_name(name) or _AMOUNT.search(name.lower()) or self._is_given_to_pools(formula, name):
            return True
        function = self.program.calls.inside(formula.file, formula.statement)
        owner = function.owner if function is not None else None
        return owner is not None and _SIZE.search(name.lower()) is not None and self._is_pool(owner)

    def _is_on_device(self, formula: FormulaSite) -> bool:
        function = self.program.calls.inside(formula.file, formula.statement)
        return function is not None and not _ON_DEVICE.isdisjoint(function.decorator_names())

    def _is_pool(self, owner: Class) -> bool:
        rows = (self.models.sinks.find(f"{each.qualified}.__init__") for each in self.program.classes.mro(owner))
        return any(row is not None for row in rows)

    def _sizes_tensor(self, formula: FormulaSite) -> bool:
        """Whether the variable that takes a formula's result stands in a call that makes a tensor, in the same function."""
        place = formula.place
        if not isinstance(place, Variable) or place.scope == 0:
            return False
        texts = (place.file.own_text(index) for index in place.file.mentions_in(place.scope, place.name))
        made = (text[match.end() :] for text in texts for match in self._tensors.finditer(text))
        return any(occurs(text, place.name, mentioned) for text in made)

    @cached_property
    def _tensors(self) -> re.Pattern[str]:
        """Calls that make tensors, by the last name."""
        rows = (row for row in self.models.sinks.rows if row.kind == "tensor")
        names = {last_name(pattern) for row in rows for pattern in row.names}
        return re.compile(rf"\b(?:{'|'.join(sorted(name for name in names if '*' not in name))})\(")

    def _is_given_to_pools(self, formula: FormulaSite, name: str) -> bool:
        """Whether a call that makes a pool names what takes a formula's result: a variable of its own file, any field or function."""
        is_local = isinstance(formula.place, Variable | Parameter) and name == formula.place.name
        return name in (self._given_to_pools.get(formula.file.path, ()) if is_local else self._given_to_pools[""])

    @cached_property
    def _given_to_pools(self) -> dict[str, set[str]]:
        """The names that stand in the calls that make pools: of variables by file, of fields and functions under ""."""
        files = self.program.files
        found: dict[str, set[str]] = {"": set()}
        for name, paths in files.class_names.items():
            if not self.models.sinks.rows_for_name(name):
                continue
            if all(self.models.sinks.find(f"{module_name(path)}:{name}.__init__") is None for path in paths):
                continue
            program = (files.get(path) for path in files.holding(name, called) if not is_test(path))
            for file in filter(None, program):
                for index in file.mentions(name):
                    text = file.own_text(index)
                    for at in places(text, name, called):
                        for dot, word, call in _WORD.findall(text, at + len(name)):
                            found.setdefault("" if dot or call else file.path, set()).add(word)
        return found

    def _into_these(self, told: set[SiteKey]) -> set[SiteKey]:
        """The formulas whose result a variable takes into one of these, in the same function."""
        entering = {
            (formula.file, _scope(formula), leaf.id)
            for key in told
            for formula in (self.slice.formulas[key],)
            for leaf in leaves(whole(formula))
            if isinstance(leaf, ir.Name)
        }
        return {
            key
            for key, formula in self.slice.formulas.items()
            if isinstance(formula.place, Variable) and (formula.file, formula.place.scope, formula.place.name) in entering
        }

    def _leading_on(self, told: set[SiteKey]) -> set[SiteKey]:
        """The formulas whose result goes on to one of these, or to an allocation."""
        formulas = self.slice.formulas
        into: dict[State, list[Move]] = {}
        pending: list[Move] = []
        for move in self.slice.moves:
            if move.target is not None and move.target.derived:
                into.setdefault(move.target, []).append(move)
            if any(key in told or self._allocates(key) for key in move.sites):
                pending.append(move)
        found: set[SiteKey] = set()
        passed: set[State] = set()
        while pending:
            move = pending.pop()
            found.update(key for key in move.sites if key in formulas)
            source = move.source
            if source is not None and source.derived and source not in passed:
                passed.add(source)
                pending += into.get(source, ())
        return found

    def _allocates(self, key: SiteKey) -> bool:
        site = self.slice.sites[key]
        return key.role == "sink" and site.kind in MADE and not is_aside(key.file, site.statement)

    # -- what goes with the others -----------------------------------------------------------------------------------------------

    def _passed_by_others(self, left: set[SiteKey]) -> set[SiteKey]:
        """The sites of computed values that only formulas left out lead to; their moves end where these formulas begin."""
        moves: list[Move] = []
        reached: dict[State | None, list[Move]] = {}
        pending: list[Move] = []
        for move in self.slice.moves:
            ends = any(key in left for key in move.sites)
            own = Move(move.source, move.sites[:1], None, move.callees, False) if ends else move
            if move.source is None or not move.source.derived:
                pending.append(own)
            else:
                reached.setdefault(move.source, []).append(own)
        kept: set[SiteKey] = {*self.slice.entries, *(key for key in self.slice.formulas if key not in left)}
        while pending:
            move = pending.pop()
            moves.append(move)
            kept.update(move.sites)
            if move.target is not None and move.target.derived:
                pending += reached.pop(move.target, ())
        self.slice.moves[:] = moves
        return {key for key, site in self.slice.sites.items() if site.derived and key not in kept}


def _scope(formula: FormulaSite) -> int:
    return formula.file.outline.statements[formula.statement].scope


def _is_remainder(expression: ir.Expr) -> bool:
    return isinstance(expression, ir.Binary) and expression.operator == "%"


def _names_of(formula: FormulaSite) -> Iterator[str]:
    """The names of what takes a formula's result, and of what takes that of the call that it is given to."""
    place = formula.place
    named = getattr(place, "name", None) or getattr(getattr(place, "function", None), "name", None)
    if named is not None or formula.target.isidentifier():
        yield named or formula.target
    for binding in formula.file.statement(formula.statement).bindings:
        if isinstance(binding.value, ir.Call) and binding.value.span.contains(formula.expression.span):
            yield from _last_names(binding.target)


def _last_names(root: ir.Expr) -> Iterator[str]:
    """The names in an expression, of dotted ones the last."""
    pending = [root]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Name):
            yield node.id
        elif isinstance(node, ir.Attribute):
            yield node.attr
            pending += () if dotted(node.base) is not None else (node.base,)
        else:
            pending += node.children()
