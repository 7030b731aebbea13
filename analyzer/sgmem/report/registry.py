"""The formats of each kind of result, by name. A renderer is imported when its format is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from sgmem.report.view import View


class Format(msgspec.Struct, frozen=True):
    """A way to write a result.

    `renderer` is `module:function` below `sgmem.report`. Formats `for_people` follow the terminal: their function takes the
    result and a View. The others are UTF-8 and alike everywhere: theirs takes the result only.
    """

    name: str
    renderer: str
    for_people: bool = False

    def render(self, result: object, view: View) -> str:
        module, _, function = self.renderer.partition(":")
        renderer = getattr(import_module(f"sgmem.report.{module}"), function)
        text: str = renderer(result, view) if self.for_people else renderer(result)
        return text


FORMATS: dict[str, tuple[Format, ...]] = {
    "trace": (
        Format("text", "trace.terminal:render_trace_text", for_people=True),
        Format("json", "json:render_trace_json"),
        Format("dot", "trace.dot:render_trace_dot"),
        Format("mermaid", "trace.mermaid:render_trace_mermaid"),
    ),
    "check": (
        Format("full", "check.full:render_check_full", for_people=True),
        Format("concise", "check.concise:render_check_concise", for_people=True),
        Format("json", "json:render_check_json"),
        Format("sarif", "check.sarif:render_check_sarif"),
        Format("github", "check.github:render_check_github"),
        Format("gitlab", "check.gitlab:render_check_gitlab"),
        Format("junit", "check.junit:render_check_junit"),
        Format("rdjson", "check.rdjson:render_check_rdjson"),
        Format("markdown", "check.markdown:render_check_markdown"),
    ),
    "explain": (
        Format("text", "explain.terminal:render_explain_text", for_people=True),
        Format("json", "json:render_explain_json"),
    ),
    "models": (
        Format("text", "models.terminal:render_models_text", for_people=True),
        Format("json", "json:render_models_json"),
    ),
    "units": (
        Format("text", "units.terminal:render_units_text", for_people=True),
        Format("json", "json:render_units_json"),
    ),
    "timeline": (
        Format("text", "timeline.terminal:render_timeline_text", for_people=True),
        Format("json", "json:render_timeline_json"),
    ),
    "reconcile": (
        Format("text", "reconcile.terminal:render_reconcile_text", for_people=True),
        Format("json", "json:render_reconcile_json"),
    ),
}
"""The first format of a kind is its default."""


def format_names(kind: str) -> list[str]:
    return [format.name for format in FORMATS[kind]]


def find_format(kind: str, name: str) -> Format | None:
    return next((format for format in FORMATS[kind] if format.name == name), None)
