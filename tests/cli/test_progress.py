from __future__ import annotations

import io
import sys

import pytest

from sgmem.cli.progress import Spinner, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(quiet=False) as callback:
        assert callback is None
    assert stream.getvalue() == ""


def test_quiet_is_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with progress(quiet=True) as callback:
        assert callback is None


def test_a_terminal_sees_one_line_that_is_gone_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    with pytest.raises(ValueError, match="stop"), progress(quiet=False) as callback:
        assert callback is not None
        callback("reading \x1b[31m" + "x" * 500)
        raise ValueError("stop")
    shown = stream.getvalue()
    assert "reading \\x1b[31mx" in shown
    assert "\n" not in shown
    assert shown.endswith("\r\x1b[2K")
    assert max(map(len, shown.split("\r\x1b[2K"))) < 240


def test_updates_are_no_faster_than_the_eye() -> None:
    spinner = Spinner(Terminal())
    for number in range(1000):
        spinner(str(number))
    assert spinner.turn < 1000


def test_a_closed_stderr_is_no_error() -> None:
    stream = Terminal()
    stream.close()
    spinner = Spinner(stream)
    spinner("x")
    spinner.clear()
