"""Lists with an entry for each layer that a pool cuts to its pipeline stage, and that an estimate counts as a whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.defects.ranks.mixed_extents import Given, MixedExtent, per_token
from sgmem.domains.ranks.extents import Extent
from sgmem.domains.ranks.groups import STAGES, spelled
from sgmem.flow.aside import is_aside
from sgmem.program.text_answers import matches
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_CUT = r"\[[\w.]*start\w*\s*:\s*[\w.]*end\w*\s*\]"
_COUNT = r"layers?(?:_\w+)?\s*=\s*(?:len|sum)\("
_LAYERS = re.compile(r"\w*layers?(?:_\w+)?")
_SIZING = re.compile(r"_per_\w*token|Pool\(")
_BOUNDS = re.compile(r"start_layer|end_layer")
_SIZES = r"Pool\(|class \w*Pool\b"


def uncut_lists(program: Program, groups: Groups, counts: Counts) -> Iterator[MixedExtent]:
    """The first such count of each function, beside a cut."""
    for path in program.files.with_text(_COUNT, begins=("layer",)):
        file = program.files.get(path) if _seems_sizing(program, path, counts) else None
        seen: set[int] = set()
        for index in _places(file) if file is not None else ():
            if file is None or file.outline.statements[index].scope in seen or is_aside(file, index):
                continue
            scope = file.outline.statements[index].scope
            for target, value, listed in _counted(file, index) if _is_sizing(file, scope, counts) else ():
                cut = None if _is_cut(program, file, index, listed) else _cut(program, groups, listed)
                if cut is not None:
                    seen.add(scope)
                    at = Location(file, index, value.span)
                    part = Given(cut, cut.function, Extent("part", "layers", cut))
                    yield MixedExtent(Given(at, target, Extent("whole", "layers", at)), (part,))
                    break


def _places(file: File) -> Iterator[int]:
    """The statements that may count the entries of a list as layers."""
    return (index for index in file.matching(_COUNT) if file.shape(index).kind in ("assign", "annotate"))


def _cut(program: Program, groups: Groups, name: str) -> Location | None:
    """Where a list is cut to the layers of a stage for memory that is allocated."""
    wanted = re.compile(rf"\b{re.escape(name)}{_CUT}")
    for path in program.files.containing(name, "start_layer"):
        cuts = all(program.files.scanned(path, matches, pattern) for pattern in (wanted.pattern, _SIZES))
        file = program.files.get(path) if cuts else None
        if file is None:
            continue
        for index in file.mentions(name):
            for root in file.statement(index).expressions() if wanted.search(file.own_text(index)) else ():
                for node in ir.walk(root):
                    if isinstance(node, ir.Subscript) and isinstance(node.index, ir.Slice) and spelled(node.base) == name:
                        sides = (node.index.lower, node.index.upper)
                        if all(side is not None and groups.bound(side, file, index) == {STAGES} for side in sides):
                            return Location(file, index, node.span)
    return None


def _seems_sizing(program: Program, path: str, counts: Counts) -> bool:
    source = program.files.source(path)
    return source is not None and any(one.search(source.text) is not None for one in (_SIZING, per_token(counts)))


def _is_sizing(file: File, scope: int, counts: Counts) -> bool:
    """Whether the outermost class or function around sizes memory, and says nothing of the bounds of a stage."""
    own = file.source.slice(file.scope(scope).span)
    while scope > 0 and file.scope(scope).parent > 0:
        scope = file.scope(scope).parent
    text = file.source.slice(file.scope(scope).span) if scope > 0 else ""
    sizes = per_token(counts).search(text) or re.search(r"bytes_per_\w*token|Pool\(", text)
    return sizes is not None and _BOUNDS.search(own) is None


def _counted(file: File, index: int) -> Iterator[tuple[str, Expr, str]]:
    """What is called a number of layers and is the number of a list's entries, all or those that are of a kind; with its name."""
    for binding in file.statement(index).bindings:
        target = spelled(binding.target)
        value = binding.value
        if isinstance(value, ir.Call) and last_name(value) in ("len", "sum") and len(value.args) == 1 and _LAYERS.fullmatch(target):
            counted = value.args[0].value
            name = spelled(counted.clauses[0].iterable if isinstance(counted, ir.Comprehension) else counted)
            if name:
                yield target, value, name


def _is_cut(program: Program, file: File, index: int, name: str) -> bool:
    """Whether a list is what some assignment cut, in the same function or in the object."""
    scope = file.outline.statements[index].scope
    function = program.calls.inside(file, index)
    places = [(file, at) for at in program.names.bindings(file, scope, name)]
    if function is not None and function.owner is not None:
        places += [(method.file, at) for method, at in program.classes.stores(function.owner, name)]
    return any(
        isinstance(node, ir.Slice)
        for source, at in places
        for binding in source.statement(at).bindings
        if binding.value is not None
        for node in ir.walk(binding.value)
    )
