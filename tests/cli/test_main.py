from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import pytest

from sgmem.config.errors import NothingAnalysed, UsageError
from sgmem.version import __version__

if TYPE_CHECKING:
    from cli.stubs import CommandLine

TRACE_FORMATS = ["text", "json", "dot", "mermaid"]


@pytest.mark.parametrize("argument", ["--version", "-V"])
def test_version(sgmem: CommandLine, argument: str) -> None:
    assert sgmem(argument) == (0, f"sgmem {__version__}\n", "")


@pytest.mark.parametrize("format_name", TRACE_FORMATS)
@pytest.mark.parametrize(
    ("error", "code", "shown"),
    [
        (UsageError("no such folder: x", hint="try another"), 2, "error: no such folder: x\nhint: try another\n"),
        (NothingAnalysed("no 'x'", candidates=["a", "b"]), 3, "error: no 'x'\n  a\n  b\n"),
        (RuntimeError("boom\nand more"), 2, "internal error: RuntimeError: boom\\nand more (run with --debug"),
        (RecursionError("too deep"), 2, "internal error: RecursionError: too deep"),
        (PermissionError(13, "Permission denied", "a/\nb"), 2, "error: a/\\nb: Permission denied\n"),
        (OSError("no file is to blame"), 2, "internal error: OSError: no file is to blame"),
        (KeyboardInterrupt(), 130, ""),
    ],
    ids=["usage", "nothing", "internal", "recursion", "forbidden", "other", "interrupt"],
)
def test_errors_are_one_line_with_their_exit_code_in_every_format(
    sgmem: CommandLine, format_name: str, error: BaseException, code: int, shown: str
) -> None:
    sgmem.answers["trace"] = error
    ended = sgmem("trace", "x", "--format", format_name)
    assert ended.code == code
    assert ended.out == ""
    assert ended.err.startswith(shown)
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("query", ["source", "trace"])
def test_debug_shows_the_traceback(sgmem: CommandLine, query: str) -> None:
    sgmem.answers[query] = ZeroDivisionError("oops")
    ended = sgmem("trace", "x", "--debug")
    assert ended.code == 2
    assert "Traceback" in ended.err
    assert "stubs.py" in ended.err
    assert ended.err.endswith("internal error: ZeroDivisionError: oops\n")


def test_many_candidates_are_counted(sgmem: CommandLine) -> None:
    sgmem.answers["trace"] = NothingAnalysed("ambiguous", candidates=[f"c{n}" for n in range(25)])
    ended = sgmem("trace", "x")
    assert ended.code == 3
    assert ended.err.count("\n") == 22
    assert ended.err.endswith("  ... and 5 more\n")


def test_names_of_the_source_cannot_write_control_sequences(sgmem: CommandLine) -> None:
    sgmem.answers["trace"] = NothingAnalysed("no \x1b[31m name", candidates=["a\nb"])
    assert sgmem("trace", "x").err == "error: no \\x1b[31m name\n  a\\nb\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["trace"],
        ["trace", "x", "y"],
        ["trace", "x", "--depth", "0"],
        ["trace", "x", "--depth", "many"],
        ["trace", "x", "--hops", "some"],
        ["trace", "x", "--direction", "up"],
        ["trace", "x", "--color", "red"],
        ["trace", "x", "--min-confidence", "none"],
        ["trace", "x", "--format", "full"],
        ["trace", "x", "--format", ""],
        ["trace", "x", "-o", "json"],
        ["trace", "x", "-o", "json:"],
        ["trace", "x", "-o", "nope:-"],
        ["trace", "x", "-o", "json:no/such/folder/x.json"],
        ["trace", "x", "-o", "json:."],
        ["trace", "x", "-f", "json", "-o", "text:-"],
        ["trace", "x", "-o", "json:same", "-o", "text:same"],
        ["trace", "x", "--config", "missing.toml"],
        ["trace", "x", "--unknown"],
        ["check", "no-such-path"],
        ["check", "--format", "dot"],
        ["check", "--persona", "strict"],
        ["rule", "no-such-rule"],
        ["rule", "a", "b"],
        ["unknown"],
        ["--unknown"],
        [],
    ],
    ids=" ".join,
)
def test_wrong_usage_exits_2_before_any_work(sgmem: CommandLine, arguments: list[str]) -> None:
    ended = sgmem(*arguments)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err
    assert "Traceback" not in ended.err
    assert not {"trace", "check", "source"} & set(sgmem.asked)


@pytest.mark.parametrize("arguments", [["--depth", "0"], ["--depth", "many"], ["--hops", "some"]])
def test_a_wrong_value_is_told_in_plain_words(sgmem: CommandLine, arguments: list[str]) -> None:
    """The words are the library's and change with it; what names its parts is left out."""
    told = sgmem("trace", "x", *arguments).err
    assert f"Invalid value for '{arguments[0]}': " in told
    assert "Value error" not in told and "Input should" not in told and "unable to parse" not in told


def test_a_flag_of_the_server_in_place_of_a_name_is_explained(sgmem: CommandLine) -> None:
    assert sgmem("trace", "--mem-fraction-static").err.endswith("hint: a flag is traced by its name: sgmem trace mem_fraction_static\n")
    assert "hint" not in sgmem("check", "--mem-fraction-static").err


@pytest.mark.parametrize("command", [[], ["trace"], ["explain"], ["check"], ["rule"], ["clean"]])
def test_help_is_plain_and_teaches_by_example(sgmem: CommandLine, command: list[str]) -> None:
    ended = sgmem(*command, "--help")
    assert ended.code == 0
    assert ended.err == ""
    assert ended.out.isascii()
    assert "\x1b" not in ended.out
    if command != ["clean"]:
        assert f"Examples:\n    sgmem {command[0] if command else 'trace'}" in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80


def test_help_names_every_exit_code(sgmem: CommandLine) -> None:
    text = sgmem("--help").out
    codes = text[text.index("Exit codes:") :].splitlines()[1:5]
    assert [line.split()[0] for line in codes] == ["0", "1", "2", "3"]


def test_completion_can_be_shown(sgmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SGMEM_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "sgmem tr")
    monkeypatch.setenv("COMP_CWORD", "1")
    with pytest.raises(SystemExit) as ended:
        sgmem("ignored")
    assert ended.value.code in (0, None)
    assert sgmem.capfd.readouterr().out.split() == ["trace"]


def test_unicode_output_survives_an_ascii_terminal(sgmem: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    sys.stdout.reconfigure(encoding="ascii")  # type: ignore[union-attr]
    text = sgmem("trace", "x")
    assert text.code == 0
    assert text.out.isascii()
    assert "`- " in text.out
    assert json.loads(sgmem("trace", "x", "-f", "json").out)["schema"] == "sgmem/trace/1"
