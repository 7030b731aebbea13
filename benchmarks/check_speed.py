"""Times `sgmem check` as a whole process against `ast.parse` over the same tree, run by run, and prints ratios.

    python benchmarks/check_speed.py sglang==0.5.9 --runs 3 --edit sglang/srt/server_args.py

Cold is without a cache, filling the first run with one, unchanged with every result kept; after an edit, a comment was added to a file
in a copy of the package: to the largest one, or to each that `--edit` names. Machines are noisy, so the two commands run in turn and
the median of the ratios counts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

from trace_speed import PARSE, Cost, run, unpacked

Rows = dict[str, list[tuple[Cost, Cost]]]


def measure(folder: Path, edits: list[str], runs: int, subtree: str) -> None:
    # Findings are no failure here: they are warnings.
    sgmem = [sys.executable, "-m", "sgmem", "check", "--format", "json", "-q", "--fail-on", "error", "--source"]
    parse = [sys.executable, "-c", PARSE, str(folder / subtree)]
    rows: Rows = defaultdict(list)
    with tempfile.TemporaryDirectory() as scratch:
        copy, cache = Path(scratch) / "copy", Path(scratch) / "cache"
        shutil.copytree(folder, copy)
        environment = {**os.environ, "SGMEM_CACHE_DIR": str(cache)}

        def timed(label: str, *more: str) -> None:
            rows[label].append((run([*sgmem, str(copy), *more], environment), run(parse, environment)))

        timed("filling")
        for number in range(runs):
            timed("cold", "--no-cache")
            timed("unchanged")
            for path in edits or [str(max(copy.rglob("*.py"), key=lambda one: one.stat().st_size))]:
                with (copy / path).open("a") as file:
                    file.write(f"\n# edit {number}\n")
                timed(f"after {path.rpartition('/')[2]}")
        size = sum(path.stat().st_size for path in cache.rglob("*") if path.is_file())
    show(rows)
    print(f"the cache holds {size / 2**20:.0f} MiB")


def show(rows: Rows) -> None:
    width = max(map(len, rows))
    for label, pairs in rows.items():
        ratios = sorted(ours.cpu / theirs.cpu for ours, theirs in pairs)
        cpu, base = (statistics.median(each) for each in ([ours.cpu for ours, _ in pairs], [theirs.cpu for _, theirs in pairs]))
        print(
            f"{label:<{width}} {statistics.median(ratios):5.2f} of ast.parse ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            f"   cpu {cpu:.2f} s, ast.parse {base:.2f} s, at most {max(ours.memory for ours, _ in pairs):.0f} MiB"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", help="a folder that holds the package, or package==version")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--edit", action="append", default=[], help="a file to edit, below the folder; may be given several times")
    parser.add_argument("--subtree", default="sglang/srt", help="what ast.parse reads, below the folder")
    options = parser.parse_args()
    measure(unpacked(options.source), options.edit, options.runs, options.subtree)


if __name__ == "__main__":
    main()
