"""Plants defects in a real release, one at a time, and prints which of them `sgmem check` finds.

    python benchmarks/seed_defects.py sglang==0.5.9 --under sglang/srt --kind drop-conversion --limit 12 --show

A defect is found when a finding that the release as published does not have stands in the function of the defect, or has a step
there. New findings that touch it nowhere are counted as `elsewhere`. Places are chosen by structure (a conversion by 2**30, a
division by the size of a group), in functions that account for memory; of more than `--limit` places of a kind, evenly spread ones
are taken. `--together N` plants up to N defects of different files at once, which is as telling and faster. A module in `defects/`
that fills `KINDS` adds kinds.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

sys.path.insert(0, str(Path(__file__).parent))

from defects import estimate, order, provenance, units
from defects.places import ACCOUNTING, ASIDE, CONVERTING, Defect, Finder, Source
from defects.runs import Runs, keep_parsed_files

from sgmem.cache.store import Store
from sgmem.findings.finding import Finding
from sgmem.queries.options import CheckOptions
from sgmem.source.locate import open_source
from sgmem.source.tree import SourceTree

KINDS: dict[str, Finder] = {**units.KINDS, **provenance.KINDS, **order.KINDS, **estimate.KINDS}

Identity = tuple[str, str, str, str]
_LINE = re.compile(r"(?::|\bline )\d+")


@dataclass
class Outcome:
    found: list[tuple[Defect, list[Finding]]] = field(default_factory=list)
    missed: list[Defect] = field(default_factory=list)
    elsewhere: list[Finding] = field(default_factory=list)


def sources(tree: SourceTree, under: str) -> Iterator[Source]:
    for path in tree.files:
        if path.startswith(under) and not ASIDE.search(path):
            try:
                text = tree.read(path).decode()
                if ACCOUNTING.search(text) or CONVERTING.search(text):
                    yield Source(path, text)
            except (SyntaxError, ValueError):
                continue


def defects(tree: SourceTree, under: str, kinds: list[str], limit: int) -> list[Defect]:
    by_kind: dict[str, list[Defect]] = defaultdict(list)
    read = list(sources(tree, under))
    allocating = frozenset(name for source in read for name in source.allocating)
    for source in read:
        for place in source.places(allocating):
            for kind in kinds:
                by_kind[kind] += KINDS[kind](place)
    return [defect for kind in kinds for defect in spread(by_kind[kind], limit)]


def spread(places: list[Defect], limit: int) -> list[Defect]:
    """At most `limit` of the places, evenly spread in source order."""
    if len(places) <= limit:
        return places
    return [places[number * len(places) // limit] for number in range(limit)]


def batches(planted: list[Defect], together: int) -> Iterator[list[Defect]]:
    """Groups of defects of different files."""
    pending = list(planted)
    while pending:
        batch: list[Defect] = []
        for defect in pending:
            if len(batch) < together and all(defect.path != one.path for one in batch):
                batch.append(defect)
        yield batch
        pending = [defect for defect in pending if defect not in batch]


def planted(tree: SourceTree, batch: list[Defect]) -> dict[str, bytes]:
    texts = {}
    for defect in batch:
        text = tree.read(defect.path).decode()
        texts[defect.path] = (text[: defect.start] + defect.text + text[defect.end :]).encode()
    return texts


def touches(finding: Finding, defect: Defect) -> bool:
    first, last = defect.function
    places = [(finding.path, finding.line), *((step.path, step.line) for step in finding.steps)]
    return any(path == defect.path and first <= line <= last for path, line in places)


def identity(finding: Finding) -> Identity:
    """What tells a finding from others, wherever an edit before it moves it."""
    return finding.rule, finding.path, finding.symbol, _LINE.sub("", finding.message)


def new_ones(found: Iterable[Finding], known: Counter[Identity]) -> list[Finding]:
    """The findings that are not known, or more often found than known. One that only says it in other words, because it quotes the code
    that was edited, is known: a known one of the same rule in the same function is gone then."""
    now: dict[Identity, list[Finding]] = defaultdict(list)
    for one in found:
        now[identity(one)].append(one)
    gone = Counter({key: count - len(now[key]) for key, count in known.items() if count > len(now[key])})
    missing = Counter[tuple[str, str, str]]()
    for key, count in gone.items():
        missing[key[:3]] += count
    fresh = []
    for key, several in sorted(now.items(), key=lambda item: known[item[0]] > 0):  # what replaces a known one says something else
        for one in several[known[key] :]:
            if missing[key[:3]]:
                missing[key[:3]] -= 1
            else:
                fresh.append(one)
    return fresh


def judge(
    tree: SourceTree, chosen: list[Defect], together: int, options: CheckOptions, progress: TextIO | None = None
) -> dict[str, Outcome]:
    """Plants the defects and sorts them by kind into found and missed, telling `progress` of each."""
    runs = Runs(tree, options)
    known = Counter(identity(one) for one in runs.published)
    outcomes: dict[str, Outcome] = defaultdict(Outcome)
    for batch in batches(chosen, together):
        fresh = new_ones(runs.edited(planted(tree, batch)), known)
        for defect in batch:
            hits = [one for one in fresh if touches(one, defect)]
            outcome = outcomes[defect.kind]
            if hits:
                outcome.found.append((defect, hits))
            else:
                outcome.missed.append(defect)
            if progress is not None:
                print("found " if hits else "missed", f"{defect.kind}  {defect.path}:{defect.line}", file=progress, flush=True)
        stray = [one for one in fresh if not any(touches(one, defect) for defect in batch)]
        outcomes[batch[0].kind].elsewhere += stray
    return outcomes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="sglang==0.5.9, or a folder")
    parser.add_argument("--under", default="", help="plant only in paths that begin so")
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="default: all")
    parser.add_argument("--limit", type=int, default=12, help="places per kind")
    parser.add_argument("--together", type=int, default=6)
    parser.add_argument("--persona", choices=("regular", "pedantic", "auditor"), default="regular")
    parser.add_argument("--rule", action="append", default=[], help="judge by these rules only; default: all")
    parser.add_argument("--show", action="store_true", help="print every defect, and what found it")
    asked = parser.parse_args()
    keep_parsed_files()
    with Store.open() as store:
        tree = open_source(asked.source, store=store)
        chosen = defects(tree, asked.under, asked.kind or list(KINDS), asked.limit)
        options = CheckOptions(persona=asked.persona, select=tuple(asked.rule))
        report(judge(tree, chosen, asked.together, options, sys.stderr), asked.show)


def report(outcomes: dict[str, Outcome], show: bool) -> None:
    total = hit = stray = 0
    for kind, outcome in outcomes.items():
        count = len(outcome.found) + len(outcome.missed)
        total, hit, stray = total + count, hit + len(outcome.found), stray + len(outcome.elsewhere)
        if show:
            for defect, hits in outcome.found:
                print(f"  found   {defect.path}:{defect.line}  {defect.what}  [{', '.join(sorted({one.rule for one in hits}))}]")
            for defect in outcome.missed:
                print(f"  missed  {defect.path}:{defect.line}  {defect.what}")
            for finding in outcome.elsewhere:
                print(f"  elsewhere  {finding.path}:{finding.line}  {finding.rule}  {finding.message}")
        print(f"{kind:<20} {len(outcome.found):>3} of {count:>3}   new elsewhere {len(outcome.elsewhere)}")
    print(f"{'all':<20} {hit:>3} of {total:>3} = {hit / total if total else 0:.0%}   new elsewhere {stray}")


if __name__ == "__main__":
    main()
