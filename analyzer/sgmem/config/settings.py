"""What a run looks for and reports, as data: the keys of `[tool.sgmem]` and `sgmem.toml`, typed.

A fork that calls things by other names changes a value here, not code.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

Level = Literal["off", "note", "warning", "error"]
Persona = Literal["regular", "pedantic", "auditor"]
Confidence = Literal["low", "medium", "high"]


class SourceSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How a source is recognised and bounded.

    `anchors` are identifiers that only the package worth analysing mentions; the top-level package with the most files
    that mention one is the one analysed. `installed` are the import names to look for in environments. A file above
    `max_file_bytes` is reported as unreadable.
    """

    anchors: tuple[str, ...] = ("mem_fraction_static",)
    installed: tuple[str, ...] = ("sglang",)
    max_file_bytes: int = 16 * 2**20


DEFAULT_SOURCE_SETTINGS = SourceSettings()


class OwnModels(msgspec.Struct, frozen=True, kw_only=True):
    """What a project adds to the built-in models: files, absolute, and rows by table (`unit`, `measurement`, ...), in order.

    `roots` are qualified patterns of the functions where a start-up begins; empty: those of the built-in models. `origin` and
    `roots_origin` say where the rows and the roots are written, for errors.
    """

    files: tuple[str, ...] = ()
    rows: dict[str, tuple[dict[str, Any], ...]] = {}
    roots: tuple[str, ...] = ()
    origin: str = "the settings"
    roots_origin: str = "the settings"

    def __bool__(self) -> bool:
        return bool(self.files or self.rows or self.roots)


NO_OWN_MODELS = OwnModels()


class Settings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="kebab"):
    """Every setting with its default. Paths are as written, relative to the folder of the file they stand in."""

    source: str | None = None
    package: str | None = None
    persona: Persona = "regular"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = "low"
    fail_on: Literal["note", "warning", "error"] = "note"
    strict: bool = False
    baseline: str | None = None
    stale_baseline: Literal["ignore", "report", "fail"] = "report"
    rules: dict[str, Level] = {}
    per_file_ignores: dict[str, tuple[str, ...]] = {}
    models: tuple[str, ...] = ()
    model: dict[str, tuple[dict[str, Any], ...]] = {}
    roots: tuple[str, ...] = ()
    anchors: tuple[str, ...] = DEFAULT_SOURCE_SETTINGS.anchors
    installed: tuple[str, ...] = DEFAULT_SOURCE_SETTINGS.installed


MEANING: dict[str, str] = {
    "source": "what to analyse when --source is not given: a folder, REV:, REV:path or package==version",
    "package": "the package to analyse, where a source holds several or is unusual",
    "persona": "how much check reports: regular, pedantic or auditor",
    "select": "run only these rules, by name or code; empty: all",
    "ignore": "leave out these rules",
    "min-confidence": "leave out what is less certain: low, medium or high",
    "fail-on": "the least severity that makes check exit with 1: note, warning or error",
    "strict": "exit with 2 where a file of the source could not be read",
    "baseline": "the file of findings that are known and not reported",
    "stale-baseline": "what to do with baseline entries that match no finding: ignore, report or fail",
    "rules": "the level of a rule: off, note, warning or error",
    "per-file-ignores": "rules to leave out in some files: a pattern as in .gitignore = a list of rules",
    "models": "model files of your own, read before the built-in ones",
    "model": "model rows of your own, written here: [[tool.sgmem.model.unit]] and so on",
    "roots": "where a start-up begins, as qualified patterns such as **:Runner.__init__; empty: as in the models",
    "anchors": "names that only the package worth analysing mentions",
    "installed": "import names to look for in environments when the working folder holds no such package",
}
"""What each key means, in a line: for `sgmem config`, `sgmem init` and the JSON Schema."""
