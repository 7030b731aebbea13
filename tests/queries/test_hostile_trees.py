"""Files that nobody would write, in one package: every one is analysed or reported, and a trace and a check go through."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from sgmem.cache.store import Store
from sgmem.queries.check.query import check
from sgmem.queries.options import CheckOptions, TraceOptions
from sgmem.queries.trace.query import trace
from sgmem.report.registry import FORMATS
from sgmem.report.view import View
from sgmem.source.locate import open_source

GOOD = """
class Args:
    budget: float = 0.5


def use(args: Args, total: int) -> int:
    return int(total * args.budget)
"""

READABLE: dict[str, bytes] = {
    "bom.py": b"\xef\xbb\xbfclass A:\n    budget = 1\n",
    "latin.py": "# -*- coding: latin-1 -*-\nbudget = 'é'\n".encode("latin-1"),
    "cookie_in_line_two.py": b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nbudget = '\x80'\n",
    "carriage_returns.py": b"budget = 1\rother = budget\r",
    "mixed_ends.py": b"budget = 1\r\nother = budget\nmore = budget\r\n",
    "form_feed.py": b"budget = 1\n\x0c\nother = budget\n",
    "tabs.py": b"if True:\n\tbudget = 1\n\tif budget:\n\t\tother = budget\n",
    "empty.py": b"",
    "no_end.py": b"budget = 1",
    "lines.py": b"x = 1\n" * 100_000 + b"budget = 1\n",
    "a_giant_string.py": b"budget = '" + b"a" * 3_000_000 + b"'\n",
    "a_giant_number.py": b"budget = " + b"9" * 50_000 + b"\n",
    "a_conjunction.py": b"budget = 1\nx = " + b" and ".join([b"budget"] * 20_000) + b"\n",
    "markup.py": b"budget = '[bold red]x[/]'  # [link=file:///]budget[/link]\n",
    "escapes.py": "budget = '\\x1b'  # \x1b]0;title\x07 \u202e\n".encode(),
    "names.py": "größe = 1\nbudget = größe\nｂudget = 2\n".encode(),
    "itself.py": b"from pkg.itself import *\nfrom pkg import itself\nclass A(A): pass\nbudget = budget\n",
    "circle.py": b"def a(budget): return b(budget)\ndef b(budget): return a(budget)\n",
    "dict.py": b"budget = {" + b"'a': [1, {'b': 2}], " * 10_000 + b"}\n",
}

REFUSED: dict[str, bytes] = {
    "broken.py": b"def budget(:\n",
    "nulls.py": b"budget = 1\x00\n",
    "wrong_bytes.py": b"budget = '\xff\xfe'\n",
    "unknown_cookie.py": b"# coding: klingon\nbudget = 1\n",
    "two_encodings.py": b"\xef\xbb\xbf# coding: latin-1\nbudget = 1\n",
    "utf_16.py": "budget = 1\n".encode("utf-16"),
    "nested_calls.py": b"budget = " + b"f(" * 1500 + b")" * 1500 + b"\n",
    "deep_blocks.py": b"".join(b" " * n + b"if budget:\n" for n in range(400)) + b" " * 400 + b"pass\n",
    "open_brackets.py": b"budget = " + b"(" * 50_000,
    "indents.py": b"if True:\n\tbudget = 1\n        other = 2\n",
}


def package(folder: Path) -> Path:
    """A package with all of these files, and places in the file system that are no plain files."""
    root = folder / "pkg"
    root.mkdir()
    (root / "__init__.py").write_text("")
    (root / "good.py").write_text(GOOD)
    for name, data in (READABLE | REFUSED).items():
        (root / name).write_bytes(data)
    (root / "a folder.py").mkdir()
    (root / "loop").symlink_to(root, target_is_directory=True)
    (root / "dangling.py").symlink_to(root / "nowhere.py")
    (root / "round.py").symlink_to(root / "round.py")
    return root


def small(folder: Path) -> Path:
    root = folder / "pkg"
    root.mkdir()
    (root / "__init__.py").write_text("")
    (root / "good.py").write_text(GOOD)
    return root


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return package(tmp_path_factory.mktemp("hostile"))


def run(*arguments: str, cache: Path | None = None, timeout: int = 300) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "NO_COLOR": "1", "SGMEM_CACHE_DIR": str(cache) if cache is not None else os.devnull}
    command = [sys.executable, "-m", "sgmem", *arguments, "-q"]
    return subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, check=False)


def test_a_trace_goes_through_and_the_counts_are_right(hostile: Path) -> None:
    done = run("trace", "budget", "--source", str(hostile), "--package", "pkg", "--format", "json")
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(done.stdout)
    refused = {row["path"] for row in found["source"]["unreadable"]}
    assert {f"pkg/{name}" for name in REFUSED} <= refused
    assert not {f"pkg/{name}" for name in READABLE} & refused
    assert all(row["why"] and "\n" not in row["why"] for row in found["source"]["unreadable"])
    named = {site["path"] for site in found["sites"]}
    assert {"pkg/good.py", "pkg/bom.py", "pkg/latin.py", "pkg/form_feed.py", "pkg/tabs.py", "pkg/lines.py"} <= named
    assert not named & refused
    formulas = {site["id"]: site["path"] for site in found["sites"]}
    assert [formulas[one["site"]] for one in found["formulas"] if "args.budget" in one["text"]] == ["pkg/good.py"]


def test_a_check_goes_through_and_reports_no_readable_file_as_unreadable(hostile: Path) -> None:
    done = run("check", "--source", str(hostile), "--package", "pkg", "--format", "json")
    assert done.returncode in (0, 1), done.stderr[-2000:]
    unreadable = {row["path"] for row in json.loads(done.stdout)["unreadable"]}
    assert unreadable <= {f"pkg/{name}" for name in REFUSED} | {"pkg/dangling.py", "pkg/round.py"}


@pytest.mark.parametrize("name", [name for name in READABLE if len(READABLE[name]) < 1000])
def test_every_format_survives_every_readable_file(name: str, tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / name).write_bytes(READABLE[name])
    tree = open_source(str(root), package="pkg", working_folder=tmp_path)
    traced, checked = trace(tree, "budget", TraceOptions(hops="all")), check(tree, (), CheckOptions())
    for kind, result in (("trace", traced), ("check", checked)):
        for each in FORMATS[kind]:
            text = each.render(result, View())
            assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_may_not_be_read_is_reported(tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / "secret.py").write_text("budget = 1\n")
    (root / "secret.py").chmod(0)
    tree = open_source(str(root), package="pkg", working_folder=tmp_path)
    found = trace(tree, "budget", TraceOptions())
    assert [row.path for row in found.source.unreadable] == ["pkg/secret.py"]


@pytest.mark.parametrize("name", ["new\nline.py", "bell\x07.py", "[bold]x[] .py", "-q.py", "ünï.py", "a b.py", "\u202etxt.py"])
def test_files_with_strange_names_are_named_safely(name: str, tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / name).write_text("from pkg.good import Args\nprint(Args.budget)\n")
    tree = open_source(str(root), package="pkg", working_folder=tmp_path)
    found = trace(tree, "budget", TraceOptions(hops="all"))
    for each in FORMATS["trace"]:
        text = each.render(found, View())
        assert "\x07" not in text and "\u202e" not in text
        assert "new\nline" not in text


def test_two_runs_at_once_and_a_killed_one_change_no_result(tmp_path: Path) -> None:
    root = small(tmp_path)
    for number in range(40):
        (root / f"more{number}.py").write_text(f"from pkg.good import Args\ndef f{number}(args: Args): return args.budget * {number}\n")
    arguments = ("trace", "budget", "--source", str(root), "--package", "pkg", "--format", "json")
    clean = run(*arguments, cache=tmp_path / "clean").stdout
    shared = tmp_path / "shared"
    environment = {**os.environ, "SGMEM_CACHE_DIR": str(shared)}
    command = [sys.executable, "-m", "sgmem", *arguments, "-q"]
    for wait in (0.15, 0.3, 0.6):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(wait)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    at_once = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=120)[0] for process in at_once] == [clean] * 3
    assert run(*arguments, cache=shared).stdout == clean


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\x00" + b"\xff" * 4000])
def test_a_damaged_cache_changes_no_result(damage: bytes, tmp_path: Path) -> None:
    root = small(tmp_path)
    tree = open_source(str(root), package="pkg", working_folder=tmp_path)
    clean = trace(tree, "budget", TraceOptions())
    folder = tmp_path / "cache"
    for _ in range(2):
        with Store.open(folder) as store:
            again = trace(
                open_source(str(root), package="pkg", working_folder=tmp_path, store=store), "budget", TraceOptions(store=store)
            )
            assert again == clean
        for file in folder.rglob("*"):
            if file.is_file():
                file.write_bytes(damage)
