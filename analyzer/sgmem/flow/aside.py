"""Code beside the program: tests, and the part of a file that runs only when the file is run by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.program.files import File

_FOLDERS = frozenset({"test", "tests", "testing"})


def is_test(path: str) -> bool:
    """Whether a file is a test or only starts a program, by the common naming of folders and files."""
    *folders, name = path.split("/")
    return name.startswith("test_") or name in ("conftest.py", "__main__.py") or not _FOLDERS.isdisjoint(folders)


def is_aside(file: File, statement: int) -> bool:
    """Whether a statement belongs to a test or stands under `__main__`."""
    if is_test(file.path):
        return True
    rows = file.outline.statements
    index = statement
    while index >= 0:
        row = rows[index]
        if row.kind == "if" and row.scope == 0 and row.parent < 0 and is_main_test(file.test(index)):
            return True
        index = row.parent
    return False


def distance(file: File, statement: int) -> int:
    """How far code is from the program proper: 0 for its modules, 1 for files that can be run by themselves, 2 for tests and what
    such a file does when it is."""
    if is_aside(file, statement):
        return 2
    return 1 if file.runs_by_itself else 0


def is_main_test(test: ir.Expr | None) -> bool:
    """`__name__ == "__main__"`."""
    if not isinstance(test, ir.Compare) or test.operators != ("==",):
        return False
    return {getattr(part, "id", getattr(part, "value", None)) for part in test.operands} == {"__name__", "__main__"}
