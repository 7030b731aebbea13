"""Amounts for the whole service that a class divides among the tensor parallel ranks of each stage, although it knows of stages."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.accounting.model_words import any_of, words_of_group
from sgmem.domains.ranks.groups import STAGES, TENSOR, spelled
from sgmem.flow.aside import is_aside
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.groups import Groups
    from sgmem.flow.order import Order
    from sgmem.program.files import File
    from sgmem.program.program import Program

_AMOUNT = re.compile(r"(?:^|_)(?:global|total|segment|buffer|cache|pool|mem|memory|host)\w*_(?:size|bytes|gb|mb|capacity)$")


class ShortShare(msgspec.Struct, frozen=True):
    """`share` is `amount` divided by the ranks that `ranks` counts; `stages` of the same record counts those that do the same."""

    amount: str
    share: Location
    ranks: Location
    stages: Location


def short_shares(program: Program, order: Order, groups: Groups) -> Iterator[ShortShare]:
    """Every such quotient in a class that reads the number of stages out of the record that has the number of ranks."""
    stages = any_of(words_of_group(groups.models, STAGES, "size")).pattern
    for path in program.files.with_text(rf"\.(?:{stages})\b"):
        file = program.files.get(path)
        if file is None:
            continue
        for index in file.holding("/"):
            if file.shape(index).kind in ("function", "class") or not _may_share(file.own_text(index)) or is_aside(file, index):
                continue
            for root in file.statement(index).expressions():
                for node in ir.walk(root):
                    if isinstance(node, ir.Binary) and node.operator in ("/", "//"):
                        found = _share(file, order, groups, index, node)
                        if found is not None:
                            yield found


def _may_share(text: str) -> bool:
    return "/" in text and any(_AMOUNT.search(name) for name in re.findall(r"\.(\w+)[)\s]*/", text))


def _share(file: File, order: Order, groups: Groups, index: int, node: ir.Binary) -> ShortShare | None:
    if not isinstance(node.left, ir.Attribute) or not _AMOUNT.search(node.left.attr):
        return None
    at, divisor = index, node.right
    scope = file.outline.statements[index].scope
    if isinstance(divisor, ir.Name):
        reaching = order.reaching(file, scope, divisor.id, index)
        values = [b.value for one in reaching if one >= 0 for b in file.statement(one).bindings if b.how == "assign"]
        if len(reaching) != 1 or len(values) != 1 or values[0] is None:
            return None
        (at,), divisor = reaching, values[0]
    counts = [one for one in ir.walk(divisor) if isinstance(one, ir.Attribute) and one.attr.endswith("_size")]
    if len(counts) != 1 or groups.named(counts[0].attr, "size") != {TENSOR}:
        return None
    stages = _stages(file, groups, scope, spelled(counts[0].base))
    if stages is None:
        return None
    return ShortShare(node.left.attr, Location(file, index, node.span), Location(file, at, counts[0].span), stages)


def _stages(file: File, groups: Groups, scope: int, record: str) -> Location | None:
    """Where the class of a method reads the number of stages out of a record of that name."""
    owner = file.scope(scope).parent
    if owner < 0 or file.scope(owner).kind != "class":
        return None
    words = sorted(words_of_group(groups.models, STAGES, "size"))
    for index in sorted({index for word in words for index in file.mentions(word)}):
        if file.scope(file.outline.statements[index].scope).parent != owner:
            continue
        for root in file.statement(index).expressions():
            for node in ir.walk(root):
                if isinstance(node, ir.Attribute) and node.attr in words and spelled(node.base) == record:
                    return of_statement(file, index)
    return None
