from __future__ import annotations

import sys
from importlib.metadata import EntryPoint
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import UsageError
from sgmem.findings import registry

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RULE = """
from sgmem.api import Rule


class First(Rule):
    name = "{name}"
    code = "{code}"

    def check(self, facts):
        return ()
"""
PAGE = "# {name} ({code})\n\nWhat it finds,\nin a sentence.\n\nMore.\n"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty package `fork_rules` that is offered as the only one."""
    folder = tmp_path / "fork_rules"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    point = EntryPoint("fork", "fork_rules", registry.GROUP)
    monkeypatch.setattr(registry, "entry_points", lambda group: (point, point))
    registry.installed_rules.cache_clear()
    yield folder
    registry.installed_rules.cache_clear()
    for name in [name for name in sys.modules if name.partition(".")[0] == "fork_rules"]:
        del sys.modules[name]


def add(folder: Path, stem: str, name: str, code: str, *, page: bool = True) -> None:
    (folder / f"{stem}.py").write_text(RULE.format(name=name, code=code))
    if page:
        (folder / f"{stem}.md").write_text(PAGE.format(name=name, code=code))


def test_every_module_of_a_package_is_a_rule_with_its_page(package: Path) -> None:
    add(package, "odd_share", "odd-share", "FRK102")
    add(package, "even_share", "even-share", "FRK101")
    (package / "_helpers.py").write_text("raise RuntimeError('not a rule')")
    found = registry.installed_rules()
    assert [(one.code, one.name, one.summary) for one in found] == [
        ("FRK101", "even-share", "What it finds, in a sentence."),
        ("FRK102", "odd-share", "What it finds, in a sentence."),
    ]
    assert found[0].origin == "fork_rules.even_share"


def test_no_package_means_no_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "entry_points", lambda group: ())
    registry.installed_rules.cache_clear()
    assert registry.installed_rules() == ()
    assert registry.rules_stamp() == ""
    registry.installed_rules.cache_clear()


@pytest.mark.parametrize(
    ("stem", "name", "code", "page", "about"),
    [
        ("odd_share", "share", "FRK101", True, "must be called odd-share"),
        ("odd_share", "odd-share", "odd", True, "needs a code"),
        ("odd_share", "odd-share", "FRK101", False, "no page odd_share.md"),
    ],
)
def test_an_unsound_rule_is_named(package: Path, stem: str, name: str, code: str, page: bool, about: str) -> None:
    add(package, stem, name, code, page=page)
    with pytest.raises(UsageError) as error:
        registry.installed_rules()
    assert about in error.value.message
    assert "fork_rules.odd_share" in error.value.message


def test_a_package_that_cannot_be_imported_is_named(package: Path) -> None:
    (package / "broken.py").write_text("1 / 0")
    with pytest.raises(UsageError, match=r"fork_rules\.broken cannot be loaded: ZeroDivisionError"):
        registry.installed_rules()


def test_two_rules_may_not_share_a_code(package: Path) -> None:
    add(package, "odd_share", "odd-share", "FRK101")
    add(package, "even_share", "even-share", "FRK101")
    with pytest.raises(UsageError, match=r"two rules are called FRK101: fork_rules.even_share and fork_rules.odd_share"):
        registry.installed_rules()


def test_the_stamp_changes_with_a_page_and_imports_nothing(package: Path) -> None:
    add(package, "odd_share", "odd-share", "FRK101")
    before = registry.rules_stamp()
    assert "odd_share.md" in before
    assert "fork_rules.odd_share" not in sys.modules
    (package / "odd_share.md").write_text("# odd-share (FRK101)\n\nMuch longer than it was before.\n")
    assert registry.rules_stamp() != before
