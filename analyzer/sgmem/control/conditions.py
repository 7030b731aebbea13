"""Under which conditions a statement is executed, given that its scope is: the headers around it and the exits before
it.

The conditions come from structure. In a language without `goto` that is control dependence, with two gains: each keeps
the one test it came from, and no test is lowered that does not matter. Nested under `if x:` and behind `if not x:
return` give equal predicates. Each is the outcome of its test's latest evaluation; the values may have been written
since.

What is left out, because it would be a guess: what follows from a loop having ended, from an exception not having been
raised, and from exits that a handler may have caught. `with` is taken never to suppress an exception.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Literal

import msgspec

from sgmem.control.exits import Exits
from sgmem.control.labels import Labels, LowerHead, LowerTest
from sgmem.control.predicates import FALSE, TRUE, Opaque, Predicate, all_of, any_of, leaves, negate
from sgmem.syntax.ir import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.control.cfg import Cfg
    from sgmem.syntax.outline import Block

# Conditions beyond these bounds are dropped: each one only narrows, so what is left still holds.
MAX_EXIT_CONDITIONS = 256
MAX_EXIT_LEAVES = 24


class Condition(msgspec.Struct, frozen=True):
    """`predicate` held when the test at `span` was evaluated; `statement` is the test's statement, -1 if not known.

    `how` tells what makes it a condition: a "header" around, an "exit" before (a jump on the other outcome), a "check"
    before (the other outcome raises), or, for a sub-expression, an "expression" around.
    """

    predicate: Predicate
    span: Span
    statement: int
    how: Literal["header", "exit", "check", "expression"] = "header"


_Completed = tuple[Condition, ...] | None
"""What holds if a statement completes; None if it never does."""


def conjunction(conditions: Iterable[Condition]) -> Predicate:
    """All conditions as one predicate."""
    return all_of(condition.predicate for condition in conditions)


def conditions_of(cfg: Cfg, statement: int, lower_test: LowerTest, lower_head: LowerHead | None = None) -> tuple[Condition, ...]:
    """The conditions of one statement, outermost first. For several statements of a scope keep a `ScopeConditions`."""
    return ScopeConditions(cfg, lower_test, lower_head).of(statement)


class ScopeConditions:
    """Conditions of the statements of one scope. Keeps the tests that it lowered, and what each exit says.

    `lower_head` names the items of loops, the types of handlers and the patterns of cases. Without it a `for`
    contributes nothing, and `except` and `case` contribute an event that only tells the line.
    """

    def __init__(self, cfg: Cfg, lower_test: LowerTest, lower_head: LowerHead | None = None) -> None:
        self._cfg = cfg
        self._blocks = cfg.blocks
        self._exits = Exits(cfg.blocks)
        self._labels = Labels(cfg.blocks, lower_test, lower_head)
        self._completed: dict[int, _Completed] = {}

    def of(self, statement: int) -> tuple[Condition, ...]:
        """The conditions under which `statement` is executed, outermost first; dead code has one that never holds."""
        levels: list[list[Condition]] = []
        node = statement
        while node != self._blocks.top:
            levels.append([*self._enclosing(node), *self._preceding(node)])
            node = self._blocks.row(node).parent
        found = tuple(condition for level in reversed(levels) for condition in level)
        if self._cfg.reachable(statement) or any(condition.predicate == FALSE for condition in found):
            return found
        return (*found, Condition(FALSE, self._blocks.row(statement).span, statement))

    def _header(self, statement: int, positive: bool) -> tuple[Condition, ...]:
        predicate, span = self._labels.of(statement)
        if not positive:
            predicate = negate(predicate)
        return () if predicate == TRUE else (Condition(predicate, span, statement),)

    def _outcome(self, statement: int, positive: bool) -> tuple[Condition, ...]:
        """As `_header`, for statements behind, which the other outcome does not reach."""
        how = self._how(statement)
        return tuple(Condition(c.predicate, c.span, c.statement, how) for c in self._header(statement, positive))

    def _how(self, statement: int) -> Literal["exit", "check"]:
        return "check" if self._exits.only_raises(statement) else "exit"

    def _enclosing(self, node: int) -> tuple[Condition, ...]:
        """What the parent's header says about a statement of one of its blocks."""
        row = self._blocks.row(node)
        if row.parent == self._blocks.top:
            return ()
        match self._blocks.row(row.parent).kind, row.block:
            case (("if" | "while" | "for" | "except" | "case"), "body"):
                return self._header(row.parent, True)
            case (("if" | "while"), "orelse"):
                return self._header(row.parent, False)
            case "try", "orelse":
                return self._or_never(self._block(row.parent, "body"), row.parent)
            case _:
                return ()

    def _preceding(self, node: int) -> list[Condition]:
        """What the statements before `node` in its block say by having completed, earlier cases by not matching."""
        row = self._blocks.row(node)
        if row.block == "handlers":
            return []
        found: list[Condition] = []
        if row.kind == "case":
            for case in self._blocks.of(row.parent, "body"):
                if case >= node:
                    break
                found += self._header(case, False) if self._known(case) else ()
            return found
        exits = self._exits.of(row.parent, row.block)
        for position in range(bisect_left(exits, node)):
            found += self._or_never(self._complete(exits[position]), exits[position])
        return found

    def _known(self, case: int) -> bool:
        """Whether a case's label is a predicate, and not just the event of having been taken."""
        predicate, _ = self._labels.of(case)
        return not (isinstance(predicate, Opaque) and predicate.event)

    def _or_never(self, completed: _Completed, statement: int) -> tuple[Condition, ...]:
        if completed is None:
            return (Condition(FALSE, self._blocks.row(statement).span, statement, self._how(statement)),)
        return completed

    def _block(self, parent: int, block: Block) -> _Completed:
        """What holds at the end of a block."""
        if self._exits.block(parent, block) == "never":
            return None
        found: list[Condition] = []
        for statement in self._exits.of(parent, block):
            completed = self._complete(statement)
            if completed is None:
                return None
            found += completed
        return tuple(found[:MAX_EXIT_CONDITIONS])

    def _complete(self, statement: int) -> _Completed:
        """What holds if `statement` completes, with an explicit stack: an `elif` chain nests as deep as it is long."""
        pending = [statement]
        while pending:
            node = pending[-1]
            if self._settled(node):
                pending.pop()
                continue
            open_parts = [part for part in self._parts(node) if not self._settled(part)]
            if open_parts:
                pending += open_parts
                continue
            self._completed[node] = self._combine(node)
            pending.pop()
        return self._completed.get(statement) if self._exits.completion(statement) == "sometimes" else None

    def _settled(self, statement: int) -> bool:
        return statement in self._completed or self._exits.completion(statement) == "never"

    def _parts(self, statement: int) -> list[int]:
        """The statements inside whose completion decides on this one's."""
        blocks: tuple[Block, ...]
        match self._blocks.row(statement).kind:
            case "if":
                blocks = ("body", "orelse")
            case "for" | "while":
                blocks = ("orelse",)
            case "with" | "except" | "case" | "match":
                blocks = ("body",)
            case "try":
                blocks = ("finally",) if self._exits.handlers_complete(statement) else ("body", "orelse", "finally")
            case _:
                blocks = ()
        useful = (block for block in blocks if self._exits.block(statement, block) == "sometimes")
        return [part for block in useful for part in self._exits.of(statement, block)]

    def _combine(self, statement: int) -> _Completed:
        match self._blocks.row(statement).kind:
            case "assert":
                return self._outcome(statement, True)
            case "if":
                return self._either(statement, self._block(statement, "body"), self._block(statement, "orelse"))
            case "for" | "while":
                return self._block(statement, "orelse")
            case "with" | "except" | "case":
                return self._block(statement, "body")
            case "match":
                return self._combine_match(statement)
            case "try":
                return self._combine_try(statement)
            case _:
                return ()

    def _combine_match(self, statement: int) -> _Completed:
        cases = self._blocks.of(statement, "body")
        if not all(self._known(case) for case in cases):
            return ()
        completed: _Completed = ()
        for case in reversed(cases):
            completed = self._either(case, self._block(case, "body"), completed)
        return completed

    def _combine_try(self, statement: int) -> _Completed:
        found: list[Condition] = []
        for part in self._parts(statement):
            found += self._complete(part) or ()
        return tuple(found[:MAX_EXIT_CONDITIONS])

    def _either(self, statement: int, then: _Completed, otherwise: _Completed) -> _Completed:
        """What holds behind a choice: its outcome where one branch leaves, an implication where a part of one does."""
        if then is None:
            return None if otherwise is None else (*self._outcome(statement, False), *otherwise)[:MAX_EXIT_CONDITIONS]
        if otherwise is None:
            return (*self._outcome(statement, True), *then)[:MAX_EXIT_CONDITIONS]
        if not then and not otherwise:
            return ()
        predicate, span = self._labels.of(statement)
        outcomes = [any_of((negate(predicate), condition.predicate)) for condition in then]
        outcomes += [any_of((predicate, condition.predicate)) for condition in otherwise]
        kept = (outcome for outcome in outcomes if outcome != TRUE and leaves(outcome) <= MAX_EXIT_LEAVES)
        how = self._how(statement)
        return tuple(Condition(outcome, span, statement, how) for outcome in kept)[:MAX_EXIT_CONDITIONS]
