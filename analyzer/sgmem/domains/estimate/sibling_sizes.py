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

_ITEM = r"\[\w+\]\.nbytes\b"
"""The bytes of one entry of a buffer."""
_GRANULE = re.compile(r"(?:\w*_)?(?:page|block|granule|chunk)_size")


class SiblingSize(msgspec.Struct, frozen=True):
    """`short`, kept as `name` by `owner`, leaves out `factor`, which `full` of a sibling class multiplies with."""

    name: str
    owner: str
    factor: str
    short: Location
    full: Location


class _Size(msgspec.Struct, frozen=True):
    name: str
    method: Function
    owner: Class
    value: Location
    factors: frozenset[str]


def sibling_sizes(program: Program) -> Iterator[SiblingSize]:
    """Every such size in methods of one name of classes with a common ancestor."""
    found: dict[tuple[str, str], list[_Size]] = {}
    for path in program.files.with_text(_ITEM, words="nbytes"):
        file = program.files.get(path)
        for index in file.mentions("nbytes") if file is not None else ():
            if file is not None and not is_aside(file, index) and re.search(_ITEM, file.own_text(index)):
                for size in _sizes(program, file, index):
                    found.setdefault((size.method.name, size.name), []).append(size)
    for sizes in found.values():
        for short in sizes:
            for full in sizes:
                missing = sorted(full.factors - short.factors)
                if missing and short.owner != full.owner and _are_siblings(program, short.owner, full.owner):
                    if not _counts_items(short.owner, missing[0]) and program.classes.owners(short.owner, missing[0]):
                        yield SiblingSize(short.name, short.owner.name, missing[0], short.value, full.value)
                        break


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
            yield _Size(spelled(targets[0]), function, function.owner, Location(file, index, binding.value.span), with_all)


def _items(value: Expr, receiver: str | None) -> Iterator[Expr]:
    """The products, outermost, and the bare amounts that a value holds of the bytes of an entry of the object's own buffers."""
    for node, above in ir.paths(value):
        inside = any(isinstance(one, ir.Binary) and one.operator == "*" for one in above)
        product = isinstance(node, ir.Binary) and node.operator == "*"
        if not inside and (product or _is_item(node, receiver)) and any(_is_item(one, receiver) for one in factors(node)):
            yield node


def _is_item(node: Expr, receiver: str | None) -> bool:
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
        for one in factors(product)
        if isinstance(one, ir.Attribute) and isinstance(one.base, ir.Name) and one.base.id == receiver and _GRANULE.fullmatch(one.attr)
    )
