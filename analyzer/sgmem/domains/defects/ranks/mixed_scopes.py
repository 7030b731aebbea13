"""The larger of two counts of which one was multiplied by the number of ranks, and the other one is a single rank's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, last_name
from sgmem.domains.accounting.model_words import any_of, words_of_group
from sgmem.domains.ranks.groups import DATA, factors
from sgmem.flow.aside import is_aside
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_WHOLE = ("args", "config", "settings")


class MixedScope(msgspec.Struct, frozen=True):
    """`all_ranks`, multiplied by the size of `group`, and `one`, the `things` of a single rank, are arguments of one `max`."""

    things: str
    group: str
    all_ranks: Location
    one: Location


def mixed_scopes(program: Program, groups: Groups, counts: Counts) -> Iterator[MixedScope]:
    """Every such maximum. A count out of the settings is that of the whole server, so it may stand beside one of all ranks."""
    sizes = any_of(words_of_group(counts.models, DATA, "size")).pattern
    for path in program.files.with_text(rf"\bmax\([^=]{{0,160}}?\b(?:{sizes})\b", begins=("max(",)):
        file = program.files.get(path)
        for index in file.mentions("max") if file is not None else ():
            if file is not None and not is_aside(file, index) and file.outline.statements[index].kind not in ("function", "class"):
                for root in file.statement(index).expressions():
                    for node in ir.walk(root):
                        if isinstance(node, ir.Call) and last_name(node) == "max" and len(node.args) == 2:
                            yield from _mixed(file, index, [one.value for one in node.args], groups, counts)


def _mixed(file: File, index: int, values: list[Expr], groups: Groups, counts: Counts) -> Iterator[MixedScope]:
    for whole, one in (values, values[::-1]):
        sizes = [of for factor in factors(whole) if len(of := groups.size(factor, file, index)) == 1]
        row = counts.of(one) if isinstance(one, ir.Name | ir.Attribute) else None
        if not sizes or isinstance(whole, ir.Name | ir.Attribute) or row is None:
            continue
        (group,) = sizes[0]
        if group == DATA and group in row.by and not _is_setting(one):
            yield MixedScope(row.things, group, Location(file, index, whole.span), Location(file, index, one.span))


def _is_setting(value: Expr) -> bool:
    base = dotted(value.base.func if isinstance(value.base, ir.Call) else value.base) if isinstance(value, ir.Attribute) else None
    return base is not None and any(word in base.lower() for word in _WHOLE)
