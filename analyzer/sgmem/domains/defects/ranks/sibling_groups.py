"""One rank's part of a count, taken by the size of one group in one place and by another's in its siblings.

Looked for where memory is sized: a budget that divides heads by all tensor parallel ranks, and pools that divide them by those that
share an attention layer, agree only while the two groups are one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.model_words import any_of, words_in
from sgmem.domains.ranks.groups import spelled
from sgmem.flow.order import ENTRY
from sgmem.program.calls import bind
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.domains.ranks.counts import Counts
    from sgmem.domains.ranks.groups import Groups
    from sgmem.program.entities import Function
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

_SIZES = r"(?:size|bytes|memory)_per_|_bytes_per_|\w*Pool\(|head_num=|layer_num="
"""Words of functions that say how much memory is needed or allocate it."""
MAX_CALLERS = 12
MAX_DEPTH = 3
MIN_SIBLINGS = 2
"""So many siblings must agree on another group before one is called odd."""


class Share(msgspec.Struct, frozen=True):
    """`size`, the size of `group`, is what `call` divides a count by; `call` stands in the same function as its size or is entered
    from there.
    """

    group: str
    size: Location
    call: Location
    count: str


class SiblingGroup(msgspec.Struct, frozen=True):
    """`odd` takes another group than `siblings`, which are more."""

    odd: Share
    things: str
    siblings: tuple[Share, ...]


def sibling_groups(program: Program, groups: Groups, counts: Counts) -> Iterator[SiblingGroup]:
    """The parts of counts that are taken by another group's size than most."""
    for row in counts.models.counts.rows:
        if row.ranks is None:
            continue
        shares: dict[Location, Share] = {}
        for pattern in row.names:
            for share in _shares(program, groups, counts, pattern.rpartition(".")[2]):
                shares.setdefault(share.size, share)
        yield from _odd(list(shares.values()), row.things)


def _odd(shares: list[Share], things: str) -> Iterator[SiblingGroup]:
    by_group: dict[str, list[Share]] = {}
    for share in shares:
        by_group.setdefault(share.group, []).append(share)
    if len(by_group) < 2:
        return
    usual = max(by_group, key=lambda group: len(by_group[group]))
    if len(by_group[usual]) < MIN_SIBLINGS:
        return
    for group, found in by_group.items():
        if group != usual and len(found) < len(by_group[usual]):
            for share in found:
                yield SiblingGroup(share, things, tuple(_nearest(share, by_group[usual])))


def _nearest(share: Share, siblings: list[Share]) -> list[Share]:
    """The siblings, those that enter the same call or count the same first."""
    return sorted(siblings, key=lambda one: (one.call != share.call, one.count != share.count, one.size.path, one.size.line))


def _shares(program: Program, groups: Groups, counts: Counts, word: str) -> Iterator[Share]:
    for path in sorted(program.files.tree.mentioning(word)):
        source = program.files.source(path)
        if source is None or _sizing(counts).search(source.text) is None:
            continue
        file = program.files.get(path)
        for statement in file.mentions(word) if file is not None else ():
            if file is not None and _is_sizing(program, counts, file, statement):
                yield from _in_statement(program, groups, counts, file, statement, word)


def _sizing(counts: Counts) -> re.Pattern[str]:
    return any_of(words_in(counts.models, "bytes/token"), _SIZES)


def _is_sizing(program: Program, counts: Counts, file: File, statement: int) -> bool:
    function = program.calls.inside(file, statement)
    return function is not None and _sizing(counts).search(file.source.slice(function_span(function))) is not None


def function_span(function: Function) -> ir.Span:
    """A function with its body."""
    return function.file.outline.statements[function.scope.statement].span


def _in_statement(program: Program, groups: Groups, counts: Counts, file: File, statement: int, word: str) -> Iterator[Share]:
    for root in file.statement(statement).expressions():
        for node in ir.walk(root):
            if isinstance(node, ir.Call) and spelled(node) == word:
                ranks = counts.ranks_of(node)
                if ranks is not None:
                    call = Location(file, statement, node.span)
                    yield from _followed(program, groups, ranks, file, statement, call, word, 0)


def _followed(
    program: Program, groups: Groups, ranks: Expr, file: File, statement: int, call: Location, word: str, depth: int
) -> Iterator[Share]:
    """The groups that a divisor can be: its own, or, for a parameter, those that the callers hand over."""
    function = program.calls.inside(file, statement)
    parameter = _parameter(groups, ranks, file, statement, function)
    if parameter is None or function is None:
        of = groups.size(ranks, file, statement)
        if len(of) == 1:
            yield Share(next(iter(of)), Location(file, statement, ranks.span), call, word)
        return
    if depth >= MAX_DEPTH:
        return
    sites = program.calls.callers(function)
    for site in sites if len(sites) <= MAX_CALLERS else ():
        for filled in bind(site, function.parameters):
            if filled.parameter == parameter and filled.key is None and not filled.argument.star:
                value = filled.argument.value
                yield from _followed(program, groups, value, site.file, site.statement, call, word, depth + 1)


def _parameter(groups: Groups, ranks: Expr, file: File, statement: int, function: Function | None) -> str | None:
    """The parameter that a divisor is, unchanged."""
    if function is None or not isinstance(ranks, ir.Name) or function.parameter(ranks.id) is None:
        return None
    reaching = groups.order.reaching(file, function.index, ranks.id, statement)
    return ranks.id if reaching <= {ENTRY} else None
