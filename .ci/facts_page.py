"""Writes docs/facts.md, what rules can ask, from `sgmem.api`. Run it after a change there; a test compares."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

import sgmem.api as api

PAGE = Path(__file__).parents[1] / "docs" / "facts.md"
HEAD = """\
# What rules can ask

All of this comes from `sgmem.api`, the only module that a rule imports; [writing-rules.md](writing-rules.md) shows a rule. A fact is
worked out when it is asked for, and once.
"""
_FACTS = "\n## Facts that many rules ask for\n\n| ask | gives | what that is |\n|---|---|---|\n"
_FINDERS = """
## Findings of one kind

Functions of the facts, most of them written for one rule.

| ask | gives | what that is |
|---|---|---|
"""
_TYPES = "\n## Types\n\n| type | what it holds |\n|---|---|\n"


def page() -> str:
    """The page as it follows from the api."""
    functions = {name: one for name in api.__all__ if inspect.isfunction(one := getattr(api, name))}
    finders = {name: one for name, one in functions.items() if list(inspect.signature(one).parameters) == ["facts"]}
    types = {name: one for name in api.__all__ if inspect.isclass(one := getattr(api, name)) and one is not api.Facts}
    return "".join(
        [
            HEAD,
            _FACTS,
            *_attributes(api.Facts),
            _FINDERS,
            *(_row(f"{name}(facts)", _gives(one), _said(one)) for name, one in finders.items()),
            _TYPES,
            *(f"| `{name}` | {_said(one)} |\n" for name, one in types.items()),
        ]
    )


def _attributes(kind: type) -> Iterator[str]:
    """The public properties and methods of a class that say what they give."""
    for name, one in vars(kind).items():
        if name.startswith("_") or not (said := _said(one)):
            continue
        if isinstance(one, cached_property):
            yield _row(f"facts.{name}", _gives(one.func), said)
        elif inspect.isfunction(one):
            arguments = list(inspect.signature(one).parameters)[1:]
            yield _row(f"facts.{name}({', '.join(arguments)})", _gives(one), said)


def _row(asked: str, gives: str, said: str) -> str:
    return f"| `{asked}` | `{gives}` | {said} |\n"


def _gives(function: object) -> str:
    return str(inspect.get_annotations(function).get("return", "")).replace("|", "or")  # type: ignore[arg-type]


def _said(one: object) -> str:
    """The first paragraph of a docstring, on one line."""
    first = (inspect.getdoc(one) or "").partition("\n\n")[0]
    return re.sub(r"\s+", " ", first).replace("|", "\\|")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
