"""Edits of the example that mean nothing to a reader must mean nothing to the trace, and edits that do must show."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from program_cases import classic
from program_cases.classic import ARGS, MIXIN, RUNNER, WORKER, at, place

if TYPE_CHECKING:
    from sgmem.queries.results.trace import Trace

PROGRAM = classic.texts()


def shape(result: Trace) -> Counter[tuple[object, ...]]:
    """What a trace says, without the lines, columns and texts that an edit may move."""
    return Counter((site.role, site.kind, site.path, site.symbol, site.derived, len(site.when)) for site in result.sites)


def everywhere(old: str, new: str) -> dict[str, str]:
    return {path: re.sub(rf"\b{old}\b", new, text) for path, text in PROGRAM.items()}


def in_file(path: str, old: str, new: str) -> dict[str, str]:
    assert old in PROGRAM[path]
    return {**PROGRAM, path: PROGRAM[path].replace(old, new)}


BLANK = {path: text.replace("\n\n", "\n\n# a remark\n\n") for path, text in PROGRAM.items()}


@pytest.mark.parametrize(
    "edited",
    [
        pytest.param(BLANK, id="comments"),
        pytest.param({path: text.replace("\n", "\r\n") for path, text in PROGRAM.items()}, id="windows-line-ends"),
        pytest.param({path: "\ufeff" + text for path, text in PROGRAM.items()}, id="byte-order-mark"),
        pytest.param({path: "\f\n" + text for path, text in PROGRAM.items()}, id="form-feed"),
        pytest.param(everywhere("min_per_gpu_memory", "smallest"), id="renamed-local"),
        pytest.param(everywhere("rest_memory", "left_over"), id="renamed-result"),
        pytest.param(everywhere("fraction_before", "old"), id="renamed-copy"),
        pytest.param({**PROGRAM, "minisgl/srt/unrelated.py": "budget = 1\n"}, id="unrelated-file"),
        pytest.param({**PROGRAM, "minisgl/srt/broken.py": "def broken(:\n"}, id="broken-file"),
        pytest.param(in_file(RUNNER, "self.load_model()\n", "print('weights')\n        self.load_model()\n"), id="a-log-line"),
    ],
)
def test_the_trace_stays_the_same(edited: dict[str, str]) -> None:
    assert shape(classic.run(edited)) == shape(classic.run(PROGRAM))


def test_a_moved_module_is_followed() -> None:
    """The mixin in another folder: the same sites, under the new path."""
    old, new = "minisgl.srt.model_executor.kv_cache_mixin", "minisgl.srt.caching.sizing"
    there = "minisgl/srt/caching/sizing.py"
    moved = {path.replace(MIXIN, there): text.replace(old, new) for path, text in PROGRAM.items()}
    moved["minisgl/srt/caching/__init__.py"] = ""
    back = Counter[tuple[object, ...]]()
    for row, count in shape(classic.run(moved)).items():
        back[tuple(part.replace(there, MIXIN).replace(new, old) if isinstance(part, str) else part for part in row)] += count
    assert back == shape(classic.run(PROGRAM))


def test_a_renamed_package_is_followed() -> None:
    renamed = {path.replace("minisgl/", "other/"): text.replace("minisgl", "other") for path, text in PROGRAM.items()}
    result = classic.run(renamed)
    assert len(result.sites) == len(classic.run(PROGRAM).sites)
    assert all(site.path.startswith("other/") for site in result.sites)


def test_a_new_write_shows_as_a_write() -> None:
    edited = in_file(
        ARGS,
        "            self.page_size = 64\n",
        "            self.page_size = 64\n            self.mem_fraction_static = 0.5\n",
    )
    assert at(classic.run(edited), place(edited, ARGS, "self.mem_fraction_static = 0.5"), ("write", "store"))


def test_a_write_after_construction_changes_the_verdict() -> None:
    edited = in_file(
        WORKER,
        "        self.max_total_num_tokens = self.model_runner.max_total_num_tokens\n",
        "        self.model_runner.mem_fraction_static = 0.5\n"
        "        self.max_total_num_tokens = self.model_runner.max_total_num_tokens\n",
    )
    result = classic.run(edited)
    said = [entry for entry in result.after_construction if entry.slot.endswith("ModelRunner.mem_fraction_static")]
    assert [entry.verdict for entry in said] == ["some"]
    written = {site.id for site in at(result, place(edited, WORKER, "mem_fraction_static = 0.5"))}
    assert written & set(said[0].sites)


def test_a_broken_hand_over_breaks_the_path_to_the_formula() -> None:
    """The runner gets a constant: no flow leads from the record to the formula any more."""
    edited = in_file(WORKER, "mem_fraction_static=server_args.mem_fraction_static", "mem_fraction_static=0.7")
    result = classic.run(edited, "minisgl.srt.server_args:ServerArgs.mem_fraction_static")
    assert not at(result, place(edited, MIXIN, "rest_memory = "))


def test_a_floor_takes_the_sign_away() -> None:
    edited = in_file(
        MIXIN,
        "rest_memory = available_gpu_memory - total_gpu_memory * (1 - self.mem_fraction_static)",
        "rest_memory = max(0, available_gpu_memory - total_gpu_memory * (1 - self.mem_fraction_static))",
    )
    result = classic.run(edited)
    where = {site.id for site in at(result, place(edited, MIXIN, "rest_memory = "))}
    sized = [formula for formula in result.formulas if formula.site in where and formula.target.endswith("rest_memory")]
    assert {formula.negative.verdict for formula in sized} == {"no"}


def test_a_broken_file_is_reported() -> None:
    edited = {**PROGRAM, "minisgl/srt/broken.py": "def mem_fraction_static(:\n"}
    assert [file.path for file in classic.run(edited).source.unreadable] == ["minisgl/srt/broken.py"]
