"""What a log can be read with: the patterns and the budget formula of one program, learned from its source or shipped as facts.

The shipped facts (`releases.json`) come from `scripts/learn_formats.py`, which reads published releases. They hold anchors of message
formats and what each value is, no code.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib import resources
from typing import TYPE_CHECKING

import msgspec

from sgmem.serverlog.formula import USUAL, BudgetFormula
from sgmem.serverlog.patterns import Pattern
from sgmem.serverlog.rows import rows

if TYPE_CHECKING:
    from sgmem.program.program import Program


class Learned(msgspec.Struct, frozen=True):
    """One program's. `formula` is None where no budget was found."""

    patterns: tuple[Pattern, ...]
    formula: BudgetFormula | None = None
    files: int = 0
    unreadable: tuple[tuple[str, str], ...] = ()


class KnownPattern(msgspec.Struct, frozen=True, array_like=True):
    """A pattern and the releases that print it, as indexes into `Known.releases`."""

    pattern: Pattern
    releases: tuple[int, ...]


class Known(msgspec.Struct, frozen=True):
    """The shipped facts of all releases that were read, oldest first; `formulas[i]` is that of `releases[i]`."""

    releases: tuple[str, ...]
    patterns: tuple[KnownPattern, ...]
    formulas: tuple[int, ...]
    distinct: tuple[BudgetFormula, ...]

    def example(self, kind: str) -> str:
        """How the message that prints a figure of this kind looks, for a reader who searches for it; "" where none is known."""
        common = sorted(self.patterns, key=lambda row: -len(row.releases))
        for pattern in (*rows().patterns, *(row.pattern for row in common)):
            for field in pattern.fields:
                if field.kind == kind and "*" not in pattern.head:
                    return f"{pattern.head} … {field.label.strip()}…"
        return ""

    def formula(self, release: str) -> BudgetFormula:
        index = self.formulas[self.releases.index(release)] if release in self.releases else -1
        return self.distinct[index] if index >= 0 else USUAL


def release_key(release: str) -> tuple[int, ...]:
    """Orders releases: `0.4.6 < 0.4.6.post2 < 0.4.7rc1 < 0.4.7`."""
    numbers = [int(part) for part in re.findall(r"\d+", release)[:3]]
    pre = re.search(r"(?:rc|a|b)(\d+)", release)
    post = re.search(r"post(\d+)", release)
    return (*numbers, *([0] * (3 - len(numbers))), 0 if pre else 1, int(pre[1]) if pre else 0, int(post[1]) if post else 0)


def learn(program: Program) -> Learned:
    """Read the messages and the budget of a program. Nothing of it is run."""
    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.models.load import load_models
    from sgmem.serverlog.budget import BudgetFinder
    from sgmem.serverlog.meanings import Meanings

    facts = ProgramFacts(program, load_models())
    patterns = Meanings(facts).patterns()
    formula = BudgetFinder(facts).find()
    return Learned(patterns, formula, program.files.parsed, tuple(sorted(program.files.unreadable.items())))


@lru_cache(maxsize=1)
def known() -> Known:
    """The shipped facts."""
    raw = resources.files("sgmem.serverlog").joinpath("releases.json").read_bytes()
    return msgspec.json.decode(raw, type=Known)
