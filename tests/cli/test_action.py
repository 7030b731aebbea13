"""The GitHub Action and the examples: sound YAML, and a script that does what its inputs say and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

yaml = pytest.importorskip("yaml", reason="PyYAML comes with pre-commit, which is not installed")

PROJECT = Path(__file__).parents[2]
ACTION = yaml.safe_load((PROJECT / "action.yml").read_text(encoding="utf-8"))
EXAMPLE = PROJECT / "fixtures" / "classic"


def run_action(folder: Path, **inputs: str) -> tuple[subprocess.CompletedProcess[str], dict[str, str], str]:
    """Run the script of the last step as a runner does: its end, its outputs and the summary."""
    temporary = folder / "temp"
    program = temporary / "sgmem" / "bin" / "sgmem"
    program.parent.mkdir(parents=True)
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m sgmem "$@"\n')
    program.chmod(0o755)
    step = next(step for step in ACTION["runs"]["steps"] if step.get("id") == "check")
    values = {name: str(one.get("default", "")) for name, one in ACTION["inputs"].items()} | inputs
    environment = {key: values[text.split("inputs.")[1].split(" ")[0]] for key, text in step["env"].items()}
    files = {"GITHUB_OUTPUT": folder / "output", "GITHUB_STEP_SUMMARY": folder / "summary"}
    for file in files.values():
        file.write_text("")
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=folder,
        env={**os.environ, **environment, **{key: str(file) for key, file in files.items()}, "RUNNER_TEMP": str(temporary)},
        capture_output=True,
        text=True,
        check=False,
    )
    outputs = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].read_text().splitlines())
    return done, outputs, files["GITHUB_STEP_SUMMARY"].read_text()


def test_findings_are_annotated_summed_up_and_written_as_sarif(tmp_path: Path) -> None:
    done, outputs, summary = run_action(tmp_path, source=str(EXAMPLE))
    assert done.returncode == 1, done.stderr
    assert "::warning file=" in done.stdout
    assert outputs == {"code": "1", "sarif": "sgmem.sarif"}
    assert json.loads((tmp_path / "sgmem.sarif").read_text())["version"] == "2.1.0"
    assert summary.startswith("## sgmem check\n")


def test_a_clean_run_passes_and_still_writes_its_sarif(tmp_path: Path) -> None:
    done, outputs, summary = run_action(tmp_path, source=str(EXAMPLE), arguments="--select\nunit-mismatch\n")
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert outputs["code"] == "0"
    assert json.loads((tmp_path / outputs["sarif"]).read_text())["runs"][0]["results"] == []
    assert "No findings" in summary


def test_inputs_are_never_commands(tmp_path: Path) -> None:
    done, outputs, _ = run_action(tmp_path, source="$(touch stolen); `touch stolen`", sarif="", summary="false")
    assert done.returncode == 2
    assert outputs == {"code": "2"}
    assert not (tmp_path / "stolen").exists()
    assert "there is no folder" in done.stderr


@pytest.mark.parametrize("file", sorted((PROJECT / "docs" / "examples").glob("*.yml")), ids=lambda file: file.name)
def test_an_example_is_sound(file: Path) -> None:
    assert isinstance(yaml.safe_load(file.read_text(encoding="utf-8")), dict)


def test_the_workflow_uses_inputs_and_outputs_that_exist() -> None:
    text = (PROJECT / "docs" / "examples" / "github-workflow.yml").read_text(encoding="utf-8")
    steps: list[dict[str, Any]] = yaml.safe_load(text)["jobs"]["check"]["steps"]
    upload = steps[-1]
    assert "steps.sgmem.outputs.sarif" in upload["with"]["sarif_file"]
    assert "sarif" in ACTION["outputs"]
    assert steps[1]["id"] == "sgmem"
    assert "against" in ACTION["inputs"]
