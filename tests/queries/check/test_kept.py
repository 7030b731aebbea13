"""A check after an edit reports what a check without a store reports, whatever was edited."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import msgspec
import pytest

from sgmem.cache.store import Store
from sgmem.queries.check import kept
from sgmem.queries.check.query import everything
from sgmem.queries.check.units import Units
from sgmem.queries.options import CheckOptions
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sgmem.queries.check.units import Answer, Unit
    from sgmem.queries.results.check import Checked

CLASSIC = Path(__file__).parents[3] / "fixtures" / "classic"
TEXTS = {path.relative_to(CLASSIC).as_posix(): path.read_text(encoding="utf-8") for path in sorted(CLASSIC.rglob("*.py"))}


@dataclass
class Log:
    """The units that were computed."""

    units: list[Unit] = field(default_factory=list)

    @property
    def paths(self) -> set[str]:
        return {path for unit in self.units for path in unit.paths}


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Iterator[Log]:
    log, answer = Log(), Units.answer

    def logged(self: Units, unit: Unit) -> Answer:
        log.units.append(unit)
        return answer(self, unit)

    monkeypatch.setattr(Units, "answer", logged)
    yield log


def fresh(texts: dict[str, str], **options: object) -> Checked:
    return everything(SourceTree.from_texts(texts), CheckOptions(**options))  # type: ignore[arg-type]


def again(folder: Path, texts: dict[str, str], **options: object) -> Checked:
    with Store.open(folder) as store:
        return everything(SourceTree.from_texts(texts, store=store), CheckOptions(store=store, **options))  # type: ignore[arg-type]


def rules_at(result: Checked, path: str) -> list[str]:
    return [one.rule for one in result.findings if one.path == path]


USES = {
    "pkg/__init__.py": "",
    "pkg/sizes.py": "class Base:\n    pass\n",
    "pkg/measured.py": "from pkg.sizes import Base\n\n\ndef budget():\n    return left_gb\n",
    "pkg/user/__init__.py": "",
    "pkg/user/limits.py": dedent(
        """
        from pkg.measured import budget
        from pkg.sizes import Base

        class Limits(Base):
            def fits(self, weights_mb):
                return weights_mb <= budget()

            def fits_too(self, weights_mb):
                return weights_mb <= self.room()
        """
    ),
    "pkg/other/__init__.py": "",
    "pkg/other/free.py": "def free_mb(free_mb, used_mb):\n    return free_mb - used_mb\n",
}
LIMITS = "pkg/user/limits.py"


def test_only_what_an_edit_may_touch_is_computed_again(tmp_path: Path, log: Log) -> None:
    before = again(tmp_path, USES)
    assert rules_at(before, LIMITS) == ["unit-mismatch"]
    assert log.paths == set(USES)
    log.units.clear()
    assert again(tmp_path, USES | {"pkg/other/free.py": "def free_mb(free_mb, used_mb):\n    return used_mb\n"}) == before
    assert log.paths == {"pkg/other/__init__.py", "pkg/other/free.py"}
    log.units.clear()
    again(tmp_path, USES)
    assert log.units == []  # a state that was seen before needs nothing at all


@pytest.mark.parametrize(
    ("edited", "found"),
    [
        ({"pkg/measured.py": "def budget():\n    return left_mb\n"}, []),
        ({"pkg/measured.py": "def budget_of():\n    return left_gb\n"}, []),
        ({"pkg/measured.py": "from pkg.deeper import budget\n"}, []),
        ({"pkg/measured.py": "from pkg.deeper import budget\n", "pkg/deeper.py": "def budget():\n    return left_gb\n"}, ["unit-mismatch"]),
        ({"pkg/sizes.py": "class Base:\n    def room(self):\n        return room_gb\n"}, ["unit-mismatch"] * 2),
        ({"pkg/sizes.py": "from pkg.deeper import Base\n", "pkg/deeper.py": "class Base:\n    def room(self):\n        return room_gb\n"}, ["unit-mismatch"] * 2),
        ({"pkg/user/__init__.py": "# coding: no-such\n"}, ["unit-mismatch"]),
        ({"pkg/measured.py": "def budget(:\n"}, []),
    ],
    ids=["unit", "name", "moved-away", "moved", "base", "base-moved", "undecodable", "broken"],
)  # fmt: skip
def test_a_finding_follows_what_it_rests_on_in_other_files(tmp_path: Path, edited: dict[str, str], found: list[str]) -> None:
    again(tmp_path, USES)
    after = again(tmp_path, USES | edited)
    assert after == fresh(USES | edited)
    assert rules_at(after, LIMITS) == found
    assert again(tmp_path, USES) == fresh(USES)


FREE = "pkg/other/free.py"
TWO = "def free_mb(free_mb, used_mb):\n    return free_mb - used_mb\n\n\ndef late():\n    return left_gb\n"
CALLS = LIMITS.replace("limits", "calls")


@pytest.mark.parametrize(
    ("edit", "found", "asked_again"),
    [
        (("    return free_mb - used_mb", "    # what is left_gb\n    return free_mb - used_mb"), ["unit-mismatch"], False),
        (("    return free_mb - used_mb", "    return free_mb - used_mb  # MB"), ["unit-mismatch"], False),
        (("return free_mb - used_mb", "return free_mb - used_mb - 1"), ["unit-mismatch"], False),
        (("def free_mb", "def more():\n    return 1\n\n\ndef free_mb"), ["unit-mismatch"], False),
        (("return left_gb", "return left_mb"), [], True),
    ],
    ids=["comment", "trailing", "other-function", "new-function", "the-function"],
)
def test_a_finding_stays_while_the_statements_behind_it_stay(
    tmp_path: Path, log: Log, edit: tuple[str, str], found: list[str], asked_again: bool
) -> None:
    calls = "from pkg.other.free import late\n\n\ndef fits(weights_mb):\n    return weights_mb <= late()\n"
    texts = USES | {FREE: TWO, CALLS: calls}
    again(tmp_path, texts)
    log.units.clear()
    edited = texts | {FREE: TWO.replace(*edit)}
    after = again(tmp_path, edited)
    assert after == fresh(edited)
    assert rules_at(after, CALLS) == found
    assert (CALLS in log.paths) == asked_again


def test_a_finding_in_an_edited_file_moves_with_its_code(tmp_path: Path, log: Log) -> None:
    before = again(tmp_path, USES)
    log.units.clear()
    edited = USES | {LIMITS: "# a remark\n# of two lines\n" + USES[LIMITS]}
    after = again(tmp_path, edited)
    assert log.units == []
    assert after == fresh(edited)
    assert [one.line for one in after.findings] == [one.line + 2 for one in before.findings]


def test_a_removed_file_takes_its_findings_and_those_that_rest_on_it_away(tmp_path: Path) -> None:
    again(tmp_path, USES)
    for gone in ("pkg/measured.py", LIMITS):
        texts = {path: text for path, text in USES.items() if path != gone}
        after = again(tmp_path, texts)
        assert after == fresh(texts)
        assert rules_at(after, LIMITS) == []


SETTING = "minisgl/srt/model_executor/late.py"


def test_a_new_file_that_writes_a_field_is_seen(tmp_path: Path) -> None:
    before = again(tmp_path, TEXTS)
    text = "class Late:\n    def scale(self, server_args):\n        server_args.mem_fraction_static *= 0.9\n"
    after = again(tmp_path, TEXTS | {SETTING: text})
    assert after == fresh(TEXTS | {SETTING: text})
    assert after.findings != before.findings


def test_a_comment_in_another_file_of_the_flow_suppresses_and_no_more_when_it_goes(tmp_path: Path) -> None:
    before = again(tmp_path, TEXTS)
    one = next(one for one in before.findings if len({step.path for step in one.steps}) > 1)
    step = next(step for step in one.steps if step.path != one.path)
    lines = TEXTS[step.path].split("\n")
    lines[step.line - 1] += f"  # sgmem: ignore[{one.rule}] known"
    commented = TEXTS | {step.path: "\n".join(lines)}
    assert again(tmp_path, commented) == fresh(commented)
    assert one.fingerprint in {held.finding.fingerprint for held in again(tmp_path, commented).suppressed}
    assert again(tmp_path, TEXTS) == before


@pytest.mark.parametrize("data", [b"", b"\x00", msgspec.msgpack.encode([{}, [1]]), msgspec.msgpack.encode([{"a": ["x"]}, []])])
def test_a_damaged_row_is_a_miss(tmp_path: Path, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = again(tmp_path, USES)
    with Store.open(tmp_path) as store:
        key = kept.__dict__["_KIND"]
        store.put_many(key, [(place, data) for place in _keys(store, key)])
    edited = USES | {"pkg/other/free.py": ""}
    assert again(tmp_path, edited) == fresh(edited)
    assert again(tmp_path, USES) == expected


def _keys(store: Store, kind: str) -> list[str]:
    database = store._database
    assert database is not None
    rows = database._connection.execute("SELECT key FROM facts WHERE kind = ?", (kind,)).fetchall()
    assert rows
    return [key.partition(":")[2] for (key,) in rows]


def test_forgotten_words_make_everything_doubtful(tmp_path: Path, log: Log) -> None:
    again(tmp_path, USES)
    with Store.open(tmp_path) as store:
        database = store._database
        assert database is not None
        database._connection.execute("DELETE FROM facts WHERE kind IN ('words', 'classes')")
    edited = USES | {"pkg/other/free.py": "class Base:\n    def room(self):\n        return room_gb\n"}
    assert again(tmp_path, edited) == fresh(edited)


class Editor:
    """Makes edits at random."""

    def __init__(self, seed: int, texts: dict[str, str]) -> None:
        self.random = random.Random(seed)
        self.texts = dict(texts)
        self.words = sorted({word for text in texts.values() for word in text.split() if word.isidentifier() and len(word) > 3})

    def edit(self) -> None:
        path = self.random.choice(sorted(self.texts))
        lines = self.texts[path].split("\n")
        at = self.random.randrange(len(lines))
        match self.random.randrange(12):
            case 0:
                del lines[at]
            case 1:
                lines.insert(at, lines[self.random.randrange(len(lines))])
            case 2:
                lines[at] = lines[at].replace(self._word(lines[at]), self.random.choice(self.words))
            case 3:
                lines[at] += "  # sgmem: ignore[negative-budget] because"
            case 4:
                other = self.random.choice(sorted(self.texts))
                source = self.texts[other].split("\n")
                first = self.random.randrange(len(source))
                lines[at:at] = source[first : first + 6]
            case 5:
                self.texts[path.replace(".py", f"_{at}.py")] = self.texts.pop(path)
                return
            case 6:
                self.texts[path.replace(".py", "_copy.py")] = self.texts[path]
                return
            case 7:
                lines.insert(at, self._indent(lines[at]) + f"# {self.random.choice(self.words)} // 1024 is in GB")
            case 8:
                lines.insert(at, self._indent(lines[at]) + f"extra_{at} = {self.random.choice(self.words)}")
            case 9:
                lines[at] = re.sub(r"\d+", str(self.random.choice([0, 7, 1024])), lines[at])
            case 10:
                lines += ["", f"def added_{at}(server_args, size_gb):", "    return size_gb // server_args.tp_size"]
            case 11:
                lines[at] = re.sub(r"\)(\s*(->.*)?:)$", r", extra=None)\1", lines[at])
        self.texts[path] = "\n".join(lines)

    @staticmethod
    def _indent(line: str) -> str:
        return line[: len(line) - len(line.lstrip())]

    def _word(self, line: str) -> str:
        return self.random.choice(line.split() or ["pass"])


@pytest.mark.parametrize("seed", range(3))
def test_random_edits_never_leave_a_stale_answer(tmp_path: Path, seed: int) -> None:
    editor = Editor(seed, TEXTS)
    again(tmp_path, editor.texts)
    for _ in range(8):
        editor.edit()
        assert again(tmp_path, editor.texts) == fresh(editor.texts)
