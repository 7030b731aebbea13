"""Results are kept after edits that do not touch them, with their places where they are now."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
import pytest

from sgmem.cache.store import Store
from sgmem.queries.explain import explaining
from sgmem.queries.explain.query import explain
from sgmem.queries.moving import moved
from sgmem.queries.options import ExplainOptions
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from pathlib import Path

    from sgmem.queries.results.explain import Explain

TEXTS = {
    "pkg/__init__.py": "",
    "pkg/runner.py": "class Runner:\n    def budget(self, total_gb, weights_gb, share):\n        rest_gb = total_gb * share - weights_gb\n        return rest_gb\n",
    "pkg/other.py": "def idle():\n    return 1\n",
}  # fmt: skip


class Place(msgspec.Struct):
    path: str
    line: int
    text: str = ""


class Places(msgspec.Struct):
    places: tuple[Place, ...]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", 5), ("of line 4", None), ("of line 2", 5), ("see pkg/b.py:4", 5), ("see pkg/a.py:4", None)],
)
def test_places_move_unless_the_words_name_lines_that_do(text: str, expected: int | None) -> None:
    found = moved(Places((Place("pkg/a.py", 4, text),)), lambda path, line: line + (path == "pkg/a.py" and line > 2))
    assert (found.places[0].line if found is not None else None) == expected


def test_a_place_that_was_changed_cannot_be_moved() -> None:
    assert moved(Places((Place("pkg/a.py", 4),)), lambda path, line: None) is None


def asked(texts: dict[str, str], store: Store | None = None) -> Explain:
    options = ExplainOptions(given=("total_gb=80", "share=0.9", "weights_gb=20"), store=store)
    return explain(SourceTree.from_texts(texts, package="pkg", store=store), "rest_gb", options)


@pytest.mark.parametrize(
    ("path", "old", "new", "computes"),
    [
        ("pkg/other.py", "return 1", "return 2", False),
        ("pkg/runner.py", "        rest_gb =", "        # what is left\n        rest_gb =", False),
        ("pkg/runner.py", "total_gb * share", "total_gb * share * share", True),
    ],
)
def test_an_explanation_is_kept_after_an_edit_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str, old: str, new: str, computes: bool
) -> None:
    with Store.open(tmp_path) as store:
        asked(TEXTS, store)
    edited = TEXTS | {path: TEXTS[path].replace(old, new)}
    expected = asked(edited)
    done, compute = [], explaining.compute
    monkeypatch.setattr(explaining, "compute", lambda *given: done.append(given) or compute(*given))
    with Store.open(tmp_path) as store:
        assert asked(edited, store) == expected
    assert bool(done) == computes
