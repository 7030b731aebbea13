"""The configuration of a run: which file, what it may say, and what is told about a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest

from sgmem.config.errors import UsageError
from sgmem.config.load import Configuration, configuration, settings_in_force


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def load(folder: Path, file: Path | None = None, *, isolated: bool = False, **environ: str) -> Configuration:
    return configuration(folder, file, isolated=isolated, environ=environ)


def failure(folder: Path, **environ: str) -> tuple[str, str | None]:
    with pytest.raises(UsageError) as caught:
        load(folder, **environ)
    return caught.value.message.replace(str(folder), "."), caught.value.hint


def test_without_a_file_everything_is_default(tmp_path: Path) -> None:
    found = load(tmp_path)
    assert (found.file, found.settings.persona, found.origin("persona")) == (None, "regular", "default")


def test_the_nearest_file_wins_up_to_the_root_of_the_repository(tmp_path: Path) -> None:
    repository, inner = tmp_path / "repo", tmp_path / "repo" / "a" / "b"
    inner.mkdir(parents=True)
    write(tmp_path / "sgmem.toml", 'persona = "auditor"\n')
    assert load(inner).file is None
    (repository / ".git").touch()
    assert load(inner).file is None
    write(repository / "pyproject.toml", "[project]\nname = 'x'\n[tool.sgmem]\npersona = 'pedantic'\n")
    found = load(inner)
    assert (found.settings.persona, found.folder) == ("pedantic", repository)
    assert found.origin("persona") == f"{repository}/pyproject.toml:4"
    write(inner.parent / "pyproject.toml", "[tool.ruff]\n# sgmem is not mentioned as a table\n")
    assert load(inner).folder == repository
    write(inner.parent / "sgmem.toml", "persona = 'auditor'\n")
    assert load(inner).settings.persona == "auditor"
    write(inner.parent / "pyproject.toml", "[tool.sgmem]\npersona = 'regular'\n")
    assert load(inner).settings.persona == "auditor"


def test_a_named_file_replaces_the_nearest_and_isolated_looks_at_none(tmp_path: Path) -> None:
    write(tmp_path / "sgmem.toml", "strict = true\n")
    other = write(tmp_path / "ci" / "other.toml", 'baseline = "known.json"\n')
    assert load(tmp_path).settings.strict
    found = load(tmp_path, Path("ci/other.toml"))
    assert not found.settings.strict
    assert found.baseline == tmp_path / "ci" / "known.json"
    assert load(tmp_path, SGMEM_CONFIG=str(other)).baseline == tmp_path / "ci" / "known.json"
    assert load(tmp_path, isolated=True).file is None
    assert load(tmp_path, SGMEM_ISOLATED="1", SGMEM_PERSONA="auditor").settings.persona == "regular"
    assert load(tmp_path, Path("ci/other.toml"), isolated=True).baseline is not None
    with pytest.raises(UsageError, match="no such file"):
        load(tmp_path, Path("none.toml"))


def test_variables_go_before_the_file(tmp_path: Path) -> None:
    write(tmp_path / "sgmem.toml", "persona = 'pedantic'\nselect = ['a']\n")
    found = load(tmp_path, SGMEM_PERSONA="auditor", SGMEM_SELECT="b, c", SGMEM_STRICT="yes", SGMEM_MIN_CONFIDENCE="high")
    assert (found.settings.persona, found.settings.select) == ("auditor", ("b", "c"))
    assert (found.settings.strict, found.settings.min_confidence) == (True, "high")
    assert found.origin("persona") == "$SGMEM_PERSONA"
    rows = {key: (value, origin) for key, value, origin in settings_in_force(found)}
    assert rows["select"] == (["b", "c"], "$SGMEM_SELECT")
    assert rows["fail-on"] == ("note", "default")


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        ("\npersonna = 'auditor'\n", "./sgmem.toml:2: unknown key 'personna'", "did you mean persona?"),
        ("min_confidence = 'low'\n", "./sgmem.toml:1: unknown key 'min_confidence'", "did you mean min-confidence?"),
        ("persona = 'auditer'\n", "./sgmem.toml:1: persona = 'auditer' is none of", "did you mean auditor?"),
        ("strict = 'yes'\n", "./sgmem.toml:1: strict: expected true or false, got a string", None),
        ("select = 'a'\n", "./sgmem.toml:1: select: expected a list, got a string", None),
        ("select = [\n  'a',\n  1,\n]\n", "./sgmem.toml:1: select[1]: expected a string, got a whole number", None),
        ("source = 3\n", "./sgmem.toml:1: source: expected a string, got a whole number", None),
        ("rules = 'x'\n", "./sgmem.toml:1: rules: expected a table, got a string", None),
        ("x = 1\n[rules]\n", "./sgmem.toml:1: unknown key 'x'", "known are"),
        ("strict = true\n\n[rules]\na = 'error'\nb = 'errors'\n", "./sgmem.toml:5: rules.b = 'errors' is none of off,", "did you mean error?"),
        ("[per-file-ignores]\n'**/x.py' = ['a']\n'y.py' = 'a'\n", "./sgmem.toml:3: per-file-ignores.y.py: expected a list", None),
        ("strict = \n", "./sgmem.toml: Invalid value (at line 1", None),
        ("[tool.sgmem]\nstrict = true\n", "./sgmem.toml: its keys stand at the top level", "leave out"),
        ("model = 3\n", "./sgmem.toml:1: model: expected a table", None),
    ],
)  # fmt: skip
def test_a_mistake_is_told_with_file_line_and_a_suggestion(tmp_path: Path, text: str, message: str, hint: str | None) -> None:
    write(tmp_path / "sgmem.toml", text)
    said, suggested = failure(tmp_path)
    assert said.startswith(message)
    assert (suggested or "").startswith(hint or "")
    assert (suggested is None) == (hint is None)


def test_lines_count_from_the_top_of_a_pyproject(tmp_path: Path) -> None:
    text = "[project]\nname = 'x'\n\n[tool.sgmem]\n# why\nfail-on = 'warning'\n[tool.sgmem.rules]\nunit-mismatch = 3\n"
    write(tmp_path / "pyproject.toml", text)
    assert failure(tmp_path)[0].startswith("./pyproject.toml:8: rules.unit-mismatch: ")


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("SGMEM_PERSONA", "loud", "SGMEM_PERSONA: persona = 'loud' is none of regular"),
        ("SGMEM_STRICT", "maybe", "SGMEM_STRICT=maybe is neither true nor false"),
        ("SGMEM_ISOLATED", "x", "SGMEM_ISOLATED=x is neither"),
    ],
)
def test_a_bad_variable_is_named(tmp_path: Path, name: str, value: str, message: str) -> None:
    assert failure(tmp_path, **{name: value})[0].startswith(message)


def test_paths_are_relative_to_their_file_and_sources_may_be_no_paths(tmp_path: Path) -> None:
    (tmp_path / "python").mkdir()
    write(tmp_path / "m" / "ours.toml", "")
    write(tmp_path / "sgmem.toml", "source = 'python'\nmodels = ['m/ours.toml']\n")
    found = load(tmp_path)
    assert found.source == str(tmp_path / "python")
    assert found.own_models.files == (str(tmp_path / "m" / "ours.toml"),)
    assert load(tmp_path, SGMEM_SOURCE="sglang==0.5.9").source == "sglang==0.5.9"
    write(tmp_path / "sgmem.toml", "\nmodels = ['m/theirs.toml']\n")
    with pytest.raises(UsageError, match=r"sgmem.toml:2: no such model file: m/theirs.toml"):
        _ = load(tmp_path).own_models


def test_rows_and_roots_of_its_own(tmp_path: Path) -> None:
    text = "roots = ['**:Main.__init__']\n[[model.unit]]\nnames = ['**:f']\nkind = 'result'\nunit = 'GiB'\nwhy = 'ours'\n"
    write(tmp_path / "sgmem.toml", text)
    own = load(tmp_path).own_models
    assert own.roots == ("**:Main.__init__",)
    assert own.rows["unit"][0]["unit"] == "GiB"
    assert own
    assert not load(tmp_path, isolated=True).own_models
