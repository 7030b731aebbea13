from __future__ import annotations

import os
import subprocess
import sys

import pytest


def offered(words: str) -> list[str]:
    """What bash offers behind these words; the last one, which may be empty, is being typed."""
    environment = {**os.environ, "_SGMEM_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    program = "import sys; sys.argv = ['sgmem']; from sgmem.cli.main import run; sys.exit(run())"
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("sgmem ch", ["check"]),
        ("sgmem check --pers", ["--persona"]),
        ("sgmem check --persona ", ["regular", "pedantic", "auditor"]),
        ("sgmem check --format s", ["sarif"]),
        ("sgmem trace --format ", ["text", "json", "dot", "mermaid"]),
        ("sgmem timeline -o j", ["json:"]),
        ("sgmem check -o full:- -o sa", ["sarif:"]),
        ("sgmem check --select neg", ["negative-budget"]),
        ("sgmem rule unit-m", ["unit-mismatch"]),
        ("sgmem baseline p", ["prune"]),
    ],
)
def test_the_shell_offers_what_may_follow(words: str, expected: list[str]) -> None:
    assert offered(words) == expected
