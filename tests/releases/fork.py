"""A fork to try sgmem on: a release as a git repository, with the command line and pre-commit as its maintainer uses them."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from rules.cases import cases_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from sgmem.findings.registry import InstalledRule
    from sgmem.source.tree import SourceTree

PROJECT = Path(__file__).parents[2]
PYTHON = shlex.quote(sys.executable)


class Done(NamedTuple):
    """How a command ended, and the seconds it took."""

    code: int
    out: str
    err: str
    seconds: float

    @property
    def said(self) -> str:
        return self.out + self.err


class Step(NamedTuple):
    """A step of a walk, for the table of figures: what was done, how long it took, how many findings there were."""

    name: str
    seconds: float
    findings: int | None = None


class Fork:
    """A repository with the package in `below` ("" for its root)."""

    def __init__(self, folder: Path, below: str = "python") -> None:
        self.folder = folder
        self.below = folder / below
        self.environment = self._environment()
        self.steps: list[Step] = []

    @classmethod
    def of(cls, tree: SourceTree, folder: Path, below: str = "python") -> Fork:
        """Write the files of a source into a new repository, and commit them."""
        fork = cls(folder, below)
        fork.below.mkdir(parents=True)
        fork.write({path: tree.read(path) for path in tree.files})
        fork.git("init", "--quiet", "--initial-branch=main")
        fork.commit("the release as it is")
        return fork

    def _environment(self) -> dict[str, str]:
        """That of these tests, without settings of the user's."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(("GIT_", "SGMEM_", "PRE_COMMIT"))}
        names = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in (("NAME", "a"), ("EMAIL", "a@b.c"))}
        return {
            **kept,
            **names,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "SGMEM_CACHE_DIR": str(self.folder.parent / f"{self.folder.name}-cache"),
            "PRE_COMMIT_HOME": str(self.folder.parent / f"{self.folder.name}-pre-commit"),
            "PYTHONPATH": os.pathsep.join([str(PROJECT / "analyzer"), str(PROJECT / "rules")]),
            "NO_COLOR": "1",
            "COLUMNS": "160",
        }

    def run(self, *command: str, folder: Path | None = None) -> Done:
        began = perf_counter()
        done = subprocess.run(command, cwd=folder or self.folder, env=self.environment, capture_output=True, text=True, check=False)
        return Done(done.returncode, done.stdout, done.stderr, perf_counter() - began)

    def module(self, *arguments: str, folder: Path | None = None) -> Done:
        return self.run(sys.executable, "-m", *arguments, folder=folder)

    def sgmem(self, *arguments: str, folder: Path | None = None) -> Done:
        return self.module("sgmem", *arguments, folder=folder)

    def git(self, *arguments: str) -> str:
        done = self.run("git", *arguments)
        assert done.code == 0, done.said
        return done.out

    def commit(self, message: str) -> Done:
        """Commit everything, hooks included; how that went."""
        self.git("add", "--all")
        return self.run("git", "commit", "--quiet", "-m", message)

    def reset(self) -> None:
        """Forget what is not committed."""
        self.git("reset", "--quiet", "--hard")
        self.git("clean", "--quiet", "-fd")

    def write(self, files: Mapping[str, bytes | str]) -> None:
        """Write files, by their paths in the source."""
        for path, content in files.items():
            file = self.below / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def note(self, name: str, seconds: float, findings: int | None = None) -> None:
        self.steps.append(Step(name, seconds, findings))

    def table(self) -> str:
        """The figures of the walk."""
        rows = [f"{step.seconds:7.2f} s  {'' if step.findings is None else step.findings:>4}  {step.name}" for step in self.steps]
        return "\n".join(["   time  findings", *rows])


def use_hook(fork: Fork) -> Done:
    """Let pre-commit run the project's own hook before every commit, with the program under test as it stands."""
    hook = hook_of_the_project()
    lines = [f"      - id: {hook['id']}", f"        name: {hook['name']}", "        language: system"]
    lines += [f"        entry: {PYTHON} -m {hook['entry']}", f"        files: '{hook['files']}'"]
    lines += [f"        pass_filenames: {hook['pass_filenames']}", f"        require_serial: {hook['require_serial']}"]
    text = "\n".join(["repos:", "  - repo: local", "    hooks:", *lines, ""])
    (fork.folder / ".pre-commit-config.yaml").write_text(text)
    return fork.module("pre_commit", "install")


def hook_of_the_project() -> dict[str, str]:
    """The keys of the hook, of the small part of YAML that it is written in."""
    text = (PROJECT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {key: value.strip() for key, value in re.findall(r"^[- ] (\w+): ([^#\n]+)", text, re.MULTILINE)}


def defects(rules: Iterable[InstalledRule], package: str) -> dict[str, dict[str, str]]:
    """For every rule a defect that it reports, from its own page, as files of a package below `package`."""
    found = {}
    for rule in rules:
        case = next(case for case in cases_of(rule.page) if case.expected)
        name = f"planted_{rule.name.replace('-', '_')}"
        files = {path.replace("serving/", f"{package}/{name}/", 1): text for path, text in case.files.items()}
        files = {path: text.replace("from serving.", f"from {package}.{name}.") for path, text in files.items()}
        found[rule.name] = {f"{package}/{name}/__init__.py": "", **files}
    return found


def project_as_repository(folder: Path) -> str:
    """The project's own files in a new repository, as pre-commit clones it; the name of its commit."""
    for name in ("analyzer", "rules", "pyproject.toml", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        source = PROJECT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            folder.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, folder / name)
    fork = Fork(folder, "")
    fork.git("init", "--quiet", "--initial-branch=main")
    assert fork.commit("the project").code == 0
    return fork.git("rev-parse", "HEAD").strip()
