"""What stops a value: the checks it meets, where they raise, and with which message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.accounting.formulas import formulas_in
from sgmem.domains.accounting.location import Location, of_statement
from sgmem.program.files import dotted
from sgmem.queries.results.explain import GuardRow
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.execution.context import Context
    from sgmem.program.files import File
    from sgmem.queries.explain.meaning import Meanings
    from sgmem.queries.explain.run import Run
    from sgmem.queries.explain.target import Target
    from sgmem.syntax.ir import Expr

MAX_GUARDS = 4


def guards_of(context: Context, meanings: Meanings, target: Target, run: Run) -> tuple[GuardRow, ...]:
    """The checks on the way of the value: those of its own function, then those it meets where it is handed on."""
    found: dict[tuple[str, int], GuardRow] = {}
    own = set(run.value.inputs) if run.value is not None else set()
    for guard in run.machine.guards:
        if guard.test.inputs and guard.test.inputs <= own:
            at = Location(guard.file, guard.statement, guard.test.expr.span)
            found.setdefault((at.path, at.line), _row(context, meanings, at, guard.statement, guard.outcome))
    for at, statement in _downstream(context, target, run):
        number = run.number
        fires = None if number is None or number == 0 else number < 0
        found.setdefault((at.path, at.line), _row(context, meanings, at, statement, fires))
    return tuple(found.values())[:MAX_GUARDS]


def _downstream(context: Context, target: Target, run: Run) -> Iterator[tuple[Location, int]]:
    """The tests behind the formula that leave or branch when its value is negative."""
    steps = [step for step in run.machine.steps if step.level == 0 and step.file is target.function.file]
    wanted = [step for step in steps if step.target.rpartition(".")[2] in (target.name, f"{target.function.name}()")]
    for step in reversed(wanted):
        for formula in formulas_in(step.file, step.statement):
            if formula.target.rpartition(".")[2] in (target.name, f"{target.function.name}()"):
                for check in context.facts.reaches.of(formula).checks:
                    if not check.clamps:
                        yield check.location, check.location.statement


def _row(context: Context, meanings: Meanings, at: Location, statement: int, fires: bool | None) -> GuardRow:
    raised = _raise_of(at.file, statement)
    place = meanings.code_place(of_statement(at.file, raised)) if raised is not None else None
    message = message_of(context, at.file, raised) if raised is not None else None
    uri = meanings.tree.files[at.path].uri
    return GuardRow(at.code, at.path, uri, at.line, at.symbol, fires, place, message)


def _raise_of(file: File, statement: int) -> int | None:
    """The raise in the body of an `if`, or the assert itself."""
    rows = file.outline.statements
    if rows[statement].kind == "assert":
        return statement
    return next((index for index in file.outline.inside(statement, "body") if rows[index].kind == "raise"), None)


def message_of(context: Context, file: File, statement: int) -> str | None:
    """The text that a raise or assert shows, with the formatted values as the source spells them. A local is looked up."""
    lowered = file.statement(statement)
    value: Expr | None = lowered.values[0] if lowered.values else None
    if lowered.kind == "assert":
        value = lowered.values[1] if len(lowered.values) > 1 else None
    if isinstance(value, ir.Call):
        value = value.args[0].value if value.args else None
    if value is None:
        return None
    text = _spelled(_looked_up(context, value, file, statement), file)
    return " ".join(text.split()) or None


def _looked_up(context: Context, value: Expr, file: File, statement: int) -> Expr:
    """What a local that is shown as a whole was set to, where that is one assignment."""
    if not isinstance(value, ir.Name):
        return value
    reaching = context.facts.order.reaching(file, file.outline.statements[statement].scope, value.id, statement)
    for index in reaching if len(reaching) == 1 else ():
        for binding in file.statement(index).bindings if index >= 0 else ():
            if binding.value is not None and dotted(binding.target) == value.id and binding.how == "assign":
                return binding.value
    return value


def _spelled(value: Expr, file: File) -> str:
    match value:
        case ir.Const(value=str() as text):
            return text
        case ir.Format(parts=parts):
            return "".join(
                part.value if isinstance(part, ir.Const) and isinstance(part.value, str) else f"{{{file.source.slice(part.span)}}}"
                for part in parts
            )
        case ir.Binary(operator="+", left=left, right=right):
            return _spelled(left, file) + _spelled(right, file)
    return f"{{{' '.join(file.source.slice(value.span).split())}}}"
