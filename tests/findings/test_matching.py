"""Findings known again: after moves, renames and formatting, each known one for one finding only."""

from __future__ import annotations

import msgspec
import pytest

from sgmem.findings.fingerprints import Fingerprints, likenesses, plain
from sgmem.findings.matching import matched


class Seen(msgspec.Struct, frozen=True):
    name: str
    fingerprint: str
    likenesses: tuple[str, ...]


def seen(
    symbol: str = "pkg.a:Runner.size", key: str = "free - total * share", name: str = "", rule: str = "r", message: str = ""
) -> Seen:
    return Seen(name, Fingerprints().of(rule, symbol, key), likenesses(rule, symbol, key, message or key))


def is_known(new: Seen, *known: Seen) -> bool:
    return matched([new], known)[0][1] is not None


@pytest.mark.parametrize(
    ("new", "known"),
    [
        (seen(), True),
        (seen(key="free-total  *\n  share"), True),
        (seen("pkg.b.c:Runner.size"), True),
        (seen("pkg.a:Worker.size"), True),
        (seen("other.b:Worker.size_pools"), True),
        (seen(key="available - capacity * ratio"), True),
        (seen("pkg.b:Worker.size", "free - total * share - more", message="free - total * share"), True),
        (seen(key="free - total * share - more"), False),
        (seen("pkg.b:Worker.size", key="available - capacity * ratio"), False),
        (seen(rule="other"), False),
    ],
    ids=["same", "formatted", "moved", "class", "all-moved", "variables", "edited", "other-code", "moved-and-renamed", "other-rule"],
)
def test_what_is_known_again(new: Seen, known: bool) -> None:
    assert is_known(new, seen()) is known


def test_a_known_finding_accounts_for_one_only() -> None:
    pairs = matched([seen("pkg.b:Copy.size", name="copy"), seen(name="original")], [seen()])
    assert [(new.name, known is not None) for new, known in pairs] == [("copy", False), ("original", True)]


def test_the_closest_is_taken_first() -> None:
    known = [seen("pkg.z:Runner.size", name="elsewhere"), seen("pkg.b:Runner.size", name="moved")]
    pairs = matched([seen("pkg.b:Runner.size"), seen("pkg.z:Runner.size")], known)
    assert [one and one.name for _, one in pairs] == ["moved", "elsewhere"]


def test_a_fixed_finding_does_not_hide_another_in_the_same_function() -> None:
    assert not is_known(seen(key="used + reserved"), seen())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f(a, b)", "f(\n    a,\n    b,\n)"),
        ("d['key']", 'd["key"]'),
        ("x - y", "x-y"),
        ("[1, 2]", "[1, 2,]"),
    ],
)
def test_what_a_formatter_changes_does_not_count(before: str, after: str) -> None:
    assert plain(before) == plain(after)


def test_equal_findings_have_different_fingerprints() -> None:
    prints = Fingerprints()
    assert prints.of("r", "s", "k") != prints.of("r", "s", "k")
