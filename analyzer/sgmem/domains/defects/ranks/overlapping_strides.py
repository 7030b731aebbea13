"""Indices of devices and ranks of which two ranks get the same, because a stride does not step over all ranks within it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.ranks.groups import factors, spelled
from sgmem.domains.ranks.strides import Index, RankTerm, Stride, index_of, stride_of
from sgmem.program.calls import CallSite, bind
from sgmem.program.entities import Function
from sgmem.program.text_answers import lines_with
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_INDEX = re.compile(r"gpu|device|local_rank|(?:^|_)rank$|global_rank|world_rank|cuda")
"""Names of what numbers devices and processes, where two of the same number are a mistake."""
_RANK_OR_STEP = r"_rank\b|(?:gpu|device)\w* \+= "
_IN_LINES = ("_rank", " += ")
_HERE = re.compile(_RANK_OR_STEP.encode())
_CALCULATES = re.compile(rb"[*+]")
_RANK = re.compile(rb"\b(?:[a-z]+_)?[a-z]p_rank\b")
_GIVES_INDEX = re.compile(rb"(?:gpu|device|local_rank|global_rank|world_rank|cuda|[^\w.]rank)\w*\s*(?::\s*int\s*)?\+?=[^=]")
_AROUND = 160
"""How much text around a line is searched for other ranks and the name that receives the value."""
MAX_DEPTH = 4


class OverlappingStride(msgspec.Struct, frozen=True):
    """`stride` steps over too little: `inner` ranks beyond it get the numbers of the next. `missing` says what it lacks: the size of a
    group, or a factor of the inner stride by its text.
    """

    stride: Location
    missing: str
    is_group: bool
    inner: Location
    target: str


def overlapping_strides(program: Program, groups: Groups) -> Iterator[OverlappingStride]:
    """The strides that are too short for the ranks they step over."""
    for path in program.files.with_text(_RANK_OR_STEP, words="_rank|gpu|device", holds=_IN_LINES):
        data = program.files.tree.read(path)
        if b"_rank" not in data or b"_size" not in data or not (b"gpu" in data or b"local_rank" in data or b"rank=" in data):
            continue
        lines = _lines(data)
        file = program.files.get(path) if lines else None
        if file is None:
            continue
        for statement in sorted({file.statement_at(line, column) for line, column in lines} - {-1}):
            yield from _in_statement(program, groups, file, statement)


def _lines(data: bytes) -> list[tuple[int, int]]:
    """Where the text may build an index out of ranks, or step over them."""
    found: dict[int, tuple[int, int]] = {}
    lines = {line for part in _IN_LINES for line in lines_with(data, part.encode(), b"\n")}
    for start, end in lines:
        for match in _HERE.finditer(data, start, end) if _CALCULATES.search(data, start, end) is not None else ():
            if _is_step(data, match) or (_has_ranks(data, start, match.end()) and _is_given(data, start, match.end())):
                found[start] = (data.count(b"\n", 0, start) + 1, len(data[start : match.start()].decode(errors="replace")) + 1)
                break
    return list(found.values())


def _is_step(data: bytes, match: re.Match[bytes]) -> bool:
    return match[0].endswith(b"+= ") and b"_size" in data[match.end() : match.end() + _AROUND]


def _has_ranks(data: bytes, start: int, end: int) -> bool:
    return len(set(_RANK.findall(data, max(0, start - _AROUND), end + _AROUND))) > 1


def _is_given(data: bytes, start: int, end: int) -> bool:
    """Whether the value seems to go to a name of an index, or to be what a function of such a name returns."""
    if _GIVES_INDEX.search(data, max(0, start - _AROUND), end) is not None:
        return True
    defined = data.rfind(b"def ", max(0, start - 10 * _AROUND), start)
    header = data[defined : data.find(b"(", defined)]
    return defined >= 0 and b"return" in data[defined:end] and _INDEX.search(header[4:].decode(errors="replace")) is not None


def _in_statement(program: Program, groups: Groups, file: File, statement: int) -> Iterator[OverlappingStride]:
    for target, value in _indices(file, statement):
        index = index_of(value, file, statement, groups)
        yield from _within(index, target, file, statement)
        yield from _around(program, groups, index, file, statement)
    yield from _accumulated(program, groups, file, statement)


def _indices(file: File, statement: int) -> Iterator[tuple[str, Expr]]:
    """What a statement gives to names of indices: variables, keywords, and what a function of such a name returns."""
    lowered = file.statement(statement)
    for binding in lowered.bindings:
        if binding.how in ("assign", "annotate") and binding.value is not None and _INDEX.search(spelled(binding.target)):
            yield spelled(binding.target), binding.value
    for root in lowered.expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call):
                for argument in node.args:
                    if argument.keyword and _INDEX.search(argument.keyword):
                        yield argument.keyword, argument.value
    name = file.scope(file.outline.statements[statement].scope).name
    if lowered.kind == "return" and _INDEX.search(name):
        yield from ((f"{name}()", value) for value in lowered.values)


def _within(index: Index, target: str, file: File, statement: int) -> Iterator[OverlappingStride]:
    """Two ranks of one sum: the stride of one of them must step over all of the other's."""
    for place, outer in enumerate(index.terms):
        for inner in index.terms[place + 1 :]:
            if outer.group == inner.group:
                continue
            one, other = _ordered(outer, inner)
            yield from _short(one.stride, other, index, Location(file, statement, one.term.span), target, file, statement)


