"""Heads of one rank that are multiplied by the ranks as if they made up all heads: where there are fewer heads than ranks, some ranks
hold copies.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location, of_statement
from sgmem.domains.ranks.groups import ATTENTION, PEERS, TENSOR
from sgmem.flow.aside import is_aside
from sgmem.program.contexts import defined
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.program import Program

_SHARED_OUT_AGAIN = r"heads?(?:_num)? *\* *[\w.]*_size *// *\w"
_AT_LEAST_ONE = re.compile(r"\bmax\(\s*1\s*,|\bmax\([^()]*//[^()]*,\s*1\s*,?\s*\)")


class CopiedHeads(msgspec.Struct, frozen=True):
    """`quotient` shares out again what `heads` of one rank make with its `ranks`; `least` gives a rank one head at least."""

    heads: Location
    ranks: Location
    quotient: Location
    least: Location


def copied_heads(program: Program, groups: Groups, counts: Counts) -> Iterator[CopiedHeads]:
    """Every such quotient, where the program gives each rank one head at least."""
    least: Location | None = None
    for path in program.files.with_text(_SHARED_OUT_AGAIN, begins=("head",)):
        file = program.files.get(path)
        for index, row in enumerate(file.outline.statements if file is not None else ()):
            if file is None or row.kind in ("function", "class") or not re.search(_SHARED_OUT_AGAIN, file.own_text(index)):
                continue
            for root in file.statement(index).expressions() if not is_aside(file, index) else ():
                for node in ir.walk(root):
                    match node:
                        case ir.Binary(operator="//", left=ir.Binary(operator="*", left=heads, right=ranks), right=others):
                            count = counts.of(heads)
                            of_rank = count is not None and count.things == "heads" and not count.whole
                            if not of_rank or groups.size(ranks, file, index) not in ({TENSOR}, {ATTENTION}, {PEERS}):
                                continue
                            least = least or _least(program, counts)
                            if least is not None and groups.size(others, file, index):
                                places = [Location(file, index, one.span) for one in (heads, ranks, node)]
                                yield CopiedHeads(places[0], places[1], places[2], least)


def _least(program: Program, counts: Counts) -> Location | None:
    """Where a function that gives one rank's part of the heads gives one at least."""
    rows = [row for row in counts.models.counts.rows if row.ranks is not None and row.things == "heads"]
    for name in (pattern.rpartition(".")[2] for row in rows for pattern in row.names):
        for file in program.files.mentioning(name, defined):
            for scope, row in enumerate(file.outline.scopes):
                if row.kind == "function" and row.name == name:
                    for index in file.own_statements(scope):
                        if _AT_LEAST_ONE.search(file.own_text(index)) is not None:
                            return of_statement(file, index)
    return None
