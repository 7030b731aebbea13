"""The units of a check. Each is computed by a program of its own, which has read nothing before; so what it reads is all that its
result rests on, and a result is taken again as long as that is unchanged."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import msgspec

from sgmem.domains.program_facts import ProgramFacts
from sgmem.program.files import Files
from sgmem.program.program import Program
from sgmem.program.reads import Reads
from sgmem.queries.check.noted import Noted, noted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.findings.registry import InstalledRule
    from sgmem.models.load import Models
    from sgmem.source.tree import SourceTree

MOST_FILES = 8
"""How many files of a folder are one unit: a program costs as much as looking through a few files in vain."""

_FEW = 4
"""After so many units it is worth the time to free the memory of each; without a store there is one."""


class Unit(msgspec.Struct, frozen=True, array_like=True):
    """Some rules over some files; `paths` is empty for rules that must see the whole program at once."""

    rules: tuple[str, ...]
    paths: tuple[str, ...]


class Answer(msgspec.Struct, frozen=True):
    """What the rules of a unit report, the files that were parsed for it, those of them that cannot be, with the reasons, and all that
    was read, if it was computed just now."""

    reports: tuple[Noted, ...]
    parsed: frozenset[str]
    unreadable: dict[str, str]
    reads: Reads = msgspec.field(default_factory=Reads)


def planned(rules: Iterable[InstalledRule], tree: SourceTree, keeps: bool) -> Iterator[Unit]:
    """All units: neighbouring files under the rules that look at each file on its own, and every other rule by itself, or with those
    that share its facts. Where no answer is kept, all rules are one unit: what one has found out serves the others."""
    rules = tuple(rules)
    if not keeps:
        yield Unit(tuple(one.name for one in rules), ())
        return
    apart = tuple(one.name for one in rules if one.rule.by_file)
    if apart:
        yield from (Unit(apart, paths) for paths in _neighbours(tree.files))
    whole: dict[str, tuple[str, ...]] = {}
    for one in rules:
        if not one.rule.by_file:
            key = f"{one.rule.shares}, shared" if one.rule.shares else one.name
            whole[key] = (*whole.get(key, ()), one.name)
    yield from (Unit(names, ()) for names in whole.values())


def _neighbours(paths: Iterable[str]) -> Iterator[tuple[str, ...]]:
    folders: dict[str, list[str]] = {}
    for path in paths:
        folders.setdefault(path.rpartition("/")[0], []).append(path)
    for folder in folders.values():
        yield from (tuple(folder[at : at + MOST_FILES]) for at in range(0, len(folder), MOST_FILES))


class Units:
    """Computes units over one tree; files are parsed once for all of them. With `notes` it is noted what of a file was looked at."""

    def __init__(self, tree: SourceTree, rules: Iterable[InstalledRule], models: Models, notes: bool = True) -> None:
        self.tree = tree
        self.models = models
        self.files = Files(tree, tuple(tree.files), notes)
        self._rules = {one.name: one for one in rules}
        self._computed = 0

    def answer(self, unit: Unit) -> Answer:
        files = self.files.unread(unit.paths or None)
        program = Program(self.tree, (), self.models.config, files)
        facts = ProgramFacts(program, self.models)
        rules = [self._rules[name] for name in unit.rules]
        reports = tuple(noted(report, rule, self.tree) for rule in rules for report in rule.rule.check(facts))
        answer = Answer(reports, frozenset(files.reads.parsed), files.unreadable, files.reads)
        del facts, program
        self._computed += 1
        if self._computed > _FEW:
            gc.collect(0)
        return answer
