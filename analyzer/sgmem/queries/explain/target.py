"""Which formula a TARGET means: the function that computes it, and the name it has there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import NothingAnalysed
from sgmem.flow.aside import is_aside
from sgmem.flow.places import Field, LooseField, Variable
from sgmem.flow.wanted import Wanted
from sgmem.program.calls import bind
from sgmem.program.entities import Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from sgmem.domains.execution.context import Context
    from sgmem.flow.occurrences import Occurrence
    from sgmem.source.tree import SourceTree
    from sgmem.syntax.ir import Expr

MAX_CANDIDATES = 12
MAX_DEPTH = 3


class Passed(msgspec.Struct, frozen=True):
    """A parameter of a function, and the local of a caller that is passed for it; `passed` is the same for the caller's own
    parameter, where that is what it passes on.
    """

    parameter: str
    caller: Function
    local: str
    passed: tuple[Passed, ...] = ()


class Target(msgspec.Struct, frozen=True):
    """A function and the local or field that it computes; `name` is empty for what the function returns.

    `computing` counts the assignments that calculate, `calling` those that only call, `choosing` those of a number.
    """

    function: Function
    name: str
    shown: str
    computing: int = 0
    calling: int = 0
    choosing: int = 0
    passed: tuple[Passed, ...] = ()


def find_target(tree: SourceTree, context: Context, text: str, fit: Callable[[Target], int]) -> Target:
    """The target that a text means. Where several functions compute one of that name, the one that fits the given
    inputs best; raises NothingAnalysed, with candidates, where that leaves more than one.
    """
    wanted = Wanted(text)
    found = [target for target in _targets(context, wanted.bare) if _is_meant(target, wanted)]
    if not found:
        raise NothingAnalysed(
            f"no formula of {tree.root} computes {text!r}",
            hint="name a variable, field or function result that is calculated",
            candidates=_similar(tree, context, wanted),
        )
    best = _narrowed(found, lambda target: min(target.computing, 1))
    if not best[0].computing:
        best = _narrowed(best, lambda target: min(target.calling, 1))
    if len(best) > 1:
        best = _narrowed(best, fit)
    if len(best) > 1:
        names = tuple(sorted(target.shown for target in best))
        short = _shortest(names[0], names)
        raise NothingAnalysed(
            f"{text!r} may mean any of {len(best)} formulas",
            hint=f"name one of them, as much of it as tells it apart: {short}; or --set what only one of them reads",
            candidates=names[:MAX_CANDIDATES],
        )
    return best[0]


def _shortest(name: str, others: tuple[str, ...]) -> str:
    """The shortest end of a qualified name that no other one has."""
    parts = name.replace(":", ".").split(".")
    rest = [f".{other.replace(':', '.')}" for other in others if other != name]
    for count in range(1, len(parts)):
        short = ".".join(parts[-count:])
        if not any(other.endswith(f".{short}") for other in rest):
            return short
    return name


def _narrowed(targets: list[Target], score: Callable[[Target], int]) -> list[Target]:
    scores = [score(target) for target in targets]
    return [target for target, one in zip(targets, scores, strict=True) if one == max(scores)]


def _is_meant(target: Target, wanted: Wanted) -> bool:
    text = wanted.text.replace(":", ".")
    return f".{target.shown.replace(':', '.').removesuffix('()')}".endswith(f".{text}") or (
        target.name == wanted.bare and f".{_by_owner(target)}".endswith(f".{text}")
    )


def _by_owner(target: Target) -> str:
    """A field by its class alone: `module.Class.field`."""
    function = target.function
    owner = function.owner
    return f"{owner.qualified.replace(':', '.')}.{target.name}" if owner is not None else target.shown


def _targets(context: Context, name: str) -> Iterator[Target]:
    """Every function that assigns the name from a calculation or a call, and every function of that name."""
    occurrences = context.facts.occurrences
    counts: dict[Function, list[int]] = {}
    for seen in occurrences.writes(name):
        function = context.program.calls.inside(seen.file, seen.statement)
        if function is None or is_aside(seen.file, seen.statement) or not isinstance(seen.place, Field | LooseField | Variable):
            continue
        row = counts.setdefault(function, [0, 0, 0])
        row[0] += _calculates_anew(seen)
        row[1] += _calls(seen)
        row[2] += _chooses(seen)
    for function, (computing, calling, choosing) in counts.items():
        if computing or calling or choosing > 1:
            yield Target(function, name, f"{function.qualified}.{name}", computing, calling, choosing)
    for function in occurrences.functions(name):
        if not is_aside(function.file, function.scope.statement):
            returned = list(_returned(function))
            computing = sum(_is_arithmetic(value) for value in returned)
            if computing or any(isinstance(value, ir.Call) for value in returned):
                yield Target(function, "", f"{function.qualified}()", computing, 1)


def _similar(tree: SourceTree, context: Context, wanted: Wanted) -> tuple[str, ...]:
    shown = tuple(target.shown for target in _targets(context, wanted.bare))
    if shown:
        return shown[:MAX_CANDIDATES]
    from sgmem.queries.names import similar

    return similar(tree, wanted.bare)


def _calculates_anew(seen: Occurrence) -> bool:
    """Whether a write calculates the value from others; one that only scales what was there before does not."""
    binding = seen.binding
    if binding is None or binding.value is None or binding.how not in ("assign", "annotate"):
        return False
    return _is_arithmetic(binding.value) and not _reads(binding.value, seen)


def _reads(value: Expr, seen: Occurrence) -> bool:
    name = seen.node.attr if isinstance(seen.node, ir.Attribute) else seen.node.id if isinstance(seen.node, ir.Name) else ""
    return any(
        (isinstance(node, ir.Attribute) and node.attr == name) or (isinstance(node, ir.Name) and node.id == name)
        for node in ir.walk(value)
    )


def _calls(seen: Occurrence) -> bool:
    return seen.binding is not None and isinstance(seen.binding.value, ir.Call)


def _chooses(seen: Occurrence) -> bool:
    """Whether a write sets a number: with several of them, branches choose one."""
    value = seen.binding.value if seen.binding is not None else None
    return isinstance(value, ir.Const) and isinstance(value.value, int | float) and not isinstance(value.value, bool)


def _is_arithmetic(value: Expr) -> bool:
    return any(
        isinstance(node, ir.Binary) and node.operator in ("+", "-", "*", "/", "//", "<<", ">>", "%", "**") and not _is_text(node)
        for node in ir.walk(value)
    )


def _is_text(node: ir.Binary) -> bool:
    return any(
        isinstance(side, ir.Format | ir.Collection) or (isinstance(side, ir.Const) and isinstance(side.value, str))
        for side in (node.left, node.right)
    )


def _returned(function: Function) -> Iterator[Expr]:
    for index in function.file.own_statements(function.index):
        if function.file.outline.statements[index].kind == "return":
            yield from function.file.statement(index).values


def passed_for(context: Context, function: Function, parameter: str, depth: int = MAX_DEPTH) -> tuple[Passed, ...]:
    """The locals that the callers of a function pass for a parameter, through callers that only pass it on."""
    found: dict[Passed, None] = {}
    for site in context.program.calls.callers(function):
        caller = context.program.calls.inside(site.file, site.statement)
        if caller is None or is_aside(site.file, site.statement):
            continue
        for one in bind(site, function.parameters):
            if one.parameter != parameter or one.key is not None or not isinstance(one.argument.value, ir.Name):
                continue
            name = one.argument.value.id
            if depth and caller.parameter(name) is not None:
                for outer in passed_for(context, caller, name, depth - 1):
                    found[Passed(parameter, caller, name, (outer,))] = None
            found[Passed(parameter, caller, name)] = None
    return tuple(found)