def _ordered(left: RankTerm, right: RankTerm) -> tuple[RankTerm, RankTerm]:
    """The outer of two terms first: the one whose stride steps over the other's group."""
    return (right, left) if left.group in right.stride.sizes else (left, right)


def _short(
    stride: Stride, inner: RankTerm, index: Index, at: Location, target: str, file: File, statement: int
) -> Iterator[OverlappingStride]:
    """What a stride lacks to step over the ranks of a term of an index. One with a factor of unknown meaning may have it all."""
    inside = Location(file, statement, inner.term.span)
    if inner.group not in stride.sizes:
        if not _own(stride, index):
            yield OverlappingStride(at, inner.group, True, inside, target)
    elif missing := sorted(inner.stride.others - stride.others):
        yield OverlappingStride(at, missing[0], False, inside, target)


def _own(stride: Stride, index: Index) -> frozenset[str]:
    """The factors of a stride that no other term of the index has."""
    others = frozenset[str]().union(*(term.stride.others for term in index.terms if term.stride is not stride))
    return stride.others - others


def _accumulated(program: Program, groups: Groups, file: File, statement: int) -> Iterator[OverlappingStride]:
    """`base += tp_size * step` in a loop, where what the base is handed to adds ranks to it."""
    for binding in file.statement(statement).bindings:
        name = spelled(binding.target)
        if binding.how != "augment" or binding.operator != "+" or binding.value is None or not _INDEX.search(name):
            continue
        stride = stride_of(binding.value, list(factors(binding.value)), file, statement, groups)
        if not stride.sizes:
            continue
        at = Location(file, statement, binding.value.span)
        scope = file.outline.statements[statement].scope
        seen: set[tuple[str, str]] = set()
        for index in file.mentions_in(scope, name):
            for found in _handed(program, groups, name, file, index, stride, at, 0):
                if (key := (found.missing, found.inner.path)) not in seen:
                    seen.add(key)
                    yield found


def _around(program: Program, groups: Groups, index: Index, file: File, statement: int) -> Iterator[OverlappingStride]:
    """A sum whose value is handed on, to where more ranks are added to it."""
    lowered = file.statement(statement)
    if len(index.terms) != 1 or not index.terms[0].stride.sizes:
        return
    term = index.terms[0]
    scope = file.outline.statements[statement].scope
    for binding in lowered.bindings:
        name = spelled(binding.target)
        if isinstance(binding.target, ir.Name):
            for place in file.mentions_in(scope, name):
                yield from _handed(program, groups, name, file, place, term.stride, Location(file, statement, term.term.span), 0)


def _handed(
    program: Program, groups: Groups, name: str, file: File, statement: int, stride: Stride, at: Location, depth: int
) -> Iterator[OverlappingStride]:
    """The indices that the functions which get `name` at a statement build upon it, as far as the stride is too short for them."""
    if depth >= MAX_DEPTH or file.outline.statements[statement].kind in ("function", "class"):
        return
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            if not isinstance(node, ir.Call):
                continue
            for function, parameter in _receivers(program, node, name, file, statement):
                yield from _built_upon(program, groups, function, parameter, stride, at, depth + 1)


def _receivers(program: Program, call: ir.Call, name: str, file: File, statement: int) -> Iterator[tuple[Function, str]]:
    """The parameters that a call fills with a variable; `target=f, args=(...)` calls f in a thread or process of its own."""
    scope = file.outline.statements[statement].scope
    given = {argument.keyword: argument.value for argument in call.args if argument.keyword}
    target, args = given.get("target"), given.get("args")
    if target is not None and isinstance(args, ir.Collection):
        inner = ir.Call(call.span, target, tuple(ir.Argument(item.span, item) for item in args.items))
        yield from _receivers(program, inner, name, file, statement)
        return
    if not any(isinstance(argument.value, ir.Name) and argument.value.id == name for argument in call.args):
        return
    for function, filled, certain in program.calls.targets(call, file, scope):
        if isinstance(function, Function):
            for one in bind(CallSite(file, statement, call, filled, certain), function.parameters):
                if one.parameter is not None and one.key is None and spelled(one.argument.value) == name:
                    yield function, one.parameter


def _built_upon(
    program: Program, groups: Groups, function: Function, parameter: str, stride: Stride, at: Location, depth: int
) -> Iterator[OverlappingStride]:
    file = function.file
    for statement in file.mentions_in(function.index, parameter):
        if file.outline.statements[statement].kind in ("function", "class"):
            continue
        for target, value in _indices(file, statement):
            index = index_of(value, file, statement, groups)
            if any(isinstance(rest, ir.Name) and rest.id == parameter for rest in index.rest):
                for term in index.terms:
                    yield from _short(stride, term, index, at, target, file, statement)
        yield from _handed(program, groups, parameter, file, statement, stride, at, depth)
