"""What the README shows and names exists: its excerpt is real output, its commands and links are there."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line as a user of the repository runs it, 100 columns wide."""
    environment = {"PYTHONPATH": f"{ROOT / 'analyzer'}:{ROOT / 'rules'}", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-m", "sgmem", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)


def test_the_excerpt_is_real_output() -> None:
    excerpt = re.search(r"```text\n(.*?)\n```", README, re.DOTALL)
    assert excerpt is not None
    printed = run("trace", "mem_fraction_static", "--source", "fixtures/classic", "--no-cache").stdout.splitlines()
    shown = [line for line in excerpt[1].splitlines() if line.strip(" │.")]
    assert len(shown) > 10
    assert [line for line in shown if line not in printed] == []


@pytest.mark.parametrize("command", sorted(set(re.findall(r"^\| `sgmem (\w+)", README, re.MULTILINE))))
def test_every_command_of_the_table_exists(command: str) -> None:
    assert run(command, "--help").returncode == 0


def test_the_first_command_of_the_readme_is_the_one_that_is_tried() -> None:
    """The continuous check runs the blocks below these marks; without them it would try nothing."""
    marks = re.findall(r"<!-- (\w+) -->\n```bash\n(.+)\n```", README)
    assert [mark for mark, _ in marks] == ["try", "tests"]
    assert all(command.startswith("python3 -m venv .venv && ") for _, command in marks)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda document: document.name)
def test_links_to_files_lead_somewhere(document: Path) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", document.read_text()):
        assert (document.parent / target).exists(), target


def test_the_folder_table_names_the_folders_that_exist() -> None:
    rows = re.findall(r"^\| (`[a-z`, ]+`) \|", README.partition("## How it works")[2], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    packages = [entry for entry in (ROOT / "analyzer" / "sgmem").iterdir() if entry.is_dir()]
    there = {package.name for package in packages if [file for file in package.glob("*.py") if file.stem != "__init__"]}
    there |= {file.stem for file in (ROOT / "analyzer" / "sgmem").glob("*.py")} - {"__init__", "__main__", "version"}
    assert named == there
