"""The formats of each kind of result, by name. Renderers are imported when their format is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from sgmem.queries.results.check import CheckResult
    from sgmem.queries.results.explain import Explain
    from sgmem.queries.results.models import ModelsResult
    from sgmem.queries.results.reconcile import Reconciliation
    from sgmem.queries.results.timeline import Timeline
    from sgmem.queries.results.trace import Trace
    from sgmem.report.view import View

Renderer = Callable[[Any, "View"], str]


class Format(msgspec.Struct, frozen=True):
    """A way to write a result. `for_people` formats follow the terminal, the others are UTF-8 and alike everywhere."""

    name: str
    render: Renderer
    for_people: bool = False


def trace_text(trace: Trace, view: View) -> str:
    from sgmem.report.trace.terminal import render_trace_text

    return render_trace_text(trace, view)


def trace_json(trace: Trace, view: View) -> str:
    from sgmem.report.json import render_trace_json

    return render_trace_json(trace)


def trace_dot(trace: Trace, view: View) -> str:
    from sgmem.report.trace.dot import render_trace_dot

    return render_trace_dot(trace)


def trace_mermaid(trace: Trace, view: View) -> str:
    from sgmem.report.trace.mermaid import render_trace_mermaid

    return render_trace_mermaid(trace)


def check_full(result: CheckResult, view: View) -> str:
    from sgmem.report.check.full import render_check_full

    return render_check_full(result, view)


def check_concise(result: CheckResult, view: View) -> str:
    from sgmem.report.check.concise import render_check_concise

    return render_check_concise(result)


def check_json(result: CheckResult, view: View) -> str:
    from sgmem.report.json import render_check_json

    return render_check_json(result)


def check_sarif(result: CheckResult, view: View) -> str:
    from sgmem.report.check.sarif import render_check_sarif

    return render_check_sarif(result)


def check_github(result: CheckResult, view: View) -> str:
    from sgmem.report.check.github import render_check_github

    return render_check_github(result)


def check_gitlab(result: CheckResult, view: View) -> str:
    from sgmem.report.check.gitlab import render_check_gitlab

    return render_check_gitlab(result)


def check_junit(result: CheckResult, view: View) -> str:
    from sgmem.report.check.junit import render_check_junit

    return render_check_junit(result)


def check_rdjson(result: CheckResult, view: View) -> str:
    from sgmem.report.check.rdjson import render_check_rdjson

    return render_check_rdjson(result)


def check_markdown(result: CheckResult, view: View) -> str:
    from sgmem.report.check.markdown import render_check_markdown

    return render_check_markdown(result)


def explain_text(result: Explain, view: View) -> str:
    from sgmem.report.explain.terminal import render_explain_text

    return render_explain_text(result, view)


def explain_json(result: Explain, view: View) -> str:
    from sgmem.report.json import render_explain_json

    return render_explain_json(result)


def models_text(result: ModelsResult, view: View) -> str:
    from sgmem.report.models.terminal import render_models_text

    return render_models_text(result, view)


def models_json(result: ModelsResult, view: View) -> str:
    from sgmem.report.json import render_models_json

    return render_models_json(result)


def timeline_text(result: Timeline, view: View) -> str:
    from sgmem.report.timeline.terminal import render_timeline_text

    return render_timeline_text(result, view)


def timeline_json(result: Timeline, view: View) -> str:
    from sgmem.report.json import render_timeline_json

    return render_timeline_json(result)


def reconcile_text(result: Reconciliation, view: View) -> str:
    from sgmem.report.reconcile.terminal import render_reconcile_text

    return render_reconcile_text(result, view)


def reconcile_json(result: Reconciliation, view: View) -> str:
    from sgmem.report.json import render_reconcile_json

    return render_reconcile_json(result)


FORMATS: dict[str, tuple[Format, ...]] = {
    "trace": (
        Format("text", trace_text, for_people=True),
        Format("json", trace_json),
        Format("dot", trace_dot),
        Format("mermaid", trace_mermaid),
    ),
    "check": (
        Format("full", check_full, for_people=True),
        Format("concise", check_concise, for_people=True),
        Format("json", check_json),
        Format("sarif", check_sarif),
        Format("github", check_github),
        Format("gitlab", check_gitlab),
        Format("junit", check_junit),
        Format("rdjson", check_rdjson),
        Format("markdown", check_markdown),
    ),
    "explain": (
        Format("text", explain_text, for_people=True),
        Format("json", explain_json),
    ),
    "models": (
        Format("text", models_text, for_people=True),
        Format("json", models_json),
    ),
    "timeline": (
        Format("text", timeline_text, for_people=True),
        Format("json", timeline_json),
    ),
    "reconcile": (
        Format("text", reconcile_text, for_people=True),
        Format("json", reconcile_json),
    ),
}
"""The first format of a kind is its default."""


def format_names(kind: str) -> list[str]:
    return [format.name for format in FORMATS[kind]]


def find_format(kind: str, name: str) -> Format | None:
    return next((format for format in FORMATS[kind] if format.name == name), None)
