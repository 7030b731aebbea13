"""A command line whose queries are stubs: what it is asked for is recorded, what it answers is given."""

from __future__ import annotations

import sys
import types
from typing import TYPE_CHECKING, Any, NamedTuple

from report.samples import CHECKED, GOLDEN, RULES

from sgmem.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


class Ended(NamedTuple):
    """How a run ended."""

    code: int
    out: str
    err: str


class CommandLine:
    """Runs `sgmem ARGUMENTS` in this process. `answers` maps a query to its result, or to the error it raises."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str], folder: Path) -> None:
        self.monkeypatch = monkeypatch
        self.capfd = capfd
        self.answers: dict[str, Any] = {"source": object(), "trace": GOLDEN, "check": CHECKED, "rules": RULES}
        self.asked: dict[str, tuple[Any, ...]] = {}
        monkeypatch.setenv("SGMEM_CACHE_DIR", str(folder / "cache"))
        for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
            monkeypatch.delenv(name, raising=False)
        self.replace("sgmem.source.locate", open_source=lambda *args, **named: self.answer("source", *args, named))
        self.replace("sgmem.queries.trace.query", trace=lambda *args: self.answer("trace", *args))
        self.replace("sgmem.queries.check.query", check=lambda *args: self.answer("check", *args))
        self.replace("sgmem.queries.check.rules", all_rules=lambda: self.answer("rules"))

    def replace(self, module: str, **functions: Any) -> None:
        stub = types.ModuleType(module)
        for name, function in functions.items():
            setattr(stub, name, function)
        self.monkeypatch.setitem(sys.modules, module, stub)

    def answer(self, query: str, *asked: Any) -> Any:
        self.asked[query] = asked
        given = self.answers[query]
        if isinstance(given, BaseException):
            raise given
        return given

    def __call__(self, *arguments: str) -> Ended:
        self.capfd.readouterr()
        self.monkeypatch.setattr(sys, "argv", ["sgmem", *arguments])
        code = run()
        out, err = self.capfd.readouterr()
        return Ended(code, out, err)
