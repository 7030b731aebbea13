"""The documentation against the program: links lead somewhere, commands and options exist, generated pages are up to date."""

from __future__ import annotations

import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sgmem.cli.app import invoke
from sgmem.config.validate import settings_of
from sgmem.models.load import rows_of
from sgmem.report.registry import format_names

PROJECT = Path(__file__).parents[2]
NAMES = (
    "forks.md",
    "writing-rules.md",
    "settings.md",
    "json.md",
    "models.md",
    "model-rows.md",
    "explain.md",
    "timeline.md",
    "rules.md",
)
PAGES = [PROJECT / "docs" / name for name in NAMES]
FORKS = PAGES[0].read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def test_the_settings_page_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / ".ci" / "settings_page.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run .ci/settings_page.py"


def test_the_page_of_model_rows_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / ".ci" / "rows_page.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run .ci/rows_page.py"


def test_the_page_of_facts_is_up_to_date_and_says_what_each_is() -> None:
    made = runpy.run_path(str(PROJECT / ".ci" / "facts_page.py"))
    text = made["PAGE"].read_text(encoding="utf-8")
    assert text == made["page"](), "run .ci/facts_page.py"
    assert [line for line in text.splitlines() if line.endswith("|  |")] == [], "say in its docstring what it is"


def test_the_table_of_rules_is_up_to_date() -> None:
    made = runpy.run_path(str(PROJECT / ".ci" / "rules_page.py"))
    assert made["PAGE"].read_text(encoding="utf-8") == made["page"](), "run .ci/rules_page.py"


def test_the_json_page_is_up_to_date_and_explains_every_field() -> None:
    made = runpy.run_path(str(PROJECT / ".ci" / "json_page.py"))
    text = made["PAGE"].read_text(encoding="utf-8")
    assert text == made["page"](), "run .ci/json_page.py"
    assert [line for line in text.splitlines() if line.endswith("|  |")] == [], "say in .ci/json_page/meanings.toml what it means"


def commands() -> list[list[str]]:
    text = " ".join(page.read_text(encoding="utf-8") for page in PAGES)
    shell = "\n".join(re.findall(r"```bash\n(.*?)```", text, re.DOTALL)).splitlines() + re.findall(r"`(sgmem [^`]+)`", text)
    return [line.partition(" | ")[0].split() for line in shell if line.startswith("sgmem ")]


@pytest.mark.parametrize("words", commands(), ids=" ".join)
def test_commands_and_their_options_exist(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    names = [word for word in words[1:3] if word.isalpha() and word.islower()]
    path = names[:2] if names[:1] == ["baseline"] else names[:1]
    assert invoke([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    for option in (word for word in words if word.startswith("-")):
        assert re.search(rf"(^|\s){re.escape(option)}\b", shown), f"{option} is not in the help of {' '.join(path)}"


def test_the_settings_shown_are_sound() -> None:
    (example,) = re.findall(r"```toml\n(.*?)```", FORKS, re.DOTALL)
    assert settings_of(tomllib.loads(example)).fail_on == "warning"


@pytest.mark.parametrize("number", [0, 1])
def test_the_rows_shown_are_sound(number: int) -> None:
    shown = tomllib.loads(re.findall(r"```toml\n(.*?)```", PAGES[4].read_text(encoding="utf-8"), re.DOTALL)[number])
    rows = rows_of(shown["tool"]["sgmem"]["model"], "the page")
    assert [len(found) for found in rows.values()] == [1]


def test_every_format_is_named() -> None:
    assert [name for name in format_names("check") if not re.search(rf"\b{name}\b", FORKS)] == []


def test_the_example_rule_finds_what_its_page_says() -> None:
    from rules.cases import cases_of

    from sgmem.domains.program_facts import ProgramFacts
    from sgmem.models.load import load_models
    from sgmem.program.program import Program
    from sgmem.source.tree import SourceTree

    text = PAGES[1].read_text(encoding="utf-8")
    space: dict[str, Any] = {"__name__": "our_rules.unnamed_budget"}
    exec(compile(re.findall(r"```python\n(.*?)```", text, re.DOTALL)[0], "unnamed_budget.py", "exec"), space)
    cases = list(cases_of(text))
    assert [bool(case.expected) for case in cases] == [True, False]
    for case in cases:
        tree = SourceTree.from_texts({"serving/__init__.py": "", **case.files})
        reports = space["UnnamedBudget"]().check(ProgramFacts(Program(tree, tuple(tree.files)), load_models()))
        assert [(report.location.path, report.location.line) for report in reports] == case.expected
