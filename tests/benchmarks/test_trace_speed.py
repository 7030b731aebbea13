"""The script that times traces: what it keeps of each run, and how it sums runs up."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import trace_speed

ROOT = Path(__file__).parents[2]


def row(source: str, name: str, ours: float, parse: float, sites: int, state: str = "cold") -> dict[str, object]:
    costs = {key: {"cpu": cpu, "wall": cpu, "memory": 50.0} for key, cpu in (("sgmem", ours), ("parse", parse), ("grep", 0.1))}
    return {
        "source": source,
        "name": name,
        "state": state,
        **costs,
        "sites": sites,
        "flows": 1,
        "formulas": 1,
        "files": 9,
        "analysed": 3,
    }


def test_every_run_is_kept_with_what_it_cost_and_found(tmp_path: Path) -> None:
    results = tmp_path / "speed.jsonl"
    for _ in range(2):
        trace_speed.measure(str(ROOT / "fixtures" / "classic"), "mem_fraction_static", ["cold"], 1, "minisgl", results)
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    assert [row["state"] for row in rows] == ["cold", "cold"]
    assert all(row[command]["cpu"] >= 0 for row in rows for command in ("sgmem", "parse", "grep"))
    assert rows[0]["sgmem"]["cpu"] > rows[0]["parse"]["cpu"] and rows[0]["sgmem"]["memory"] > 10
    assert rows[0]["sites"] > 20 and 0 < rows[0]["analysed"] <= rows[0]["files"]


def test_the_median_counts_and_releases_come_by_the_size_of_their_tree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    results = tmp_path / "speed.jsonl"
    runs = [
        row("new", "hub", 9.0, 3.0, 900), row("new", "small", 3.0, 3.0, 10), row("new", "small", 6.0, 3.0, 10),
        row("new", "small", 30.0, 3.0, 10), row("old", "small", 1.0, 1.0, 5),
    ]  # fmt: skip
    results.write_text("".join(json.dumps(each) + "\n" for each in runs))
    trace_speed.show(results)
    lines = [line.split() for line in capsys.readouterr().out.splitlines()[1:]]
    assert [line[:2] for line in lines] == [["old", "small"], ["new", "small"], ["new", "hub"]]
    assert lines[1][3:6] == ["2.00", "(1.00", "to"]
    assert lines[1][-1] == "10"


def test_a_command_that_fails_ends_the_measurement() -> None:
    with pytest.raises(trace_speed.subprocess.CalledProcessError):
        trace_speed.run([sys.executable, "-c", "raise SystemExit(3)"], {})
