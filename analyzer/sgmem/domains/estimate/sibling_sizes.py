"""Sizes in bytes that sibling classes work out under one name, of which one leaves out a number that the other multiplies with.

`item_len = self.keys[0].nbytes * self.page_size` in one pool, `item_len = self.latent[0].nbytes` in the next.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.ranks.groups import factors, spelled
from sgmem.flow.aside import is_aside
from sgmem.program.classes import assigned
from sgmem.program.entities import Class, Function
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_ENTRY = r"\[\w+\]\.nbytes\b"
"""The bytes of one entry of a buffer."""
_PER_TOKEN = "token_stride_size|size_per_token|bytes_per_token"
_KEPT = rf"=[^=][^=]*(?:{_ENTRY}|self\.(?:{_PER_TOKEN})\b)"
MIN_FULL = 2
"""So many classes that are not related must multiply."""
_GRANULE = re.compile(r"(?:\w*_)?(?:page|block|granule|chunk)_size")


class SiblingSize(msgspec.Struct, frozen=True):
    """`short`, kept as `name` by `owner`, leaves out `factor`, which `full` of a sibling class multiplies with."""

    name: str
    owner: str
    factor: str
    short: Location
    full: Location


class _Size(msgspec.Struct, frozen=True):
    """`per_token`: the bytes are called those of a token, not taken from a buffer."""

    name: str
    method: Function
    owner: Class
    value: Location
    factors: frozenset[str]
    per_token: bool


def sibling_sizes(program: Program) -> Iterator[SiblingSize]:
    """Every such size in methods of one name of classes with a common ancestor."""
    found: dict[tuple[str, str], list[_Size]] = {}
    for path in program.files.with_text(_KEPT, words="nbytes|token_stride|_per_token"):
        file = program.files.get(path)
        for index in _places(file) if file is not None else ():
            if file is not None and not is_aside(file, index) and re.search(_KEPT, file.own_text(index)):
                for size in _sizes(program, file, index):
                    found.setdefault((size.method.name, "_".join(size.name.split("_")[-2:])), []).append(size)
    for sizes in found.values():
        for short in sizes:
            full = _full(program, short, sizes)
            if full is not None:
                missing = min(full.factors - short.factors)
                yield SiblingSize(short.name, short.owner.name, missing, short.value, full.value)


def _places(file: File) -> list[int]:
    words = ("nbytes", *_PER_TOKEN.split("|"))
    return sorted({index for word in words if word in file.source.text for index in file.mentions(word)})


def _full(program: Program, short: _Size, sizes: list[_Size]) -> _Size | None:
    """A size of a related class, or one of several of others, that has a granule more, which objects of the class have as well."""
    fuller = [one for one in sizes if one.owner != short.owner and one.factors - short.factors]
    for full in fuller:
        missing = min(full.factors - short.factors)
        enough = _are_siblings(program, short.owner, full.owner) or len({one.owner for one in fuller}) >= MIN_FULL
        whole = not short.per_token and _counts_items(short.owner, missing)
        if enough and not whole and (program.classes.owners(short.owner, missing) or _inherits(program, short.owner, missing)):
            return full
    return None


def _inherits(program: Program, owner: Class, field: str) -> bool:
    return any(program.classes.owns(each, field) for each in program.classes.mro(owner))


def _are_siblings(program: Program, one: Class, other: Class) -> bool:
    return not set(program.classes.mro(one)).isdisjoint(program.classes.mro(other))


def _counts_items(owner: Class, granule: str) -> bool:
    """Whether a class makes its buffers of whole granules, so that an entry of one is a granule already, or keeps items without."""
    text = owner.file.source.slice(owner.scope.span)
    return re.search(rf"//\s*self\.{granule}\b|[(,]\s*self\.{granule}\s*,", text) is not None


def _sizes(program: Program, file: File, index: int) -> Iterator[_Size]:
    """What a statement of a method keeps of the bytes of entries, with the granules it multiplies them with."""
    function = program.calls.inside(file, index)
    if function is None or function.owner is None:
        return
    for binding in file.statement(index).bindings:
        targets = assigned(binding.target)
        if binding.value is None or binding.how not in ("assign", "annotate") or len(targets) != 1:
            continue
        multiplied = [_multiplied(node, function.receiver) for node in _items(binding.value, function.receiver)]
        if multiplied:
            with_all = frozenset.intersection(*multiplied)
            named = re.search(rf"self\.(?:{_PER_TOKEN})\b", file.source.slice(binding.value.span)) is not None
            place = Location(file, index, binding.value.span)
            yield _Size(spelled(targets[0]), function, function.owner, place, with_all, named)


def _items(value: Expr, receiver: str | None) -> Iterator[Expr]:
    """The products, outermost, and the bare amounts that a value holds of the bytes of an entry of the object's own buffers."""
    for node, above in ir.paths(value):
        inside = any(isinstance(one, ir.Binary) and one.operator == "*" for one in above)
        product = isinstance(node, ir.Binary) and node.operator == "*"
        if not inside and (product or _is_item(node, receiver)) and any(_is_item(one, receiver) for one in _repeated(node)):
            yield node


def _repeated(product: Expr) -> Iterator[Expr]:
    """What a product multiplies, and what the only entry of a list does that it repeats."""
    for one in factors(product):
        if isinstance(one, ir.Collection) and len(one.items) == 1:
            yield from factors(one.items[0])
        else:
            yield one


def _is_item(node: Expr, receiver: str | None) -> bool:
    if isinstance(node, ir.Attribute) and re.fullmatch(_PER_TOKEN, node.attr):
        return isinstance(node.base, ir.Name) and node.base.id == receiver
    if not isinstance(node, ir.Attribute) or node.attr != "nbytes" or not isinstance(node.base, ir.Subscript):
        return False
    root: Expr = node.base
    while isinstance(root, ir.Attribute | ir.Subscript | ir.Call):
        root = root.func if isinstance(root, ir.Call) else root.base
    return isinstance(root, ir.Name) and root.id == receiver


def _multiplied(product: Expr, receiver: str | None) -> frozenset[str]:
    """The granules among the factors of a product that are fields of the object."""
    return frozenset(
        one.attr
        for one in _repeated(product)
        if isinstance(one, ir.Attribute) and isinstance(one.base, ir.Name) and one.base.id == receiver and _GRANULE.fullmatch(one.attr)
    )
