from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import NothingAnalysed
from sgmem.source.package import Candidate, choose_package, files_of, place_in_package, top_level_packages

if TYPE_CHECKING:
    from collections.abc import Sequence


def choose(paths: Sequence[str], package: str | None = None, anchored: Sequence[str] = ()) -> Candidate:
    def count(some: Sequence[str]) -> int:
        return len(set(some) & set(anchored))

    return choose_package(paths, where="here", package=package, count_anchored=count)


REPOSITORY = [
    "setup.py",
    "build/lib/pkg/__init__.py",
    "build/lib/pkg/args.py",
    "python/pkg/__init__.py",
    "python/pkg/args.py",
    "python/pkg/srt/runner.py",
    "python/pkg/srt/layers/__init__.py",
    "kernel/python/kern/__init__.py",
    "test/test_args.py",
]


def test_top_level_packages_are_in_no_other() -> None:
    assert top_level_packages(REPOSITORY) == [
        Candidate("build/lib/", "pkg"),
        Candidate("kernel/python/", "kern"),
        Candidate("python/", "pkg"),
    ]


def test_names_that_begin_alike_are_different_packages() -> None:
    assert [package.name for package in top_level_packages(["a/__init__.py", "a-b/__init__.py", "ab/__init__.py"])] == [
        "a-b",
        "a",
        "ab",
    ]


def test_the_package_with_most_anchored_files_wins() -> None:
    anchored = [
        "python/pkg/args.py",
        "python/pkg/srt/runner.py",
        "build/lib/pkg/args.py",
        "kernel/python/kern/__init__.py",
    ]
    assert choose(REPOSITORY, anchored=anchored) == Candidate("python/", "pkg")


def test_of_equals_the_shallowest_wins() -> None:
    assert choose(REPOSITORY, anchored=["python/pkg/args.py", "build/lib/pkg/args.py"]) == Candidate("python/", "pkg")


def test_a_name_overrides_what_looks_right() -> None:
    assert choose(REPOSITORY, "kern", anchored=["python/pkg/args.py"]) == Candidate("kernel/python/", "kern")


def test_a_name_finds_a_package_without_init() -> None:
    assert choose(["lib/space/a.py", "other/__init__.py"], "space") == Candidate("lib/", "space")
    assert choose(["space/a.py"], "space") == Candidate("", "space")


def test_an_unknown_name_lists_what_there_is() -> None:
    with pytest.raises(NothingAnalysed) as raised:
        choose(REPOSITORY, "absent")
    assert raised.value.candidates == ("kern", "pkg")
    assert "absent" in str(raised.value) and "kern" in str(raised.value)


def test_several_packages_without_an_anchor_are_ambiguous() -> None:
    with pytest.raises(NothingAnalysed) as raised:
        choose(["a/__init__.py", "b/__init__.py"])
    assert raised.value.candidates == ("a", "b")
    assert raised.value.hint is not None and "--package" in raised.value.hint
    assert raised.value.exit_code == 3


def test_the_only_package_needs_no_anchor() -> None:
    assert choose(["a/__init__.py", "a/m.py"]) == Candidate("", "a")
    assert choose(["setup.py", "x/a/__init__.py"]) == Candidate("x/", "a")


def test_one_package_without_loose_files_is_not_read() -> None:
    def count(_: Sequence[str]) -> int:
        raise AssertionError("read")

    choose_package(["a/__init__.py"], where="here", package=None, count_anchored=count)


def test_loose_files_with_an_anchor_beat_a_package_without() -> None:
    assert choose(["main.py", "utils/__init__.py"], anchored=["main.py"]) == Candidate("", "")


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a.py", "b.py"], Candidate("", "")),
        (["pkg/a.py", "pkg/b/c.py"], Candidate("", "pkg")),
        (["pkg/a.py", "other/c.py"], Candidate("", "")),
        (["pkg/a.py", "c.py"], Candidate("", "")),
    ],
)
def test_folders_without_any_init(paths: list[str], expected: Candidate) -> None:
    assert choose(paths) == expected


def test_files_of_a_package() -> None:
    assert files_of(REPOSITORY, Candidate("kernel/python/", "kern")) == ["kernel/python/kern/__init__.py"]
    assert files_of(REPOSITORY, Candidate("", "")) == REPOSITORY


@pytest.mark.parametrize(
    ("folder", "entries", "expected"),
    [
        ("/r/pkg", {"/r/pkg/__init__.py"}, "pkg"),
        ("/r/pkg/a", {"/r/pkg/__init__.py", "/r/pkg/a/__init__.py"}, "pkg/a"),
        ("/r/pkg/a/b", {"/r/pkg/__init__.py"}, "pkg/a/b"),
        ("/r/pkg/a/b/c/d/e", {"/r/pkg/__init__.py"}, ""),
        ("/r/python", {"/r/python/pkg/__init__.py"}, ""),
        ("/r/tests/x", {"/r/__init__.py", "/r/.git"}, ""),
        ("/r/pkg", {"/r/pkg/__init__.py", "/r/pkg/pyproject.toml"}, "pkg"),
        ("/v/site-packages/pkg", {"/v/site-packages/pkg/__init__.py", "/v/site-packages/__init__.py"}, "pkg"),
        ("pkg", {"pkg/__init__.py"}, "pkg"),
        ("/", {"//__init__.py", "/__init__.py"}, ""),
    ],
)
def test_the_package_around_a_folder(folder: str, entries: set[str], expected: str) -> None:
    assert place_in_package(folder, lambda around, name: f"{around}/{name}" in entries) == expected
