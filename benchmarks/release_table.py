"""Traces one parameter through every published release and writes the table of docs/releases.md.

    python benchmarks/release_table.py run sglang lsglang sglang-omni --results table.jsonl
    python benchmarks/release_table.py show table.jsonl > docs/releases.md

`run` asks the package registry for the versions of each package, fetches their wheels as `--source PACKAGE==VERSION` does, traces each
as a process of its own without a cache of results, and appends a line per release; what the file holds already is not run again.
`--releases FOLDER` names a folder with releases that are unpacked already, as PACKAGE-VERSION. Versions before `--first` are left out.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FIRST = "0.1.12"
TIMEOUT = 900
HEADER = """# Every release

`sgmem trace {name}` over every release that the package registry has as a wheel, by `benchmarks/release_table.py`, without a cache.
Sites are places of the source that the trace names, hops the flows between them. A release reaches a formula or a pool when the
flows lead there from a declaration of the parameter. Seconds are CPU time of the whole process on a shared two-core machine, so
compare rows, not machines.

| release | files | sites | hops | formulas | reaches a formula | reaches a pool | not followed | unreadable | seconds |
|---|---|---|---|---|---|---|---|---|---|
"""


def versions(package: str) -> list[str]:
    """The final versions of a package, oldest first."""
    command = [sys.executable, "-m", "pip", "index", "versions", package]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    match = re.search(r"^Available versions: (.*)$", done.stdout, re.MULTILINE)
    found = [text.strip() for text in match[1].split(",")] if match else []
    return sorted(found, key=number)


def number(version: str) -> list[tuple[int, str]]:
    """A key that orders versions: 0.4.10 after 0.4.9, and a post release after the one it mends."""
    return [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"[.]|(?<=\d)(?=[a-z])", version)]


def source(package: str, version: str, kept: Path | None) -> str:
    folder = kept / f"{package}-{version}" if kept is not None else None
    return str(folder) if folder is not None and folder.is_dir() else f"{package}=={version}"


def traced(origin: str, name: str) -> dict[str, Any]:
    """Trace one release in a process of its own: the counts of the table, or why there are none."""
    command = [sys.executable, "-m", "sgmem", "trace", name, "--source", origin, "--format", "json", "--no-cache", "-q"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    except subprocess.TimeoutExpired:
        return {"failed": f"not done after {TIMEOUT} s"}
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in (0, 1):
        return {"failed": f"exit {done.returncode}: {(done.stderr.strip().splitlines() or ['no message'])[0]}"}
    trace = json.loads(done.stdout)
    reached = reachable(trace)
    return {
        "files": trace["source"]["files"],
        "sites": len(trace["sites"]),
        "hops": len(trace["flows"]),
        "formulas": len(trace["formulas"]),
        "formula": any(formula["site"] in reached for formula in trace["formulas"]),
        "pool": any(site["role"] in ("sink", "event") and site["id"] in reached for site in trace["sites"]),
        "unresolved": len(trace["unresolved"]),
        "unreadable": len(trace["source"]["unreadable"]),
        "seconds": round(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, 1),
    }


def reachable(trace: dict[str, Any]) -> set[str]:
    """The sites to which the flows lead from the parameter's declarations."""
    onward: dict[str, list[str]] = {}
    for flow in trace["flows"]:
        onward.setdefault(flow["from"], []).append(flow["to"])
    todo = [site["id"] for site in trace["sites"] if site["role"] == "declaration" and not site["derived"]]
    seen = set(todo)
    while todo:
        for there in onward.get(todo.pop(), ()):
            if there not in seen:
                seen.add(there)
                todo.append(there)
    return seen


def run(packages: list[str], name: str, results: Path, kept: Path | None, first: str, newest: int | None) -> None:
    known = {(row["package"], row["version"]) for row in rows(results)}
    for package in packages:
        for version in versions(package)[-newest if newest else None :]:
            if (package, version) in known or (package == "sglang" and number(version) < number(first)):
                continue
            row = {"package": package, "version": version, "name": name, **traced(source(package, version, kept), name)}
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
            print(package, version, row.get("failed") or f"{row['sites']} sites, {row['seconds']} s", file=sys.stderr, flush=True)


def rows(results: Path) -> Iterator[dict[str, Any]]:
    if results.exists():
        yield from (json.loads(line) for line in results.read_text().splitlines() if line.strip())


def show(results: Path) -> str:
    """The table as Markdown: packages in the order in which they were run, versions in theirs."""
    found = list(rows(results))
    order = {package: position for position, package in enumerate(dict.fromkeys(row["package"] for row in found))}
    found.sort(key=lambda row: (order[row["package"]], number(row["version"])))
    lines = [_line(row) for row in found]
    done = [row for row in found if "failed" not in row]
    counts = Counter(row["package"] for row in found)
    told = ", ".join(f"{count} of {package}" for package, count in counts.items())
    reached = sum(row["formula"] and row["pool"] for row in done)
    closing = f"\n{len(found)} releases: {told}. {len(done)} traced, of which {reached} reach both a formula and a pool.\n"
    return HEADER.format(name=found[0]["name"] if found else "") + "\n".join(lines) + "\n" + closing


def _line(row: dict[str, Any]) -> str:
    release = f"{row['package']} {row['version']}"
    if "failed" in row:
        return f"| {release} | {row['failed'].replace('|', '/')} | | | | | | | | |"
    told = ["yes" if row[key] else "no" for key in ("formula", "pool")]
    cells = [row["files"], row["sites"], row["hops"], row["formulas"], *told, row["unresolved"], row["unreadable"], row["seconds"]]
    return f"| {release} | " + " | ".join(map(str, cells)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    runner = commands.add_parser("run")
    runner.add_argument("packages", nargs="+")
    runner.add_argument("--name", default="mem_fraction_static")
    runner.add_argument("--results", type=Path, required=True)
    runner.add_argument("--releases", type=Path)
    runner.add_argument("--first", default=FIRST, help="the first version of sglang to run")
    runner.add_argument("--newest", type=int, help="run only so many of the newest versions")
    shower = commands.add_parser("show")
    shower.add_argument("results", type=Path)
    options = parser.parse_args()
    if options.command == "run":
        run(options.packages, options.name, options.results, options.releases, options.first, options.newest)
    else:
        sys.stdout.write(show(options.results))


if __name__ == "__main__":
    main()
