"""Buffers that a class allocates and that its own method for how much it holds leaves out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.flow.order import ENTRY
from sgmem.models.patterns import last_name as last_name_of
from sgmem.program.entities import Class, Function
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.flow.order import Order
    from sgmem.program.file import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_WORD = r"\w*(?:size_bytes|bytes_size|mem_usage|memory_usage|nbytes)\w*|get_\w*(?:mem|cache|pool|buffer|mamba|state|kv)\w*_size"
_REPORT = re.compile(rf"^(?:{_WORD})$")
_MEASURES = re.compile(r"nbytes|itemsize|element_size|size_bytes|numel")
_ANY = re.compile(r"\bvars\(|__dict__|\bfields\(|\bgetattr\(")
"""How a method takes in every field there is."""
_ABOVE = re.compile(r"\bsuper\((?:(\w+), *\w+)?\)\.__init__\(")


class Buffer(msgspec.Struct, frozen=True):
    """`field` is set to what is allocated at `location`; in a tuple, as its element `element`. `sizes` are the names in its shape."""

    field: str
    location: Location
    element: int | None
    sizes: frozenset[str]


class Unreported(msgspec.Struct, frozen=True):
    """Objects of `owner` allocate `left_out` beside `counted`, and `method` adds up the latter only, at `report`."""

    owner: str
    method: str
    left_out: tuple[Buffer, ...]
    counted: Buffer
    report: Location


def unreported(facts: ProgramFacts) -> Iterator[Unreported]:
    """Every buffer that a class's own report of its size leaves out, once."""
    program, models, order = facts.program, facts.models, facts.order
    allocating = {last_name_of(name) for row in models.sinks.rows if row.kind == "tensor" for name in row.names}
    seen: set[Location] = set()
    for path in program.files.with_text(rf"\bdef (?:{_WORD})\(", begins=("def ",)):
        file = program.files.get(path)
        for scope in file.outline.scopes if file is not None else ():
            if (
                file is None
                or scope.kind != "function"
                or _REPORT.search(scope.name) is None
                or file.scope(scope.parent).kind != "class"
            ):
                continue
            owner = Class(file, scope.parent)
            method = program.classes.method(owner, scope.name)
            for each in (owner, *program.classes.subclasses(owner)) if method is not None else ():
                if method is not None and program.classes.method(each, scope.name) == method:
                    found = _of_class(program, order, each, method, allocating)
                    if found is not None and found.left_out[0].location not in seen:
                        seen |= {one.location for one in found.left_out}
                        yield found


def _of_class(program: Program, order: Order, owner: Class, method: Function, allocating: set[str]) -> Unreported | None:
    counted = _counted(program, owner, method)
    building = _building(program, owner) if counted else []
    buffers = [one for each in building for one in _allocated(order, each, allocating)]
    known = [one for one in buffers if _is_counted(one, counted)]
    whole = {one.field for one in known if one.element is None} | {name for each in building for name in _viewed(each, counted)}
    left_out = [one for one in buffers if not _is_counted(one, counted) and one.field not in whole]
    for beside in known:
        alike = tuple(one for one in left_out if one.sizes & beside.sizes)
        if alike:
            return Unreported(owner.name, method.name, alike, beside, counted[beside.field][0])
    return None


def _viewed(function: Function, counted: Iterable[str]) -> Iterator[str]:
    """The fields of which a method makes those that are counted: views of a larger buffer."""
    for index in function.file.own_statements(function.index):
        for binding in function.file.statement(index).bindings if function.file.outline.statements[index].kind == "assign" else ():
            target = binding.target
            if isinstance(target, ir.Attribute) and target.attr in counted and binding.value is not None:
                for node in ir.walk(binding.value):
                    if isinstance(node, ir.Attribute) and dotted(node.base) == function.receiver:
                        yield node.attr


def _is_counted(buffer: Buffer, counted: dict[str, tuple[Location, frozenset[int] | None]]) -> bool:
    if buffer.field not in counted:
        return False
    elements = counted[buffer.field][1]
    return elements is None or buffer.element is None or buffer.element in elements


def _counted(program: Program, owner: Class, method: Function) -> dict[str, tuple[Location, frozenset[int] | None]]:
    """The fields whose sizes a method adds up, with the elements where it takes some only; none where it takes all fields there are."""
    found: dict[str, tuple[Location, frozenset[int] | None]] = {}
    pending, done = [method], set[Function]()
    measures = False
    while pending:
        function = pending.pop()
        if function in done or function.receiver is None:
            continue
        done.add(function)
        text = _text(function)
        if _ANY.search(text):
            return {}
        measures = measures or _MEASURES.search(text.partition("\n")[2]) is not None
        for index in function.file.own_statements(function.index):
            if function.file.outline.statements[index].kind == "assert":
                continue
            for root in function.file.statement(index).expressions():
                for node, ancestors in ir.paths(root):
                    if not isinstance(node, ir.Attribute):
                        continue
                    if dotted(node.base) == function.receiver:
                        _add(found, node.attr, Location(function.file, index, node.span), ancestors[-1] if ancestors else None)
                        inner = program.classes.method(owner, node.attr)
                    elif isinstance(node.base, ir.Call) and last_name(node.base) == "super" and function.owner is not None:
                        inner = program.classes.method_after(owner, function.owner, node.attr)
                    else:
                        inner = None
                    if inner is not None:
                        pending.append(inner)
    return found if measures else {}


