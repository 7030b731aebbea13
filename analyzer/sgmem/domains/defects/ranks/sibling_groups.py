"""One rank's part of a count, taken by the size of one group in one place and by another's in its siblings.

Looked for where memory is sized: a budget that divides heads by all tensor parallel ranks, and pools that divide them by those that
share an attention layer, agree only while the two groups are one. And looked for among the modules of one folder, which keep the same
count of what one rank holds.
"""

from __future__ import annotations

import re
from posixpath import dirname
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.accounting.location import Location
from sgmem.domains.accounting.model_words import any_of, words_in
from sgmem.domains.defects.ranks.count_hints import count_hints
from sgmem.domains.defects.ranks.undivided_counts import kept_counts
from sgmem.domains.ranks.groups import ATTENTION, TENSOR, spelled
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
MIN_MODULES = 3
MOST_ODD = 4
"""In a folder that many modules must agree, and divide that many times as often as those that are called odd."""


class Share(msgspec.Struct, frozen=True):
    """`size`, the size of `group`, is what `call` divides a count by; `call` stands in the same function as its size or is entered
    from there.
    """

    group: str
    size: Location
    call: Location
    count: str


class SiblingGroup(msgspec.Struct, frozen=True):
    """`odd` takes another group than `siblings`, which are more: where memory is sized, or, `in_folder`, in the modules beside it."""

    odd: Share
    things: str
    siblings: tuple[Share, ...]
    in_folder: bool = False


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


def sibling_modules(program: Program, groups: Groups, counts: Counts) -> Iterator[SiblingGroup]:
    """The counts of a folder's modules that are divided by all tensor parallel ranks where most are by those of an attention layer."""
    shares: dict[tuple[str, str], list[Share]] = {}
    for hint in count_hints(program.files, counts.models):
        file = program.files.get(hint.path) if hint.divides else None
        statement = file.statement_at(hint.line, hint.column) if file is not None else -1
        for one in kept_counts(file, statement, hint, groups, counts) if file is not None and statement >= 0 else ():
            if one.group is not None and one.size is not None:
                share = Share(one.group, one.size, one.value, one.count)
                shares.setdefault((dirname(hint.path), one.things), []).append(share)
    for (_, things), found in shares.items():
        usual = [share for share in found if share.group == ATTENTION]
        odd = [share for share in found if share.group == TENSOR and not any(_in_one_function(share, one) for one in usual)]
        modules = {share.size.path for share in usual}
        if len(modules) >= MIN_MODULES and len(usual) >= MOST_ODD * len(odd):
            for share in odd:
                yield SiblingGroup(share, things, tuple(_nearest(share, usual)), in_folder=True)


def _in_one_function(one: Share, other: Share) -> bool:
    here, there = one.size, other.size
    return (
        here.file is there.file
        and here.file.outline.statements[here.statement].scope == there.file.outline.statements[there.statement].scope
    )


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
