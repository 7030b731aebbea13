"""The program: one source tree with its names, classes, values and calls resolved on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.program.calls import Calls
from sgmem.program.classes import Classes
from sgmem.program.files import Files, Tree
from sgmem.program.idioms import Idioms
from sgmem.program.names import Names
from sgmem.program.spelling import Spelling
from sgmem.program.values import Values

if TYPE_CHECKING:
    from sgmem.models.load import Table
    from sgmem.models.rows import ConfigRow


class Program:
    """Everything that resolves names over one tree. Nothing is read before it is asked for.

    `files`, parsed for another program of the same tree, save parsing them again. `config` are the rows that tell
    how the configuration reaches its readers; without them only what the code shows is known.
    """

    def __init__(self, tree: Tree, paths: tuple[str, ...], config: Table[ConfigRow] | None = None, files: Files | None = None) -> None:
        self.files = files or Files(tree, paths)
        self.names = Names(self.files)
        self.classes = Classes(self.names)
        self.spelling = Spelling(self.files)
        self.idioms = Idioms(self.names, self.classes.assembled, self.spelling, config)
        self.values = Values(self.names, self.classes, self.idioms)
        self.calls = Calls(self.files, self.names, self.classes, self.values)
