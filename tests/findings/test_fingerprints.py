from __future__ import annotations

from sgmem.findings.fingerprints import Fingerprints

ONE = ("negative-budget", "serving.runner:Runner.size", "rest = available - total")


def test_it_depends_on_rule_symbol_and_code_only() -> None:
    first = Fingerprints().of(*ONE)
    assert first == Fingerprints().of(*ONE)
    assert len(first) == 16
    others = {
        Fingerprints().of("unit-mismatch", *ONE[1:]),
        Fingerprints().of(ONE[0], "serving.runner:Runner.start", ONE[2]),
        Fingerprints().of(*ONE[:2], "rest = available - slack"),
    }
    assert len({first, *others}) == 4


def test_white_space_does_not_count() -> None:
    assert Fingerprints().of(*ONE) == Fingerprints().of(*ONE[:2], "rest = (available\n    -total)".replace("(", "").replace(")", ""))


def test_equal_findings_are_told_apart_by_their_order() -> None:
    run, again = Fingerprints(), Fingerprints()
    found = [run.of(*ONE) for _ in range(3)]
    assert len(set(found)) == 3
    assert found == [again.of(*ONE) for _ in range(3)]


def test_parts_do_not_run_into_each_other() -> None:
    assert Fingerprints().of("a", "bc", "d") != Fingerprints().of("ab", "c", "d")
