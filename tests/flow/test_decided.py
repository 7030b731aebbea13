"""Fields that are decided by name: in a dict that a registered function returns, in a table of overrides."""

from __future__ import annotations

from sgmem.models.load import Models, Table, load_models
from sgmem.models.rows import ConfigRow
from sgmem.queries.options import TraceOptions
from sgmem.queries.results.trace import Trace
from sgmem.queries.trace.query import trace
from sgmem.source.tree import SourceTree

TEXT = """
class Settings:
    def __init__(self, budget):
        self.budget = budget

def register(name):
    return lambda function: PROVIDERS.append(function)

@register("small")
def small(settings):
    overrides = {}
    overrides["budget"] = 0.3
    return overrides

@register("large")
def large(settings):
    return {"limit": 1, "budget": 0.9}

def idle(settings):
    return {"budget": 0.1}

TABLE = {"some": {"budget": 0.4, "limit": 2}}
OTHER = {"some": {"budget": 0.5}}

def use(settings: Settings):
    return 100 * settings.budget
"""

ROWS = {
    "config": (
        {"kind": "provider", "names": ["pkg.main:register"], "of": ["pkg.main:Settings"], "why": "for a test"},
        {"kind": "table", "names": ["pkg.main:TABLE"], "of": ["pkg.main:Settings"], "why": "for a test"},
    )
}


def traced(rows: dict[str, tuple[dict[str, object], ...]]) -> Trace:
    from sgmem.config.settings import OwnModels

    tree = SourceTree.from_texts({"pkg/__init__.py": "", "pkg/main.py": TEXT}, package="pkg")
    return trace(tree, "budget", TraceOptions(hops="all", own=OwnModels(rows=rows)))


def decided(found: Trace) -> set[int]:
    """The lines of what writes the field by name."""
    return {site.line for site in found.sites if site.slot == "pkg.main:Settings.budget" and site.kind == "decided"}


def test_what_a_registered_function_returns_and_what_a_table_holds_is_written() -> None:
    lines = decided(traced(ROWS))
    assert {13, 17, 22} <= lines
    assert not {20, 23} & lines  # not registered, not in the row's table


def test_without_rows_nothing_is_written() -> None:
    assert decided(traced({})) == set()


def test_what_is_decided_flows_to_the_formula() -> None:
    found = traced(ROWS)
    formula = next(one.site for one in found.formulas if "settings.budget" in one.text)
    onward: dict[str, list[str]] = {}
    for flow in found.flows:
        onward.setdefault(flow.source, []).append(flow.target)
    for start in (site.id for site in found.sites if site.kind == "decided"):
        seen, todo = {start}, [start]
        while todo:
            fresh = [one for one in onward.get(todo.pop(), ()) if one not in seen]
            seen.update(fresh)
            todo += fresh
        assert formula in seen


def test_the_built_in_rows_are_read() -> None:
    models = load_models()
    assert isinstance(models, Models)
    assert isinstance(models.config, Table)
    assert {row.kind for row in models.config.rows} == {"view", "writer", "provider", "table"}
    assert all(isinstance(row, ConfigRow) and row.of for row in models.config.rows)
