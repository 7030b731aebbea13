"""Asking git for the objects of a repository."""

from __future__ import annotations

import os
import posixpath
import subprocess
from itertools import islice
from typing import TYPE_CHECKING

import msgspec

from sgmem.config.errors import UsageError
from sgmem.source.names import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

LINK = "120000"
SUBMODULE = "160000"
# Bounds what one answer of git holds in memory.
_OBJECTS_PER_QUESTION = 2000


class Entry(msgspec.Struct, frozen=True):
    """A file of a tree: git's mode, and the name of the object that holds its bytes."""

    mode: str
    object: str


class Repository:
    """The repository around `folder`. Reads objects only: no checkout, no index, no hooks."""

    def __init__(self, folder: Path, prefix: str) -> None:
        self.folder = folder
        self._prefix = prefix
        self._fetched: dict[str, bytes] = {}

    @classmethod
    def around(cls, folder: Path) -> Repository:
        """UsageError if `folder` is in no repository or git is not there."""
        answer = _git(folder, ["rev-parse", "--git-dir", "--show-prefix"])
        if answer.returncode:
            complaint = _complaint(answer)
            if "not a git repository" in complaint:
                complaint = "it is not in a git repository"
            raise UsageError(f"no revision can be read in {printable(str(folder))}: {complaint}")
        lines = os.fsdecode(answer.stdout).splitlines()
        return cls(folder, lines[1] if len(lines) > 1 else "")

    def tree_of(self, revision: str) -> str:
        """The object name of a revision's tree. UsageError if there is no such revision."""
        question = ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{tree}"]
        answer = _git(self.folder, question) if "\0" not in revision else None
        if answer is None or answer.returncode:
            raise UsageError(
                f"no revision {printable(revision)} in the repository of {printable(str(self.folder))}",
                hint=self._how_to_fetch(revision),
            )
        return answer.stdout.decode("ascii").strip()

    def _how_to_fetch(self, revision: str) -> str:
        """What to do about a revision that is not here."""
        if _git(self.folder, ["rev-parse", "--is-shallow-repository"]).stdout.strip() != b"true":
            return "fetch it first if it is on a remote"
        name = printable(revision).removeprefix("origin/")
        return f"this clone is shallow: git fetch --depth=1 origin {name}, then name FETCH_HEAD; or clone with fetch-depth: 0"

    def path_from_root(self, path: str) -> str:
        """`path` of `REV:path`: from the root of the repository, or with a leading `.` from the folder worked in."""
        relative = path == "." or path.startswith(("./", "../"))
        normal = posixpath.normpath(posixpath.join(self._prefix if relative else "", path) or ".")
        if normal == ".." or normal.startswith(("../", "/")):
            raise UsageError(f"{printable(path)} is outside the repository")
        return "" if normal == "." else normal

    def entries(self, tree: str) -> dict[str, Entry]:
        """Every file of a tree by its path from the root; bytes that are no UTF-8 are lone surrogates in it."""
        answer = _git(self.folder, ["ls-tree", "-r", "-z", "--full-tree", tree])
        if answer.returncode:
            raise UsageError(f"git cannot list the revision: {_complaint(answer)}")
        entries = {}
        for line in answer.stdout.split(b"\0"):
            about, tab, path = line.partition(b"\t")
            if tab:
                mode, _, name = about.decode("ascii").split(" ")
                entries[path.decode("utf-8", "surrogateescape")] = Entry(mode, name)
        return entries

    def blobs(self, objects: Iterable[str]) -> dict[str, bytes]:
        """The bytes of those objects that git can read; they are remembered until `forget`."""
        wanted = dict.fromkeys(objects)
        missing = (name for name in wanted if name not in self._fetched)
        while some := list(islice(missing, _OBJECTS_PER_QUESTION)):
            answer = _git(self.folder, ["cat-file", "--batch"], "\n".join(some) + "\n")
            self._fetched.update(_parse_batch(answer.stdout))
        return {name: self._fetched[name] for name in wanted if name in self._fetched}

    def forget(self) -> None:
        """Free the memory of what was read."""
        self._fetched.clear()


def _parse_batch(answer: bytes) -> Iterator[tuple[str, bytes]]:
    """Blobs of an answer of `git cat-file --batch`: name, type, size, newline, bytes, newline; or `name missing`."""
    at = 0
    while (end := answer.find(b"\n", at)) >= 0:
        header = answer[at:end].decode("ascii", "replace").split(" ")
        at = end + 1
        if len(header) != 3 or not header[2].isdigit():
            continue
        size = int(header[2])
        if header[1] == "blob" and at + size <= len(answer):
            yield header[0], answer[at : at + size]
        at += size + 1


def _git(folder: Path, arguments: Sequence[str], question: str | None = None) -> subprocess.CompletedProcess[bytes]:
    """Run git in `folder`. UsageError if it cannot be run at all."""
    environment = {**os.environ, "LC_ALL": "C", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        return subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=environment,
            input=(question or "").encode(),
            capture_output=True,
            check=False,
        )
    except (FileNotFoundError, NotADirectoryError, PermissionError) as error:
        if not folder.is_dir():
            raise UsageError(f"{printable(str(folder))} is no folder") from error
        raise UsageError("reading a revision needs git, which cannot be run here", hint="install git") from error


def _complaint(answer: subprocess.CompletedProcess[bytes]) -> str:
    """The first line of what git said went wrong."""
    lines = answer.stderr.decode("utf-8", "replace").strip().splitlines() or ["git gave no reason"]
    return printable(lines[0].removeprefix("fatal: "))