def _add(found: dict[str, tuple[Location, frozenset[int] | None]], field: str, at: Location, above: Expr | None) -> None:
    """Note that a field is taken in, as a whole or one element of it."""
    index = above.index if isinstance(above, ir.Subscript) else None
    element = index.value if isinstance(index, ir.Const) and isinstance(index.value, int) else None
    before = found.get(field)
    if element is None or (before is not None and before[1] is None):
        found[field] = (before[0] if before is not None else at, None)
    else:
        found[field] = (
            before[0] if before is not None else at,
            (before[1] or frozenset()) | {element} if before else frozenset({element}),
        )


def _building(program: Program, owner: Class) -> list[Function]:
    """The constructors of a class as far as they call each other, and the methods of the object that they call."""
    found: dict[Function, None] = {}
    passed: str | None = None
    for each in program.classes.mro(owner):
        if passed is not None:
            passed = None if each.name == passed else passed
            continue
        own = next(
            (index for index, one in enumerate(each.file.outline.scopes) if one.parent == each.index and one.name == "__init__"), None
        )
        if own is None:
            continue
        constructor = Function(each.file, own)
        found[constructor] = None
        above = _ABOVE.search(_text(constructor))
        if above is None:
            break
        passed = above[1] if above[1] != each.name else None
    pending = list(found)
    while pending:
        function = pending.pop()
        for name in dict.fromkeys(re.findall(rf"\b{function.receiver}\.(\w+)\(", _text(function))):
            inner = program.classes.method(owner, name)
            if inner is not None and inner not in found:
                found[inner] = None
                pending.append(inner)
    return list(found)


def _text(function: Function) -> str:
    return function.file.source.slice(function.file.outline.statements[function.file.scope(function.index).statement].span)


def _allocated(order: Order, function: Function, allocating: set[str]) -> Iterator[Buffer]:
    """What a method allocates and keeps in fields."""
    file, receiver = function.file, function.receiver
    for index in file.own_statements(function.index):
        if file.outline.statements[index].kind not in ("assign", "annotate") or receiver is None:
            continue
        if f"{receiver}." not in file.own_text(index):
            continue
        for binding in file.statement(index).bindings:
            target = binding.target
            if not isinstance(target, ir.Attribute) or dotted(target.base) != receiver or binding.value is None:
                continue
            if isinstance(binding.value, ir.Collection):
                for element, item in enumerate(binding.value.items):
                    for call, at in _calls(order, file, index, item, allocating):
                        yield from _buffer(target.attr, call, file, at, element)
            else:
                for call, at in _calls(order, file, index, binding.value, allocating):
                    yield from _buffer(target.attr, call, file, at, None)


def _calls(order: Order, file: File, index: int, value: Expr, allocating: set[str]) -> Iterator[tuple[ir.Call, int]]:
    """The allocating calls that a value is, or a list of which it is made; a local is looked up."""
    if isinstance(value, ir.Name):
        scope = file.outline.statements[index].scope
        for at in sorted(order.reaching(file, scope, value.id, index) - {ENTRY}):
            for binding in file.statement(at).bindings:
                if dotted(binding.target) == value.id and binding.value is not None and not isinstance(binding.value, ir.Name):
                    yield from _calls(order, file, at, binding.value, allocating)
    elif isinstance(value, ir.Comprehension):
        yield from _calls(order, file, index, value.element, allocating)
    elif isinstance(value, ir.Call) and isinstance(value.func, ir.Attribute) and value.func.attr in allocating:
        yield value, index


def _buffer(field: str, call: ir.Call, file: File, at: int, element: int | None) -> Iterator[Buffer]:
    """A buffer of at least two dimensions: what has one keeps addresses, indices and the like."""
    shape = next((one.value for one in call.args if one.keyword == "size"), None)
    if shape is None:
        shape = next((one.value for one in call.args if one.keyword is None), None)
    if isinstance(shape, ir.Binary | ir.Collection) and (not isinstance(shape, ir.Collection) or len(shape.items) > 1):
        names = frozenset(text.rpartition(".")[2] for node in ir.walk(shape) if (text := dotted(node)) is not None)
        yield Buffer(field, Location(file, at, call.span), element, names - {"self"})
