from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import pytest
from report.samples import CHECKED, CLEAN, GOLDEN

from sgmem.cache.store import NullStore
from sgmem.queries.results.trace import Unreadable
from sgmem.report.registry import format_names

if TYPE_CHECKING:
    from cli.stubs import CommandLine


@pytest.mark.parametrize(
    ("format_name", "begins"),
    [
        ("text", "mem_fraction_static"),
        ("json", '{\n  "schema": "sgmem/trace/1"'),
        ("dot", "digraph"),
        ("mermaid", "flowchart LR"),
    ],
)
def test_a_trace_that_is_found_exits_0_in_every_format(sgmem: CommandLine, format_name: str, begins: str) -> None:
    ended = sgmem("trace", "x", "--format", format_name)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out.startswith(begins)


@pytest.mark.parametrize("format_name", format_names("check"))
@pytest.mark.parametrize(("result", "code"), [(CHECKED, 1), (CLEAN, 0)], ids=["findings", "clean"])
def test_findings_exit_1_in_every_format(sgmem: CommandLine, format_name: str, result: object, code: int) -> None:
    sgmem.answers["check"] = result
    assert sgmem("check", "--format", format_name).code == code


def test_the_options_of_trace_reach_the_query(sgmem: CommandLine) -> None:
    sgmem(
        "trace", "pkg.mod:C.x", "--source", "v1:", "--package", "pkg", "--to", "f", "--direction", "back", "--writes",
        "--depth", "3", "--hops", "all", "--min-confidence", "medium", "--no-cache",
    )  # fmt: skip
    spec, named = sgmem.asked["source"]
    assert (spec, named["package"], named["working_folder"]) == ("v1:", "pkg", Path.cwd())
    tree, name, options = sgmem.asked["trace"]
    assert tree is sgmem.answers["source"]
    assert name == "pkg.mod:C.x"
    assert (options.to, options.direction, options.writes) == ("f", "back", True)
    assert (options.depth, options.hops, options.min_confidence) == (3, "all", "medium")
    assert isinstance(options.store, NullStore)
    assert options.progress is None


def test_the_defaults_of_trace(sgmem: CommandLine) -> None:
    sgmem("trace", "x")
    options = sgmem.asked["trace"][2]
    assert (options.to, options.direction, options.writes, options.depth) == (None, "both", False, None)
    assert (options.hops, options.min_confidence) == ("default", "low")
    assert not isinstance(options.store, NullStore)


def test_the_options_of_check_reach_the_query(sgmem: CommandLine) -> None:
    sgmem(
        "check",
        "--persona",
        "auditor",
        "--select",
        "a,b",
        "--select",
        " c ",
        "--ignore",
        "d",
        "--min-confidence",
        "high",
    )
    _, paths, options, _ = sgmem.asked["check"]
    assert paths == []
    assert (options.persona, options.select, options.ignore) == ("auditor", ("a", "b", "c"), ("d",))
    assert options.min_confidence == "high"
    assert sgmem.asked["source"][0] is None


@pytest.mark.parametrize("names", ["", " , "])
def test_a_choice_of_no_rule_is_not_taken_for_all(sgmem: CommandLine, names: str) -> None:
    ended = sgmem("check", "--select", names)
    assert ended.code == 2
    assert "--select names no rule" in ended.err
    assert "check" not in sgmem.asked


