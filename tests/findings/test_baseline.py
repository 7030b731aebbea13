from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from report.samples import FINDINGS

from sgmem.config.errors import UsageError
from sgmem.findings.baseline import baseline_of, known_from, read_baseline, written


def test_a_baseline_is_read_as_it_was_written_and_has_no_lines(tmp_path: Path) -> None:
    text = written(baseline_of(FINDINGS))
    file = tmp_path / "known.json"
    file.write_text(text)
    assert read_baseline(file) == baseline_of(FINDINGS)
    assert written(read_baseline(file)) == text
    assert "143" not in text
    assert '"line"' not in text


def test_the_order_of_findings_does_not_show() -> None:
    assert written(baseline_of(FINDINGS)) == written(baseline_of(reversed(FINDINGS)))


def test_known_and_stale() -> None:
    gone = msgspec.structs.replace(FINDINGS[1], fingerprint="gone", likenesses=())
    known, stale = known_from(FINDINGS, baseline_of([FINDINGS[0], gone]))
    assert list(known) == [0]
    assert [entry.fingerprint for entry in stale] == ["gone"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is no baseline"),
        ("[]", "is no baseline"),
        ('{"findings": [{"rule": 3}]}', "is no baseline"),
        ('{"schema": "sgmem/baseline/9", "findings": []}', "of this version"),
    ],
)
def test_what_is_no_baseline_is_refused(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "b.json").write_text(text)
    with pytest.raises(UsageError, match=message):
        read_baseline(tmp_path / "b.json")


def test_a_missing_one_says_how_to_write_it(tmp_path: Path) -> None:
    with pytest.raises(UsageError) as caught:
        read_baseline(tmp_path / "none.json")
    assert caught.value.hint == "sgmem baseline update writes it"


@pytest.mark.parametrize(
    "damage", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b'{"schema": "other", "findings": []}', b'{"findings": 3}']
)
def test_a_damaged_baseline_is_one_clear_error(tmp_path: Path, damage: bytes) -> None:
    path = tmp_path / "known.json"
    path.write_bytes(damage)
    with pytest.raises(UsageError, match="is no baseline"):
        read_baseline(path)
