"""Expands the call tree of a start-up: constructors, mixins, super(), dispatch, late imports, workers."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING

from sgmem.control.evaluation import expression_conditions
from sgmem.control.predicates import TRUE, And, Predicate
from sgmem.control.rendering import render
from sgmem.domains.accounting.location import Location, last_name, of_statement
from sgmem.domains.startup.steps import Startup, Step
from sgmem.domains.startup.targets import Entered, Targets
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.models.rows import MeasurementRow
    from sgmem.program.entities import Class, Function
    from sgmem.program.file_edit import FileEdit
    from sgmem.program.files import File, Files
    from sgmem.program.text_answers import Answer
    from sgmem.syntax.ir import Expr

HIDDEN = frozenset({"tensor", "synchronize", "reset-peak", "forward"})
"""Events that are too small or too many to be steps of a start-up."""
MAX_DEPTH = 60
MAX_FUNCTIONS = 12000

_YIELD = re.compile(r"\byield\b")
_CALLED = re.compile(r"(\w+)\s*\(")
_DEF = re.compile(rb"def[ \t]+(\w+)")
_BEFORE_DEF = re.compile(rb"[ \t]*(?:async[ \t]+)?")


class Expander:
    """Expands functions of one program. What a function does on an object of one class is worked out once."""

    def __init__(self, facts: ProgramFacts) -> None:
        self.facts = facts
        self.program = facts.program
        self.targets = Targets(facts.program)
        self._known: dict[Entered, list[Step]] = {}
        self._open: set[Entered] = set()
        self.entered = 0
        self.complete = True

    def expand(self, root: Function, receiver: Class | None) -> Startup:
        entered = Entered(root, receiver)
        steps = self._inside(entered)
        return Startup(entered.name, of_statement(root.file, root.scope.statement), steps, self.complete)

    @property
    def functions(self) -> frozenset[tuple[str, int]]:
        """The functions that were entered, by path and scope."""
        return frozenset((one.function.file.path, one.function.index) for one in self._known)

    @cached_property
    def _names(self) -> frozenset[str]:
        """Every name that a def or class statement of the program defines."""
        answers = self.program.files.answering(FunctionNames(), everywhere=True)
        return frozenset(str(name) for _, names in answers for name in names or ()) | frozenset(self.program.files.class_names)

    def _inside(self, entered: Entered) -> list[Step]:
        known = self._known.get(entered)
        if known is not None:
            return known
        if entered in self._open:
            return []
        if len(self._open) >= MAX_DEPTH or self.entered >= MAX_FUNCTIONS:
            self.complete = False
            return []
        self._open.add(entered)
        self.entered += 1
        file, scope = entered.function.file, entered.function.index
        steps = [step for index in file.holding("(", scope) for step in self._statement(entered, file, index)]
        self._open.discard(entered)
        self._known[entered] = steps
        return steps

    def _statement(self, entered: Entered, file: File, index: int) -> Iterator[Step]:
        if file.outline.statements[index].kind in ("function", "class", "import"):
            return
        text = file.own_text(index)
        if "](" not in text and not any(self._may_matter(name) for name in _CALLED.findall(text)):
            return
        for root in file.statement(index).expressions():
            for call, ancestors in calls_in_order(root):
                step = self._step(entered, file, index, call)
                if step is not None:
                    self._place(step, file, index, call, ancestors)
                    yield step

    def _may_matter(self, name: str) -> bool:
        """Whether a call of that name could lead on: a name of the program, of the models, or a variable that holds a class."""
        models = self.facts.models
        known = name in self._names or bool(models.events.rows_for_name(name)) or bool(models.measurements.rows_for_name(name))
        return known or (name not in _BUILTINS and name[:1].isupper()) or name.lower().endswith(("cls", "class", "factory"))

    def _step(self, entered: Entered, file: File, index: int, call: ir.Call) -> Step | None:
        function = entered.function
        scope = function.index
        at = Location(file, index, call.span)
        measured = self.facts.measurements.row(call, file, scope)
        if measured is not None:
            if not is_read(measured, file, index, call):
                return None
            return Step("measurement", at, last_name(call), gauges=tuple(self.facts.readings(call, file, index)))
        row = self.facts.events.row(call, file, scope)
        inner: list[tuple[Entered, list[Step]]] = []
        certain = True
        if (row is None or not row.leaf) and (last_name(call) in self._names or not last_name(call).islower()):
            targets, certain = self.targets.of(call, file, function, entered.receiver, by_name=row is not None)
            inner = [(target, self._inside(target)) for target in targets if self._runs(target, file, index)]
        if row is None:
            row = next((found for target, _ in inner if (found := self.facts.models.events.find(target.name)) is not None), None)
        leading = [(target, steps) for target, steps in inner if steps and not (row is not None and row.leaf)]
        name = last_name(call)
        if row is not None and row.kind not in HIDDEN:
            step = Step(row.kind, at, name, row=row, certain=certain)
        elif leading:
            step = Step("call", at, name, certain=certain)
        else:
            return None
        if len(leading) == 1 and len(inner) == 1:
            step.target, step.children = leading[0][0].name, leading[0][1]
        elif leading:
            step.children = [
                Step("choice", at, target.name.rpartition(":")[2], target.name, certain=False, children=steps)
                for target, steps in leading
            ]
        elif inner:
            step.target = inner[0][0].name
        return step

    def _runs(self, target: Entered, file: File, index: int) -> bool:
        """Whether a call runs the body: that of a generator runs only as something is taken from it."""
        if file.outline.statements[index].kind in ("for", "with", "return"):
            return True
        inside = target.function
        yields = any(_YIELD.search(inside.file.own_text(one)) for one in inside.file.mentions_in(inside.index, "yield"))
        return not yields or any("context" in name for name in inside.decorator_names())

    def _place(self, step: Step, file: File, index: int, call: ir.Call, ancestors: tuple[Expr, ...]) -> None:
        """Fill in under which conditions the step is taken."""
        conditions = (*self.facts.conditions.own(file, index), *expression_conditions(call, ancestors, index))
        held = [part for one in conditions if one.how != "check" and one.predicate != TRUE for part in _conjuncts(one.predicate)]
        step.held = tuple(dict.fromkeys(held))
        step.when = tuple(dict.fromkeys(render(part) for part in held))
        step.loop = in_loop(file, index) or any(isinstance(above, ir.Comprehension) for above in ancestors)


def is_read(row: MeasurementRow, file: File, index: int, call: ir.Call) -> bool:
    """Whether a call that gives an object with an amount in it, `get_device_properties(0)`, is made for the amount. What is returned or
    kept may be asked elsewhere."""
    attributes = [result.attribute for result in row.results]
    if not all(attributes):
        return True
    statement = file.statement(index)
    kept = any(isinstance(binding.target, ir.Attribute) and binding.value is call for binding in statement.bindings)
    returned = statement.kind == "return" and any(value is call for value in statement.values)
    scope = file.outline.statements[index].scope
    return kept or returned or any(True for name in attributes if name is not None for _ in file.mentions_in(scope, name))


class FunctionNames:
    """The names of the functions that a file defines, as a question about its text; see `TextQuestion`."""

    key = "definitions"

    def ask(self, files: Files, path: str) -> Answer:
        found = dict.fromkeys(defined_in(files.tree.read(path)))
        return [name.decode(errors="replace") for name in found] or None

    def follow(self, answer: Answer, edit: FileEdit) -> Answer:
        return answer


def defined_in(data: bytes) -> Iterator[bytes]:
    """The names of the functions that a text defines. To find each `def` and look at what stands before it on its line is many times
    faster than to try every beginning of a line."""
    for match in _DEF.finditer(data):
        if _BEFORE_DEF.fullmatch(data, data.rfind(b"\n", 0, match.start()) + 1, match.start()):
            yield match[1]


def _conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    return tuple(predicate.parts) if isinstance(predicate, And) else (predicate,)


def in_loop(file: File, index: int) -> bool:
    """Whether a statement stands in the body of a loop of its own function."""
    scope = file.outline.statements[index].scope
    at = index
    while at >= 0:
        row = file.outline.statements[at]
        if row.scope != scope:
            return False
        parent = row.parent
        if parent >= 0 and row.block == "body" and file.outline.statements[parent].kind in ("for", "while"):
            return file.outline.statements[parent].scope == scope
        at = parent
    return False


def calls_in_order(root: Expr) -> Iterator[tuple[ir.Call, tuple[Expr, ...]]]:
    """The calls of an expression in the order of evaluation, arguments first, with their ancestors; those of lambdas are left out."""
    pending: list[tuple[Expr, tuple[Expr, ...], bool]] = [(root, (), False)]
    while pending:
        node, above, done = pending.pop()
        if done:
            if isinstance(node, ir.Call):
                yield node, above
            continue
        if isinstance(node, ir.Lambda):
            continue
        pending.append((node, above, True))
        children = node.children()
        if isinstance(node, ir.Conditional):
            children = (node.test, node.body, node.orelse)
        elif isinstance(node, ir.Comprehension):
            children = tuple(reversed(children))
        pending.extend((child, (*above, node), False) for child in reversed(children))


_BUILTINS = frozenset({"Exception", "ValueError", "RuntimeError", "NotImplementedError", "AssertionError", "TypeError", "KeyError"})
