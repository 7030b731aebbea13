"""The JSON form of a result: the contract that scripts read, in the order of the contract's fields."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import msgspec

from sgmem.report.text import escape_surrogates

if TYPE_CHECKING:
    from sgmem.queries.results.check import CheckResult
    from sgmem.queries.results.explain import Explain
    from sgmem.queries.results.models import ModelsResult
    from sgmem.queries.results.reconcile import Reconciliation
    from sgmem.queries.results.timeline import Timeline
    from sgmem.queries.results.trace import Trace
    from sgmem.queries.results.units import UnitsResult

TRACE_ORDER = ("schema", "parameter", "source", "sites", "flows", "formulas", "after_construction", "unresolved")
EXPLAIN_ORDER = ("schema", "target", "result", "steps", "inputs", "thresholds", "observed")
CHECK_ORDER = ("schema", "source", "findings", "suppressed", "baselined", "unreadable")

RECONCILE_ORDER = ("schema", "log", "source", "boots", "notes")


def render_trace_json(trace: Trace) -> str:
    """Return the trace as `sgmem/trace/1`, indented, with a newline at the end."""
    return encode(trace, TRACE_ORDER)


def render_check_json(result: CheckResult) -> str:
    """Return the result of a check as `sgmem/check/1`, indented, with a newline at the end."""
    if not result.unreadable:
        result = msgspec.structs.replace(result, unreadable=result.source.unreadable)
    return encode(result, CHECK_ORDER)


def render_explain_json(result: Explain) -> str:
    """Return the explanation as `sgmem/explain/1`, indented, with a newline at the end."""
    return encode(result, EXPLAIN_ORDER)


def render_models_json(result: ModelsResult) -> str:
    """Return the rows in force as `sgmem/models/1`, indented, with a newline at the end."""
    return encode(result, ("schema", "source", "rows", "suggestions"))


def render_units_json(result: UnitsResult) -> str:
    """Return amounts by unit as `sgmem/units/1`, indented, with a newline at the end."""
    return encode(result, ("schema", "source", "amounts", "known", "unknown", "suggestions"))


def render_timeline_json(result: Timeline) -> str:
    """Return a timeline as `sgmem/timeline/1`, indented, with a newline at the end."""
    return encode(result, ("schema", "root", "path", "line", "source", "steps", "formulas", "complete"))


def render_reconcile_json(result: Reconciliation) -> str:
    """Return a reconciled log as `sgmem/reconcile/1`, indented, with a newline at the end."""
    return encode(result, RECONCILE_ORDER)


def encode(result: msgspec.Struct, first: tuple[str, ...]) -> str:
    """Encode a result with the fields `first` leading, any later addition after them."""
    plain: dict[str, Any] = msgspec.to_builtins(result)
    ordered = {key: plain[key] for key in first} | plain
    try:
        raw = msgspec.json.encode(ordered)
    except UnicodeEncodeError:
        raw = msgspec.json.encode(without_surrogates(ordered))
    return msgspec.json.format(raw, indent=2).decode() + "\n"


def without_surrogates(value: Any) -> Any:
    """Spell lone surrogates out (`\\udc80`): a file name that is not UTF-8 has them, and no JSON text may."""
    if isinstance(value, str):
        return escape_surrogates(value)
    if isinstance(value, dict):
        return {without_surrogates(key): without_surrogates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [without_surrogates(item) for item in value]
    return value


def schema_text(name: str) -> str:
    """Return the shipped JSON Schema `name`, such as "trace-1", as text."""
    return resources.files("sgmem.report").joinpath("schema", f"{name}.json").read_text(encoding="utf-8")
