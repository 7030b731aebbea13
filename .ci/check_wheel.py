"""The wheel holds every file of the packages and nothing at its top but them: a line in .gitignore can drop a folder in silence."""

from __future__ import annotations

import sys
import zipfile
from pathlib import Path

ROOTS = {"sgmem": Path("analyzer"), "sgmem_rules": Path("rules")}


def main(wheel: str) -> int:
    with zipfile.ZipFile(wheel) as archive:
        packed = set(archive.namelist())
    wanted = {
        path.relative_to(root).as_posix()
        for package, root in ROOTS.items()
        for path in (root / package).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    missing = sorted(wanted - packed)
    top = {name.partition("/")[0] for name in packed}
    strange = sorted(name for name in top if name not in ROOTS and not name.endswith(".dist-info"))
    for name in missing:
        print(f"missing from the wheel: {name}", file=sys.stderr)
    for name in strange:
        print(f"strange at the top of the wheel: {name}", file=sys.stderr)
    print(f"{len(wanted)} files of {len(ROOTS)} packages are in the wheel" if not missing else "the wheel is not whole")
    return 1 if missing or strange else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
