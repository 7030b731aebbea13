"""`sgmem config`."""

import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sgmem.cli import options

if TYPE_CHECKING:
    from sgmem.config.load import Configuration

EPILOG = """\b
Examples:
  sgmem config
  sgmem config --json
  sgmem config --schema > sgmem-settings.json
"""


def config(
    config: options.Config = None,
    isolated: options.Isolated = False,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON: key, value and origin.")] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Print the JSON Schema of the settings, for editors.")] = False,
    debug: options.Debug = False,
) -> int:
    """Show the settings in force and where each comes from; a mistake in them is an error with its file and line."""
    from sgmem.cli.session import working_folder
    from sgmem.cli.write import write_stdout
    from sgmem.config.load import configuration

    if schema:
        from sgmem.config.schema import committed

        write_stdout(sys.stdout, committed(), utf8=True)
        return 0
    found = configuration(working_folder(), config, isolated=isolated)
    check_models(found)
    check_names(found)
    write_stdout(sys.stdout, as_data(found) if as_json else listing(found), utf8=as_json)
    return 0


def check_models(found: "Configuration") -> None:
    """Raise UsageError for a model file, row or root of one's own that is missing or not sound."""
    own = found.own_models
    if own:
        from sgmem.queries.own_models import models_with

        models_with(own)


def check_names(found: "Configuration") -> None:
    """Raise UsageError for a rule that the settings name and that does not exist."""
    from sgmem.queries.check.asked import check_options

    named = check_options(found).named
    if named:
        from sgmem.queries.check import rules

        rules.check_names(named)


def listing(found: "Configuration") -> str:
    """Where the settings come from, then one line per key, as TOML, with its origin."""
    import os

    from sgmem.config.environment import unknown_variables
    from sgmem.config.load import settings_in_force
    from sgmem.report.text import escape

    rows = [(f"{key} = {toml(value)}", origin) for key, value, origin in settings_in_force(found)]
    width = min(60, max(len(text) for text, _ in rows))
    lines = [f"# settings from {found.file.path}" if found.file is not None else "# no settings file; sgmem init writes one"]
    lines += [f"{text.ljust(width)}  # {origin}" for text, origin in rows]
    lines += [f"# {name} is no setting and has no effect" for name in unknown_variables(os.environ)]
    return "".join(escape(line) + "\n" for line in lines)


def as_data(found: "Configuration") -> str:
    import json

    from sgmem.config.load import settings_in_force

    rows = [{"key": key, "value": value, "origin": origin} for key, value, origin in settings_in_force(found)]
    return json.dumps({"file": str(found.file.path) if found.file else None, "settings": rows}, indent=2) + "\n"


def toml(value: Any) -> str:
    """A value as TOML writes it; a setting that is not set as an empty string."""
    import json

    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps("" if value is None else value, ensure_ascii=False)
