from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sgmem.cli.outputs import parse_outputs
from sgmem.cli.write import write_file, write_stdout
from sgmem.config.errors import UsageError

if TYPE_CHECKING:
    from cli.stubs import CommandLine


@pytest.mark.parametrize(
    ("format_name", "specs", "expected"),
    [
        (None, [], [("text", "-")]),
        ("json", [], [("json", "-")]),
        (None, ["json:-"], [("json", "-")]),
        (None, ["dot:a:b.dot"], [("dot", "a:b.dot")]),
        ("text", ["json:t.json", "mermaid:t.mmd"], [("text", "-"), ("json", "t.json"), ("mermaid", "t.mmd")]),
    ],
)
def test_formats_and_destinations(format_name: str | None, specs: list[str], expected: list[tuple[str, str]]) -> None:
    assert [(one.format.name, one.destination) for one in parse_outputs("trace", format_name, specs)] == expected


def test_two_spellings_of_one_file_are_one_destination(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "link.json").symlink_to("a.json")
    for other in ("./a.json", "link.json", str(tmp_path / "a.json")):
        with pytest.raises(UsageError, match="two formats"):
            parse_outputs("trace", None, ["json:a.json", f"text:{other}"])
    assert len(parse_outputs("trace", None, ["json:a.json", "text:b.json"])) == 2


@pytest.mark.parametrize("destination", ["x" * 5000, "x\0y", "loop/a.json"])
def test_what_no_file_can_be_called_is_a_usage_error(destination: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(UsageError, match="cannot write") as caught:
        parse_outputs("trace", None, [f"json:{destination}"])
    assert len(caught.value.message) < 400


def test_the_default_of_check_is_full() -> None:
    assert parse_outputs("check", None, [])[0].format.name == "full"


def test_several_outputs_of_one_run(sgmem: CommandLine, tmp_path: Path) -> None:
    ended = sgmem("trace", "x", "-o", "text:-", "-o", f"json:{tmp_path}/t.json", "-o", "mermaid:t.mmd")
    assert ended.out.startswith("mem_fraction_static")
    assert json.loads((tmp_path / "t.json").read_text())["schema"] == "sgmem/trace/1"
    assert (tmp_path / "t.mmd").read_text().startswith("flowchart LR")
    assert ended.err == f"wrote {tmp_path}/t.json\nwrote t.mmd\n"
    assert sgmem("trace", "x", "-q", "-o", "json:t.json") == (0, "", "")


def test_files_are_utf8_and_without_color(sgmem: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    sgmem("trace", "x", "-o", "text:t.txt")
    text = (tmp_path / "t.txt").read_bytes().decode("utf-8")
    assert "└─" in text
    assert "\x1b" not in text


def test_a_file_is_replaced_whole_with_its_permissions_and_through_links(tmp_path: Path) -> None:
    target = tmp_path / "real.txt"
    target.write_text("old and much longer than the new text")
    target.chmod(0o640)
    link = tmp_path / "link.txt"
    link.symlink_to(target)
    write_file(link, "new\udc80")
    assert link.is_symlink()
    assert target.read_text() == "new\\udc80"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link.txt", "real.txt"]


def test_a_new_file_has_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "plain").touch()
    write_file(tmp_path / "new", "x")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_failed_write_leaves_the_old_file_and_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "t.txt"
    target.write_text("old")

    def full(self: Path, other: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(UsageError, match="No space left"):
        write_file(target, "new")
    assert target.read_text() == "old"
    assert [one.name for one in tmp_path.iterdir()] == ["t.txt"]


def test_a_pipe_or_device_is_written_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "text")
    assert os.read(reader, 100) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_what_stdout_cannot_encode_is_spelled_out() -> None:
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="ascii")
    write_stdout(stdout, "é日\udc80\n", utf8=False)
    assert raw.getvalue() == b"\\xe9\\u65e5\\udc80\n"
    write_stdout(stdout, "é", utf8=True)
    assert raw.getvalue().endswith("é".encode())


def test_a_stdout_without_bytes_is_written_as_text() -> None:
    stdout = io.StringIO()
    write_stdout(stdout, "é\n", utf8=True)
    assert stdout.getvalue() == "é\n"


@pytest.mark.parametrize("utf8", [True, False])
def test_a_reader_that_has_gone_away_is_no_error(utf8: bool) -> None:
    write = f"write_stdout(sys.stdout, 'x' * 10**6, utf8={utf8})"
    code = f"import sys; from sgmem.cli.write import write_stdout; {write}; sys.exit(1)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    assert process.wait() == 1
    assert process.stderr.read() == b""
    process.stderr.close()
