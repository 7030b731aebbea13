"""Asks pip for the wheel of a release: for this machine's, else for any other's, since nothing of it is ever run."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from sgmem.config.errors import UsageError
from sgmem.source.names import printable
from sgmem.source.release_number import normal_name

if TYPE_CHECKING:
    from pathlib import Path

_VERSIONS_SHOWN = 12
_UNPACKED = "a wheel that was fetched elsewhere can be unpacked and its folder named; an installed package needs no network"
_UNREACHABLE = re.compile(
    r"(Connection refused|No route to host|Network is unreachable|Name or service not known|[Nn]ame resolution"
    r"|not a trusted or secure host|timed out|SSL: \w+|Connection reset|Failed to establish a new connection|Cannot connect to proxy)"
)
"""What pip's own warnings say where it reached no index; it then goes on as if there were no version."""
_SKIPPED_WHEEL = re.compile(
    r"none of the wheel's tags \((?P<implementation>[a-z]+)(?P<python>\d+)-(?P<abi>\w+)-(?P<platform>\w+)[^()]*\)"
    r" are compatible .*/(?P<name>[^/\s-]+)-(?P<version>[^/\s-]+)-[^/\s]+\.whl"
)
"""What pip says, when it is asked for details, of a wheel that other machines or another Python can install."""


def fetch_wheel(name: str, version: str, work: Path) -> Path:
    """The wheel of a release, in a folder of its own below `work`. UsageError with pip's reason if there is none."""
    target = work / "wheel"
    target.mkdir()
    wheel, output = _download(name, version, target)
    if wheel is None and "No matching distribution" in output:
        # Wheels with compiled parts are published for some machines and Pythons only; their sources are the same for all.
        details = _download(name, version, target, "-vv")[1]
        if (tags := _tags_of_another_machine(name, version, details)) is not None:
            wheel, output = _download(name, version, target, *tags)
    if wheel is None:
        raise _refusal(name, version, output)
    return wheel


def _download(name: str, version: str, target: Path, *options: str) -> tuple[Path | None, str]:
    """Run pip once: the wheel, if it fetched one, and what pip printed. UsageError where pip cannot be started."""
    # -P and a folder of our own: Python would take a pip.py in the folder it is started in for pip.
    command = [sys.executable, "-P", "-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--no-input"]
    command += ["--ignore-requires-python", "--disable-pip-version-check", "--progress-bar=off", *options]
    command += ["--dest", str(target), f"{name}=={version}"]
    try:
        answer = subprocess.run(command, cwd=target, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise UsageError(f"pip cannot be run to fetch {name}=={version}: {error}") from error
    wheels = sorted(target.glob("*.whl")) if not answer.returncode else []
    return next(iter(wheels), None), (answer.stderr + b"\n" + answer.stdout).decode("utf-8", "replace")


def _tags_of_another_machine(name: str, version: str, details: str) -> list[str] | None:
    """The options by which pip fetches a wheel of this release that it skipped; None where it skipped none."""
    skipped = [
        found
        for found in _SKIPPED_WHEEL.finditer(details)
        if normal_name(found["name"]) == normal_name(name) and found["version"] == version
    ]
    if not skipped:
        return None
    newest = max(skipped, key=lambda found: (len(found["python"]), found[0]))
    options = ["--implementation", newest["implementation"], "--python-version", newest["python"]]
    return [*options, "--abi", newest["abi"], "--platform", newest["platform"]]


def _refusal(name: str, version: str, output: str) -> UsageError:
    """Why pip did not fetch a release, and what can be had instead."""
    known = re.search(r"\(from versions: ([^)]*)\)", output)
    if known is not None and "No matching distribution" in output:
        versions = [text for text in known[1].split(", ") if text and text != "none"]
        if not versions and (trouble := _UNREACHABLE.search(output)) is not None:
            return UsageError(f"pip cannot fetch {name}=={version}: the package index cannot be reached ({trouble[1]})", hint=_UNPACKED)
        if versions:
            hint = f"the newest with a wheel are {', '.join(printable(text) for text in versions[-_VERSIONS_SHOWN:])}"
        else:
            hint = "what is published as source only is not built; unpack it and name its folder"
        return UsageError(f"pip finds no wheel of {name}=={version}", hint=hint)
    errors = [line for line in output.splitlines() if line.startswith("ERROR: ")] or output.strip().splitlines()[-1:]
    reason = printable(errors[-1].removeprefix("ERROR: ")) if errors else "it gave no reason"
    return UsageError(f"pip cannot fetch {name}=={version}: {reason}")
