"""Times `sgmem trace` as a whole process against `ast.parse` over the same tree, run by run, and prints ratios.

    python benchmarks/trace_speed.py sglang==0.5.9 --name mem_fraction_static --runs 5

Cold is without a cache, warm with every result stored, edited after one file of the package was changed (in a copy). Machines are
noisy, so the two commands run in turn and the median of the ratios counts. CPU seconds are those of the finished child process.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

PARSE = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    ast.parse(path.read_bytes())
"""


class Cost(NamedTuple):
    cpu: float
    wall: float


def run(command: list[str], environment: dict[str, str]) -> Cost:
    """Run a command to its end; its output is thrown away. Raises when it fails."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=True)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Cost(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall)


def unpacked(source: str) -> Path:
    """The folder of a release, or the folder itself."""
    if Path(source).is_dir():
        return Path(source)
    from sgmem.source.locate import open_source

    return Path(open_source(source).root)


def measure(folder: Path, name: str, runs: int, subtree: str) -> None:
    sgmem = [sys.executable, "-m", "sgmem", "trace", name, "--format", "json", "-q", "--source", str(folder)]
    parse = [sys.executable, "-c", PARSE, str(folder / subtree)]
    rows: dict[str, list[tuple[Cost, Cost]]] = {"cold": [], "warm": [], "edited": []}
    with tempfile.TemporaryDirectory() as scratch:
        copy = Path(scratch) / "copy"
        shutil.copytree(folder, copy)
        environment = {**os.environ, "SGMEM_CACHE_DIR": str(Path(scratch) / "cache")}
        edited = [*sgmem[:-1], str(copy)]
        victim = max(copy.rglob("*.py"), key=lambda path: path.stat().st_size)
        run(sgmem, environment)
        run(edited, environment)
        for number in range(runs):
            rows["cold"].append((run([*sgmem, "--no-cache"], environment), run(parse, environment)))
            rows["warm"].append((run(sgmem, environment), run(parse, environment)))
            with victim.open("a") as file:
                file.write(f"\n# edit {number}\n")
            rows["edited"].append((run(edited, environment), run(parse, environment)))
    for label, pairs in rows.items():
        ratios = sorted(ours.cpu / theirs.cpu for ours, theirs in pairs)
        cpu = statistics.median(ours.cpu for ours, _ in pairs)
        wall = statistics.median(ours.wall for ours, _ in pairs)
        base = statistics.median(theirs.cpu for _, theirs in pairs)
        print(
            f"{label:<7} {statistics.median(ratios):5.2f} of ast.parse  ({ratios[0]:.2f} to {ratios[-1]:.2f})   "
            f"cpu {cpu:.2f} s, wall {wall:.2f} s; ast.parse {base:.2f} s"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a folder that holds the package, or package==version")
    parser.add_argument("--name", default="mem_fraction_static")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--subtree", default="sglang/srt", help="what ast.parse reads, below the folder")
    options = parser.parse_args()
    measure(unpacked(options.source), options.name, options.runs, options.subtree)


if __name__ == "__main__":
    main()