def test_the_view_follows_the_options(sgmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    wide = sgmem("trace", "x").out
    monkeypatch.setenv("COLUMNS", "80")
    narrow = sgmem("trace", "x").out
    assert max(map(len, wide.splitlines())) > 150
    assert len(narrow.splitlines()) > len(wide.splitlines())
    assert "Handed on" not in sgmem("trace", "x", "--writes").out
    assert "\x1b[" in sgmem("trace", "x", "--color", "always").out
    assert "\x1b" not in narrow


def test_paths_of_check_name_the_program(sgmem: CommandLine, tmp_path: Path) -> None:
    inner = tmp_path / "repo" / "pkg" / "sub"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").touch()
    (inner / "a.py").touch()
    sgmem("check", "repo/pkg/sub/a.py", "repo/pkg/../pkg/sub")
    assert sgmem.asked["source"][0] == str(tmp_path / "repo" / "pkg")
    assert sgmem.asked["check"][1] == [inner / "a.py", inner]
    sgmem("check", "repo/pkg/sub", "--source", "v1:")
    assert sgmem.asked["source"][0] == "v1:"


def test_paths_in_two_packages_are_no_program(sgmem: CommandLine, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    ended = sgmem("check", "one", "two")
    assert ended.code == 2
    assert "different packages" in ended.err


def test_unreadable_files_change_the_code_only_if_strict(sgmem: CommandLine) -> None:
    source = msgspec.structs.replace(GOLDEN.source, unreadable=(Unreadable("a.py", "bad"),))
    sgmem.answers["trace"] = msgspec.structs.replace(GOLDEN, source=source)
    sgmem.answers["check"] = msgspec.structs.replace(CLEAN, source=source)
    assert sgmem("trace", "x").code == 0
    assert sgmem("check").code == 0
    assert sgmem("trace", "x", "--strict").code == 2
    assert sgmem("check", "--strict", "--format", "json").code == 2
    assert sgmem("check", "--format", "concise").err == "not read: a.py: bad\n"
    assert sgmem("check", "--format", "concise", "-q").err == ""
    assert "not read: a.py: bad (--strict)" in sgmem("check", "--strict").err


def test_rules_are_listed(sgmem: CommandLine) -> None:
    ended = sgmem("rule")
    assert ended.code == 0
    assert [line.split()[:2] for line in ended.out.splitlines()] == [
        ["SGM101", "unit-mismatch"],
        ["SGM201", "negative-budget"],
    ]
    sgmem.answers["rules"] = []
    assert sgmem("rule") == (0, "No rules are installed.\n", "")


@pytest.mark.parametrize("name", ["unit-mismatch", "SGM101", "sgm101", "Unit-Mismatch"])
def test_the_page_of_a_rule_is_printed_as_it_is(sgmem: CommandLine, name: str) -> None:
    assert sgmem("rule", name) == (0, "# unit-mismatch\n\nTwo units [meet].\n", "")


def test_an_unknown_rule_suggests_others(sgmem: CommandLine) -> None:
    ended = sgmem("rule", "unit-missmatch")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == "error: no rule 'unit-missmatch'\nhint: did you mean unit-mismatch?\n"
    assert sgmem("rule", "zzz").err.endswith("hint: sgmem rule lists them all\n")


def test_clean_empties_the_cache(sgmem: CommandLine, tmp_path: Path) -> None:
    from sgmem.cache.store import Store

    assert sgmem("clean") == (0, "", "nothing is cached\n")
    assert not (tmp_path / "cache").exists()
    with Store.open() as store:
        store.put_many("kind", [("key", b"value")])
    ended = sgmem("clean")
    assert (ended.code, ended.out) == (0, "")
    assert str(tmp_path / "cache") in ended.err
    with Store.open() as store:
        assert store.get("kind", "key") is None


def test_the_store_is_closed_even_if_the_query_fails(sgmem: CommandLine) -> None:
    closed: list[str] = []

    class Failing(RuntimeError):
        pass

    def fail(tree: object, name: str, options: object) -> None:
        options.store.before_close(lambda: closed.append("closed"))  # type: ignore[attr-defined]
        raise Failing

    sgmem.replace("sgmem.queries.trace.query", trace=fail)
    assert sgmem("trace", "x").code == 2
    assert closed == ["closed"]


def test_settings_reach_the_queries_and_the_command_line_goes_before_them(sgmem: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "models.toml").touch()
    (tmp_path / "sgmem.toml").write_text(
        'persona = "pedantic"\nmin-confidence = "medium"\nsource = "v1:"\npackage = "pkg"\nanchors = ["kv_share"]\n'
        'models = ["models.toml"]\nignore = ["b"]\nroots = ["**:Main.__init__"]\n[rules]\na = "error"\nc = "off"\n'
    )
    sgmem("trace", "x")
    spec, named = sgmem.asked["source"]
    assert (spec, named["package"], named["settings"].anchors) == ("v1:", "pkg", ("kv_share",))
    options = sgmem.asked["trace"][2]
    assert options.min_confidence == "medium"
    assert options.own.files == (str(tmp_path / "models.toml"),)
    assert options.own.roots == ("**:Main.__init__",)
    sgmem("check", "--persona", "auditor", "--ignore", "d", "--source", "v2:")
    assert sgmem.asked["source"][0] == "v2:"
    options = sgmem.asked["check"][2]
    assert (options.persona, options.min_confidence) == ("auditor", "medium")
    assert (options.ignore, options.levels) == (("b", "c", "d"), (("a", "error"),))
    assert {one.name: one.origin.rpartition(":")[2] for one in options.named} == {"b": "7", "a": "10", "c": "11"}
    sgmem("check", "--isolated")
    assert sgmem.asked["check"][2].persona == "regular"


def test_a_broken_setting_is_one_line_with_its_place(sgmem: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "sgmem.toml").write_text("# ours\npersonna = 'auditor'\n")
    ended = sgmem("check")
    assert (ended.code, ended.out) == (2, "")
    assert ended.err == f"error: {tmp_path}/sgmem.toml:2: unknown key 'personna'\nhint: did you mean persona?\n"
    assert sgmem("check", "--config", "none.toml").err == "error: no such file: none.toml\n"


def test_json_on_stdout_is_all_that_is_on_stdout(sgmem: CommandLine) -> None:
    assert json.loads(sgmem("trace", "x", "-f", "json", "-v").out)["parameter"] == "mem_fraction_static"
