"""`sgmem models`: the rows in force and what each of them matches in a source."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.own_models import models_with
from sgmem.queries.results.models import Definition, ModelRow, ModelsResult, Suggestion

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.config.settings import OwnModels
    from sgmem.models.load import Table
    from sgmem.models.rows import Row
    from sgmem.program.program import Program
    from sgmem.queries.models.definitions import Definitions
    from sgmem.queries.results.models import State
    from sgmem.source.tree import SourceTree

TABLES = {
    "unit": "units", "measurement": "measurements", "event": "events", "sink": "sinks", "config": "config", "root": "roots",
    "role": "roles", "group": "groups", "count": "counts",
}  # fmt: skip
"""The tables of a model file, and the attribute of the models that holds each."""


def models(tree: SourceTree, own: OwnModels, *, suggest: bool = False) -> ModelsResult:
    """Match every row with a source; with `suggest`, also look for definitions that seem to need a row.

    Raises UsageError for a row of the project that is not sound.
    """
    from sgmem.models.load import load_models
    from sgmem.program.program import Program
    from sgmem.queries.models.definitions import Definitions
    from sgmem.queries.sites import source_info

    known, built_in = models_with(own), load_models()
    program = Program(tree, tuple(tree.files), known.config)
    definitions = Definitions(program)
    found = []
    for table, attribute in TABLES.items():
        rows: Table[Row] = getattr(known, attribute)
        first_built_in = len(rows.rows) - len(getattr(built_in, attribute).rows)
        found += [_row(table, row, number < first_built_in, definitions, program) for number, row in enumerate(rows.rows)]
    suggestions: tuple[Suggestion, ...] = ()
    if suggest:
        from sgmem.queries.models.suggestions import suggested

        suggestions = suggested(program, known, definitions)
    return ModelsResult(source_info(tree, program), tuple(found), suggestions)


def _row(table: str, row: Row, own: bool, definitions: Definitions, program: Program) -> ModelRow:
    from sgmem.models.patterns import last_name
    from sgmem.models.rows import ConfigRow

    matched = definitions.matching(row)
    words = {last_name(pattern) for pattern in row.names}
    mentions = {path for word in words if "*" not in word for path in program.files.tree.mentioning(word)}
    kind = getattr(row, "kind", None)
    state: State = "matched" if matched else "mentioned" if mentions else "absent"
    note = ""
    if isinstance(row, ConfigRow):
        state, note = _config_state(row, definitions, program)
    elif state == "absent" and (here := _modules_here(row, program)):
        state, note = "missing", f"{here} is here, and nothing in it is called that"
    return ModelRow(table, kind, row.names, row.why, own, state, matched, len(mentions), note)


def _config_state(row: Row, definitions: Definitions, program: Program) -> tuple[State, str]:
    """A row of the configuration counts by its definitions alone, which must look as its kind must."""
    from sgmem.models.rows import ConfigRow
    from sgmem.program.entities import Class, Function, Global
    from sgmem.program.idioms import is_table, is_view, is_writer

    assert isinstance(row, ConfigRow)
    entities = definitions.entities(row)
    if not entities:
        here = _modules_here(row, program)
        return ("missing", f"{here} is here, and nothing in it is called that") if here else ("absent", "")
    fits = {
        "view": lambda one: isinstance(one, Class) and is_view(one),
        "writer": lambda one: isinstance(one, Function) and is_writer(one, row),
        "provider": lambda one: isinstance(one, Function),
        "table": lambda one: isinstance(one, Global) and is_table(one),
    }[row.kind]
    needs = {
        "view": "it defines no __getattr__",
        "writer": f"it has no parameter {row.fields}",
        "provider": "it is no function",
        "table": "it is no dict of dicts",
    }[row.kind]
    if not any(map(fits, entities)):
        return "unfit", needs
    missing = [pattern for pattern in row.of if not program.idioms.matching(pattern)]
    return ("unfit", f"no class matches {', '.join(missing)}") if missing and len(missing) == len(row.of) else ("matched", "")


def _modules_here(row: Row, program: Program) -> str:
    """The modules that the patterns name and that the source has: a row that names them should match in them."""
    parts = {part for path in program.files.paths for part in path.removesuffix(".py").split("/")}
    return ", ".join(sorted({word for word in _named_modules(row) if word in parts}))


def _named_modules(row: Row) -> Iterator[str]:
    for pattern in row.names:
        literal = [part for part in pattern.partition(":")[0].split(".") if "*" not in part]
        if literal and pattern.startswith("**."):
            yield literal[-1]


__all__ = ["Definition", "models"]
