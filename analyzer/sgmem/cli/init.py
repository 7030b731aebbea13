"""`sgmem init`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgmem.cli import options

if TYPE_CHECKING:
    from sgmem.queries.survey import Survey
    from sgmem.source.tree import SourceTree

EPILOG = """\b
Examples:
  sgmem init
  sgmem init --pyproject
  sgmem init --source python
"""


def init(
    pyproject: Annotated[bool, typer.Option("--pyproject", help="Write into the pyproject.toml here, not to sgmem.toml.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the settings, write nothing.")] = False,
    source: options.Source = None,
    package: options.Package = None,
    no_cache: options.NoCache = False,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> int:
    """Write a commented start of the settings, and say which anchors the source has."""
    from sgmem.cli.main import say
    from sgmem.cli.session import opened, settle
    from sgmem.cli.shared import Given
    from sgmem.cli.write import write_file, write_stdout
    from sgmem.config.start import start
    from sgmem.queries.survey import survey

    target = Path("pyproject.toml" if pyproject else "sgmem.toml")
    before = "" if dry_run else existing(target)
    given = Given("check", source=source, package=package, isolated=True, no_cache=no_cache, quiet=quiet)
    settled = settle(given)
    with opened(settled) as session:
        found = survey(session.tree, settled.configuration.settings.anchors, settled.configuration.own_models)
        known = known_settings(session.tree, source, package)
    text = start(known, in_pyproject=pyproject)
    if dry_run:
        write_stdout(sys.stdout, text, utf8=True)
    else:
        write_file(target, before + ("\n" if before else "") + text)
    if not quiet:
        for line in told(found):
            say(line)
        if not dry_run:
            say(f"wrote {target}")
            say("next: sgmem check shows what is there; sgmem baseline update accepts it, so that only what is new is reported")
    return 0


def existing(target: Path) -> str:
    """The text of the file to write to. Raises UsageError where it has settings already, or is no pyproject.toml to add to."""
    from sgmem.config.discover import SHARED, read
    from sgmem.config.errors import UsageError

    if target.name != SHARED:
        if target.exists():
            raise UsageError(f"{target} exists already", hint="sgmem config shows what it says; --dry-run prints a fresh one")
        return ""
    if not target.is_file():
        raise UsageError("there is no pyproject.toml here", hint="without --pyproject, sgmem.toml is written")
    found = read(target)
    if found.prefix:
        raise UsageError("pyproject.toml has [tool.sgmem] already", hint="sgmem config shows what it says")
    return found.text if found.text.endswith("\n") else found.text + "\n"


def known_settings(tree: "SourceTree", source: str | None, package: str | None) -> dict[str, Any]:
    """The settings that the tree decides: where the package is, if not right here; the baseline's usual name."""
    known: dict[str, Any] = {"baseline": "sgmem-baseline.json"}
    root = Path(tree.root)
    here = Path.cwd()
    if source is not None:
        known["source"] = source
    elif root.is_dir() and root != here and here in root.parents:
        known["source"] = root.relative_to(here).as_posix()
    if package is not None:
        known["package"] = package
    return known


def told(found: "Survey") -> list[str]:
    """What the source has of what the settings and models know."""
    from sgmem.report.text import plural

    version = f" {found.version}" if found.version else ""
    lines = [f"{found.package}{version} in {found.root}: {plural(found.files, 'Python file')}"]
    for anchor in found.anchors:
        where = f"in {plural(len(anchor.files), 'file')}, first {anchor.files[0]}" if anchor.files else "nowhere: set anchors"
        lines.append(f"anchor {anchor.name}: {where}")
    for kind in ("measurement", "event", "sink"):
        names = [one.name for one in found.names if one.kind == kind]
        shown = ", ".join(names[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
        lines.append(f"{kind}s known to the models: {shown or 'none; the fork needs model rows of its own'}")
    return lines
