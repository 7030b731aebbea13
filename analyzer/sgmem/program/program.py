"""The program: one source tree with its names, classes, values and calls resolved on demand."""

from __future__ import annotations

from sgmem.program.calls import Calls
from sgmem.program.classes import Classes
from sgmem.program.files import Files, Tree
from sgmem.program.names import Names
from sgmem.program.values import Values


class Program:
    """Everything that resolves names over one tree. Nothing is read before it is asked for."""

    def __init__(self, tree: Tree, paths: tuple[str, ...]) -> None:
        self.files = Files(tree, paths)
        self.names = Names(self.files)
        self.classes = Classes(self.names)
        self.values = Values(self.names, self.classes)
        self.calls = Calls(self.files, self.names, self.classes, self.values)
