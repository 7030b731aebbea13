"""Times `sgmem trace` as a whole process against `ast.parse` and `grep -rn` over the same tree, and keeps every run's numbers.

    python benchmarks/trace_speed.py run sglang==0.5.9 --name mem_fraction_static --name page_size --runs 5 --results speed.jsonl
    python benchmarks/trace_speed.py run sglang==0.3.0 sglang==0.4.9 sglang==0.5.9 --state cold --results speed.jsonl
    python benchmarks/trace_speed.py show --results speed.jsonl

Cold is without a cache, warm with every result stored, edited after a line was added to the largest file of the package (in a copy).
Machines are noisy, so the three commands run in turn and the median of the ratios counts. CPU seconds and peak memory are those of
the finished process. Several names show how time grows with the slice, several releases how it grows with the tree: `show` sorts the
cold runs of each release by the sites they found, and lists one name over releases by the size of what `ast.parse` reads.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

PARSE = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_bytes())
"""
HEADER = (
    f"{'source':<18} {'name':<26} {'state':<7} {'of ast.parse':>21} {'of grep':>8}"
    f" {'cpu s':>8} {'ast s':>8} {'MiB':>7} {'parsed':>6} {'sites':>6}"
)
STATES = ("cold", "warm", "edited")
Row = dict[str, Any]


class Cost(NamedTuple):
    cpu: float
    """Seconds, user and system."""
    wall: float
    memory: float
    """Peak of the resident set, in MiB."""


def run(command: list[str], environment: dict[str, str], output: Path | None = None) -> Cost:
    """Run a command to its end. Raises when it fails."""
    start = time.perf_counter()
    with (output or Path(os.devnull)).open("wb") as sink:
        process = subprocess.Popen(command, env=environment, stdout=sink)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - start, usage.ru_maxrss / 1024)


def unpacked(source: str) -> Path:
    """The folder of a release, or the folder itself."""
    if Path(source).is_dir():
        return Path(source)
    from sgmem.source.locate import open_source

    tree = open_source(source)
    first = next(iter(tree.files))
    return Path(str(tree.place(first)).removesuffix(first))


def size_of(result: Path) -> Row:
    """How much a trace found and how many files it parsed for that."""
    trace = json.loads(result.read_bytes())
    counts = {key: len(trace[key]) for key in ("sites", "flows", "formulas")}
    return {**counts, "files": trace["source"]["files"], "analysed": trace["source"]["analysed"]}


def measure(source: str, name: str, states: list[str], runs: int, subtree: str, results: Path) -> None:
    folder = unpacked(source)
    with tempfile.TemporaryDirectory() as scratch:
        copy, found = Path(scratch) / "copy", Path(scratch) / "found.json"
        environment = {**os.environ, "SGMEM_CACHE_DIR": str(Path(scratch) / "cache")}
        sgmem = [sys.executable, "-m", "sgmem", "trace", name, "--format", "json", "-q", "--source"]
        parse = [sys.executable, "-c", PARSE, str(folder / subtree)]
        grep = ["grep", "-rn", "--include=*.py", name, str(folder / subtree)]
        commands = {"cold": [*sgmem, str(folder), "--no-cache"], "warm": [*sgmem, str(folder)], "edited": [*sgmem, str(copy)]}
        if "edited" in states:
            shutil.copytree(folder, copy)
        for state in states:
            if state != "cold":
                run(commands[state], environment)
            for number in range(runs):
                if state == "edited":
                    victim = max(copy.rglob("*.py"), key=lambda path: path.stat().st_size)
                    with victim.open("a") as file:
                        file.write(f"\n# edit {number}\n")
                costs = {
                    "sgmem": run(commands[state], environment, found),
                    "parse": run(parse, environment),
                    "grep": run(grep, environment),
                }
                row = {"source": source, "name": name, "state": state, **{key: cost._asdict() for key, cost in costs.items()}}
                with results.open("a") as file:
                    file.write(json.dumps({**row, **size_of(found)}) + "\n")


def ratios(rows: Iterable[Row], base: str) -> list[float]:
    return sorted(row["sgmem"]["cpu"] / max(row[base]["cpu"], 0.01) for row in rows)


def line(rows: list[Row]) -> str:
    """The median of some runs of one kind, with the range of the ratio."""
    to_parse = ratios(rows, "parse")
    middle = statistics.median
    return (
        f"{rows[0]['source']:<18} {rows[0]['name']:<26} {rows[0]['state']:<7}"
        f" {middle(to_parse):6.2f} ({to_parse[0]:.2f} to {to_parse[-1]:.2f})"
        f" {middle(ratios(rows, 'grep')):8.0f}"
        f" {middle(row['sgmem']['cpu'] for row in rows):8.2f} {middle(row['parse']['cpu'] for row in rows):8.2f}"
        f" {max(row['sgmem']['memory'] for row in rows):7.0f} {rows[-1]['analysed']:6} {rows[-1]['sites']:6}"
    )


def show(results: Path) -> None:
    groups: dict[tuple[str, str, str], list[Row]] = defaultdict(list)
    for text in results.read_text().splitlines():
        row = json.loads(text)
        groups[row["source"], row["name"], row["state"]].append(row)
    tree = {source: statistics.median(row["parse"]["cpu"] for row in rows) for (source, _, _), rows in groups.items()}
    print(HEADER)
    for _, rows in sorted(groups.items(), key=lambda item: (tree[item[0][0]], item[0][0], item[0][2], item[1][-1]["sites"])):
        print(line(rows))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("run", help="measure and add to the results")
    measuring.add_argument("sources", nargs="+", help="folders that hold the package, or package==version")
    measuring.add_argument("--name", action="append", help="a parameter; may be given several times")
    measuring.add_argument("--state", action="append", choices=STATES, help="may be given several times; all three if left out")
    measuring.add_argument("--runs", type=int, default=5)
    measuring.add_argument("--subtree", default="sglang/srt", help="what ast.parse and grep read, below the folder")
    showing = commands.add_parser("show", help="print the medians of all results")
    for command in (measuring, showing):
        command.add_argument("--results", type=Path, default=Path("speed.jsonl"), help="a line of JSON for each run")
    options = parser.parse_args()
    if options.command == "run":
        for source in options.sources:
            for name in options.name or ["mem_fraction_static"]:
                measure(source, name, options.state or list(STATES), options.runs, options.subtree, options.results)
    show(options.results)


if __name__ == "__main__":
    main()
