"""The hook as other repositories use it: pre-commit clones the project, installs it, and runs it before a commit."""

from __future__ import annotations

from importlib.util import find_spec

import pytest
from releases.fork import PROJECT, Done, Fork, project_as_repository

pytestmark = pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed: pip install -e '.[dev]'")

OFFLINE = ("No matching distribution", "Could not find a version", "Connection", "Temporary failure in name resolution")


@pytest.fixture(scope="module")
def fork(tmp_path_factory: pytest.TempPathFactory) -> Fork:
    """The bundled example as a repository, with the hook installed."""
    folder = tmp_path_factory.mktemp("hook")
    revision = project_as_repository(folder / "project")
    fork = Fork(folder / "fork", "python")
    fork.environment.pop("PYTHONPATH")  # the hook brings its own
    example = PROJECT / "fixtures" / "classic"
    fork.write({file.relative_to(example).as_posix(): file.read_bytes() for file in sorted(example.rglob("*.py"))})
    (fork.folder / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {folder / 'project'}\n    rev: {revision}\n    hooks:\n      - id: sgmem\n"
    )
    known = ("negative-budget", "mixed-measurement-times", "unchecked-fraction", "overridden-setting", "machine-amount")
    (fork.folder / "sgmem.toml").write_text("[rules]\n" + "".join(f'{rule} = "off"\n' for rule in known))
    fork.git("init", "--quiet", "--initial-branch=main")
    fork.git("add", "--all")
    return fork


def run_hook(fork: Fork) -> Done:
    done = fork.module("pre_commit", "run", "--all-files")
    if done.code and any(sign in done.said for sign in OFFLINE) and "Installing environment" in done.said:
        pytest.skip("the hook's environment cannot be installed: no package registry can be reached")
    return done


def test_the_hook_is_installed_once_and_judges_every_commit(fork: Fork) -> None:
    first = run_hook(fork)
    assert first.code == 0, first.said
    assert "Passed" in first.out
    assert fork.module("pre_commit", "install").code == 0
    clean = fork.commit("clean")
    assert clean.code == 0, clean.said
    assert "Installing environment" not in clean.said
    fork.write({"minisgl/srt/ours.py": "def fits(weights_mb, budget_gb):\n    return weights_mb <= budget_gb\n"})
    refused = fork.commit("a defect")
    assert refused.code != 0
    assert "error[SGM101]: weights_mb is in MB, budget_gb in GB" in refused.said
    assert "python/minisgl/srt/ours.py:2:12" in refused.said
    assert "return weights_mb <= budget_gb" in refused.said
    assert "Traceback" not in refused.said
    assert fork.git("log", "--oneline").count("\n") == 1


def test_a_commit_without_python_does_not_wait_for_it(fork: Fork) -> None:
    fork.git("reset", "--quiet", "--hard")
    (fork.folder / "notes.txt").write_text("nothing of interest\n")
    done = fork.commit("notes")
    assert done.code == 0, done.said
    assert "Skipped" in done.said
