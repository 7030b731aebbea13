from __future__ import annotations

import json
import sys
import tomllib
from typing import TYPE_CHECKING

import pytest

from sgmem.queries.check import rules
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

    from cli.stubs import CommandLine


def test_config_shows_what_is_in_force_and_from_where(sgmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sgmem("config").out.startswith("# no settings file; sgmem init writes one\n")
    (tmp_path / "sgmem.toml").write_text("\npersona = 'pedantic'\n")
    monkeypatch.setenv("SGMEM_STRICT", "1")
    monkeypatch.setenv("SGMEM_PERSONNA", "x")
    ended = sgmem("config")
    assert (ended.code, ended.err) == (0, "")
    said = {line.partition(" = ")[0]: line for line in ended.out.splitlines()}
    assert said["persona"].endswith(f"# {tmp_path}/sgmem.toml:2")
    assert said["strict"].split() == ["strict", "=", "true", "#", "$SGMEM_STRICT"]
    assert said["package"].endswith("# default")
    assert "# SGMEM_PERSONNA is no setting and has no effect" in ended.out
    assert tomllib.loads(ended.out)["persona"] == "pedantic"
    rows = {row["key"]: row for row in json.loads(sgmem("config", "--json").out)["settings"]}
    assert rows["persona"]["value"] == "pedantic"
    assert json.loads(sgmem("config", "--schema").out)["title"]


def test_config_refuses_an_unknown_rule_with_its_place(sgmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sgmem.toml").write_text("[rules]\nunit-mismatch = 'error'\nnegative-budgets = 'off'\n")
    monkeypatch.setitem(sys.modules, "sgmem.queries.check.rules", rules)
    ended = sgmem("config")
    assert ended.code == 2
    assert f"{tmp_path}/sgmem.toml:3: no rule 'negative-budgets'" in ended.err
    assert "did you mean negative-budget" in ended.err


SERVER = SourceTree.from_texts({"pkg/__init__.py": "", "pkg/a.py": "mem_fraction_static = 1\ntorch.cuda.mem_get_info()\n"})


def test_init_writes_a_start_and_says_what_the_tree_has(sgmem: CommandLine, tmp_path: Path) -> None:
    sgmem.answers["source"] = SERVER
    ended = sgmem("init")
    assert (ended.code, ended.out) == (0, "")
    assert "anchor mem_fraction_static: in 1 file, first pkg/a.py" in ended.err
    assert "measurements known to the models: mem_get_info" in ended.err
    assert "sinks known to the models: none" in ended.err
    assert sgmem("config").code == 0
    again = sgmem("init")
    assert again.code == 2
    assert "sgmem.toml exists already" in again.err


def test_init_adds_to_a_pyproject_and_keeps_what_is_there(sgmem: CommandLine, tmp_path: Path) -> None:
    sgmem.answers["source"] = SERVER
    assert "no pyproject.toml here" in sgmem("init", "--pyproject").err
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'  # ours")
    assert sgmem("init", "--pyproject", "--source", "python").code == 0
    text = (tmp_path / "pyproject.toml").read_text()
    assert text.startswith("[project]\nname = 'x'  # ours\n\n[tool.sgmem]\n")
    assert tomllib.loads(text)["tool"]["sgmem"] == {"source": "python", "baseline": "sgmem-baseline.json"}
    assert "has [tool.sgmem] already" in sgmem("init", "--pyproject").err


def test_a_dry_run_writes_nothing(sgmem: CommandLine, tmp_path: Path) -> None:
    sgmem.answers["source"] = SERVER
    assert sgmem("init", "--dry-run").out.startswith("# Settings of sgmem.")
    assert not (tmp_path / "sgmem.toml").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[per-file-ignores]\n"!" = ["negative-budget"]\n', "sgmem.toml:2: '!' is no pattern of files"),
        ("select = " + "[" * 5000 + "]" * 5000 + "\n", "sgmem.toml: its values are nested too deeply to be read"),
        ('strict = true\n[[model.unit]]\nnames = ["**:x"]\n', "sgmem.toml:2: [[unit]] row 1 (**:x): "),
        ('[[model.nope]]\nnames = ["**:x"]\n', "sgmem.toml:1: unknown table [[nope]]"),
        ('strict = true\nroots = ["((("]\n', "sgmem.toml:2: roots: '(((' is not of the form"),
        ('roots = ["**:*"]\n', "sgmem.toml:1: roots: '**:*' matches every name"),
        ('models = ["deep.toml"]\n', "deep.toml: its values are nested too deeply to be read"),
        ('models = ["nowhere.toml"]\n', "sgmem.toml:1: no such model file: nowhere.toml"),
    ],
)
def test_config_says_what_is_wrong_with_patterns_rows_and_roots(
    sgmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.setitem(sys.modules, "sgmem.queries.check.rules", rules)
    (tmp_path / "deep.toml").write_text("unit = " + "[" * 5000 + "]" * 5000 + "\n")
    (tmp_path / "sgmem.toml").write_text(text)
    ended = sgmem("config")
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert "internal" not in ended.err
