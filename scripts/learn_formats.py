"""Reads published releases and writes `analyzer/sgmem/serverlog/releases.json`: how each prints its memory figures, and its budget.

    python scripts/learn_formats.py 0.1.17 0.4.0 0.5.9 ...      releases, downloaded as wheels into the user's cache where missing
    python scripts/learn_formats.py path/to/tree ...            folders that hold an unpacked release

Kept are anchors of formats (a few words each), what each printed value is, and the terms of the budget: facts, no code. Releases are
never imported. Releases named earlier keep their facts unless they are named again.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from sgmem.cache.store import Store
from sgmem.program.program import Program
from sgmem.serverlog.formula import BudgetFormula
from sgmem.serverlog.learned import Known, KnownPattern, Learned, learn, release_key
from sgmem.serverlog.patterns import Pattern
from sgmem.source.locate import open_source

TARGET = Path(__file__).parent.parent / "analyzer" / "sgmem" / "serverlog" / "releases.json"


def main(names: list[str]) -> int:
    if not names:
        print(__doc__)
        return 2
    learned: dict[str, Learned] = {}
    if TARGET.exists():
        learned = unpacked(msgspec.json.decode(TARGET.read_bytes(), type=Known))
    with Store.open() as store:
        for name in names:
            spec = name if Path(name).exists() else f"sglang=={name}"
            tree = open_source(spec, package=None, working_folder=Path.cwd(), store=store)
            version = tree.version or name
            learned[version] = bare(learn(Program(tree, tuple(tree.files))))
            print(f"{version}: {len(learned[version].patterns)} messages, {'a' if learned[version].formula else 'NO'} budget")
    TARGET.write_bytes(msgspec.json.format(msgspec.json.encode(packed(learned)), indent=0) + b"\n")
    return 0


def bare(found: Learned) -> Learned:
    """Without places and variables of the source."""
    patterns = dict.fromkeys(
        Pattern(one.head, tuple(msgspec.structs.replace(field, name="", proof="format") for field in one.fields), one.mark)
        for one in found.patterns
    )
    formula = found.formula
    if formula is not None:
        formula = msgspec.structs.replace(
            formula,
            path="", line=0, symbol="",
            terms=tuple(msgspec.structs.replace(term, path="", line=0) for term in formula.terms),
            scales=tuple(dict.fromkeys(msgspec.structs.replace(one, path="", line=0) for one in formula.scales)),
            defaults=tuple(dict.fromkeys(msgspec.structs.replace(one, path="", line=0) for one in formula.defaults)),
        )  # fmt: skip
    return Learned(tuple(patterns), formula)


def packed(learned: dict[str, Learned]) -> Known:
    releases = sorted(learned, key=release_key)
    holders: dict[Pattern, list[int]] = {}
    distinct: dict[BudgetFormula, int] = {}
    formulas = []
    for index, release in enumerate(releases):
        for pattern in learned[release].patterns:
            holders.setdefault(pattern, []).append(index)
        formula = learned[release].formula
        formulas.append(-1 if formula is None else distinct.setdefault(formula, len(distinct)))
    rows = sorted(holders.items(), key=lambda item: (item[1][0], item[0].head))
    return Known(tuple(releases), tuple(KnownPattern(p, tuple(who)) for p, who in rows), tuple(formulas), tuple(distinct))


def unpacked(known: Known) -> dict[str, Learned]:
    return {
        release: Learned(
            tuple(row.pattern for row in known.patterns if index in row.releases),
            known.distinct[known.formulas[index]] if known.formulas[index] >= 0 else None,
        )
        for index, release in enumerate(known.releases)
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
