from __future__ import annotations

import json
import subprocess
import sys

import pytest

from sgmem.version import __version__

HEAVY = {"rich", "typer", "click", "libcst", "networkx", "msgspec", "sqlite3", "asyncio"}

PROBE = """
import json, sys
sys.argv = ["sgmem", *{arguments!r}]
from sgmem.cli.main import run
code = run()
print(json.dumps([code, sorted({{name.partition(".")[0] for name in sys.modules}})]), file=sys.stderr)
"""


def modules_after(*arguments: str) -> tuple[int, str, set[str]]:
    """Run `sgmem ARGUMENTS` in a fresh process: exit code, stdout, and the top-level modules it imported."""
    done = subprocess.run([sys.executable, "-c", PROBE.format(arguments=list(arguments))], capture_output=True, text=True, check=True)
    code, modules = json.loads(done.stderr.splitlines()[-1])
    return code, done.stdout, set(modules)


@pytest.mark.parametrize("argument", ["--version", "-V"])
def test_the_version_imports_nothing_heavy(argument: str) -> None:
    code, out, modules = modules_after(argument)
    assert (code, out) == (0, f"sgmem {__version__}\n")
    assert not modules & HEAVY


def test_help_imports_no_analysis() -> None:
    code, out, modules = modules_after("trace", "--help")
    assert (code, out[:6]) == (0, "Usage:")
    assert not modules & {"libcst", "networkx", "sqlite3", "rich"}


def test_json_is_written_without_rich() -> None:
    check = "import sys, sgmem.report.json, sgmem.report.registry, sgmem.cli.outputs; print('rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True).stdout == "False\n"


def test_python_m() -> None:
    done = subprocess.run([sys.executable, "-m", "sgmem", "--version"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"sgmem {__version__}\n", "")


def test_python_m_passes_the_exit_code_on() -> None:
    done = subprocess.run([sys.executable, "-m", "sgmem", "trace"], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
