"""`sgmem reconcile`: a server's log against the formula of its own source."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

import msgspec

from sgmem.queries.reconcile.quantities import figures
from sgmem.queries.reconcile.range import fraction_range, out_of_memory
from sgmem.queries.reconcile.verdict import judge
from sgmem.queries.remembered import key_of, place_key, remembered
from sgmem.queries.results.reconcile import BootReport, RankFigures, Reconciliation, ReleaseInfo, Value
from sgmem.queries.results.trace import SourceInfo, Unreadable
from sgmem.serverlog.boots import Boot, boots
from sgmem.serverlog.formula import USUAL, BudgetFormula
from sgmem.serverlog.learned import Learned, known, learn, release_key
from sgmem.serverlog.reading import Reader, Reading

if TYPE_CHECKING:
    from collections.abc import Callable

    from sgmem.cache.store import Store
    from sgmem.program.files import Files
    from sgmem.serverlog.reading import Release
    from sgmem.source.tree import SourceTree

MAX_VALUES = 200
"""Of a rank as many figures are kept in the result."""


def learned_of(tree: SourceTree, store: Store | None) -> Learned:
    """What a source prints and computes, remembered between runs."""

    def compute() -> Learned:
        from sgmem.program.program import Program
        from sgmem.queries.untouched import Untouched

        def learnt() -> tuple[Learned, Files]:
            program = Program(tree, tuple(tree.files))
            return learn(program), program.files

        return Untouched(store, "serverlog", lambda: place_key(tree, ("serverlog", 2)), Learned).get(tree, learnt)

    return remembered(store, "serverlog", lambda: key_of(tree, ("serverlog", 2)), Learned, compute)


def reconcile(
    stream: BinaryIO, size: int, name: str, tree: SourceTree | None = None, store: Store | None = None,
    progress: Callable[[str], None] | None = None,
) -> Reconciliation:  # fmt: skip
    """Read a log of so many bytes and judge each start in it. Without a source, the formats of known releases are tried.

    Any bytes are accepted; what is not understood is left out.
    """
    report = progress or (lambda _: None)
    learned = None
    if tree is not None:
        report("reading the source's messages")
        learned = learned_of(tree, store)
    facts = known()
    foreign = tuple(row.pattern for row in facts.patterns)
    own = learned.patterns if learned is not None else ()
    report("reading the log")
    found, named = boots(Reader(own, foreign).read(stream, size))
    source = _source_info(tree, learned) if tree is not None and learned is not None else None
    reports = []
    notes: list[str] = []
    for boot in found:
        release, formula = _release(boot, named, tree, learned, len(own))
        reports.append(_report(boot, release, formula))
    if learned is not None and learned.formula is None:
        notes.append("no budget formula was found in the source; that of known releases is used")
    if learned is not None and not any(0 <= one.pattern < len(own) for boot in found for one in boot.readings):
        notes.append("no line of the log was printed by this source: it may be of another release")
    return Reconciliation(name, tuple(reports), source, tuple(notes))


def _release(
    boot: Boot, named: list[Release], tree: SourceTree | None, learned: Learned | None, own: int
) -> tuple[ReleaseInfo, BudgetFormula]:
    facts = known()
    if tree is not None and learned is not None:
        return ReleaseInfo(tree.version, False, "source"), learned.formula or USUAL
    last = boot.readings[-1].number if boot.readings else 0
    told = [one.value for one in named if one.number <= last] or [one.value for one in named]
    if told:
        nearest = max((r for r in facts.releases if release_key(r) <= release_key(told[-1])), key=release_key, default=None)
        return ReleaseInfo(told[-1], False, "named"), facts.formula(nearest) if nearest else USUAL
    fitting = guess(boot, own)
    if not fitting:
        return ReleaseInfo(None, True, "unknown"), USUAL
    return ReleaseInfo(fitting[-1], True, "format", tuple(fitting)), facts.formula(fitting[-1])


def guess(boot: Boot, own: int = 0) -> list[str]:
    """The releases whose formats fit the messages of a start best, oldest first."""
    facts = known()
    seen: dict[int, Reading] = {}
    for one in boot.readings:
        if own <= one.pattern < own + len(facts.patterns):
            seen.setdefault(one.pattern, one)
    points = dict.fromkeys(range(len(facts.releases)), 0)
    for index, one in seen.items():
        row = facts.patterns[index - own]
        full = one.fields == len(row.pattern.fields)
        for release in row.releases:
            points[release] += 2 if full else 1
    best = max(points.values(), default=0)
    return [facts.releases[index] for index, score in points.items() if score == best] if best > 0 else []


def _report(boot: Boot, release: ReleaseInfo, formula: BudgetFormula) -> BootReport:
    read = figures(boot)
    judged = judge(boot, read, formula)
    failure = out_of_memory(boot, read, judged)
    quantities = msgspec.structs.replace(read.quantities, fraction=judged.fraction)
    return BootReport(
        release=release,
        quantities=quantities,
        expected_kv=judged.expected,
        allocations=read.allocations,
        difference=judged.difference,
        verdict=judged.verdict,
        explanations=judged.explanations,
        fraction_range=fraction_range(boot, read, judged, formula, failure),
        oom=failure,
        formula=f"{formula.target} = {formula.text}",
        formula_path=formula.path,
        formula_line=formula.line,
        arithmetic=judged.arithmetic,
        tolerance=judged.tolerance,
        missing=judged.missing,
        ranks=tuple(RankFigures(rank, tuple(map(_value, readings[:MAX_VALUES]))) for rank, readings in sorted(boot.ranks().items())),
        first_line=min((one.number for one in boot.readings), default=0),
        last_line=max((one.number for one in boot.readings), default=0),
    )


def _value(one: Reading) -> Value:
    return Value(one.kind, round(one.value, 6), one.rank, one.number, one.text, one.name, one.proof, one.path, one.source_line)


def _source_info(tree: SourceTree, learned: Learned) -> SourceInfo:
    lost = {row.path: row.why for row in tree.unreadable} | dict(learned.unreadable)
    return SourceInfo(tree.root, tree.version, len(tree.files), learned.files, tuple(Unreadable(*row) for row in sorted(lost.items())))
