from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgmem.program.contexts import defined
from sgmem.program.files import Files, plain_targets
from sgmem.program.names import bound_names
from sgmem.program.program import Program
from sgmem.program.reads import EVERYWHERE
from sgmem.program.text_answers import Scan
from sgmem.source.tree import SourceTree

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sgmem.program.files import File


TEXTS: dict[str, str | bytes] = {
    "pkg/__init__.py": "",
    "pkg/a.py": "class ServerArgs:\n    def size(self):\n        pass\n",
    "pkg/b.py": "from pkg.a import ServerArgs as Args\nclass Own(Args):\n    pass\nprint(Own().size)\n",
    "pkg/c.py": "match size:\n    case 1:\n        pass\n",
    "pkg/broken.py": "def size(:\n",
    "pkg/bytes.py": b"# coding: no-such\nsize = 1\n",
}


def files() -> Files:
    tree = SourceTree.from_texts(TEXTS, package="pkg")
    return Files(tree, tuple(tree.files))


def paths(found: Iterable[File]) -> list[str]:
    return [file.path for file in found]


def test_a_look_for_a_name_is_noted_with_the_files_that_were_parsed() -> None:
    read = files()
    assert paths(read.mentioning("size")) == ["pkg/a.py", "pkg/b.py", "pkg/c.py"]
    assert read.reads.names == {"size"}
    assert read.reads.parsed == {"pkg/a.py", "pkg/b.py", "pkg/c.py", "pkg/broken.py", "pkg/bytes.py"}
    assert set(read.unreadable) == {"pkg/broken.py", "pkg/bytes.py"}


def test_with_a_context_only_files_where_it_holds_are_noted_and_those_that_cannot_be_decoded() -> None:
    read = files()
    assert paths(read.mentioning("size", defined)) == ["pkg/a.py"]
    assert (read.reads.contexts, read.reads.names) == ({("size", "defined"): EVERYWHERE}, set())
    assert (read.reads.parsed, read.reads.texts) == ({"pkg/a.py", "pkg/broken.py"}, {"pkg/broken.py", "pkg/bytes.py"})
    assert read.reads.holding == {"pkg/a.py", "pkg/broken.py"}
    assert set(read.unreadable) == {"pkg/broken.py", "pkg/bytes.py"}
    assert paths(read.matching("size")) == ["pkg/c.py"]
    assert ("size", "matched") in read.reads.contexts


def test_classes_are_found_by_text_and_each_question_is_noted() -> None:
    read = files()
    assert paths(read.deriving("ServerArgs")) == ["pkg/b.py"]
    assert paths(read.deriving("Args")) == ["pkg/b.py"]
    assert read.defining("ServerArgs") == ["pkg/a.py"]
    assert read.defining("Missing") == []
    assert read.spelled("server_args") == ["ServerArgs"]
    assert not read.reads.classes_listed
    assert set(read.class_names) == {"ServerArgs", "Own"}
    assert read.reads.bases == {"ServerArgs", "Args"}
    assert read.reads.classes == {"ServerArgs", "Missing"}
    assert read.reads.spelled == {"server_args"}
    assert read.reads.classes_listed


def test_modules_and_the_list_of_paths_are_noted() -> None:
    read = files()
    assert read.module("pkg.a") is not None
    assert not read.has_module("pkg.missing")
    assert read.reads.modules == {"pkg.a", "pkg.missing"}
    assert not read.reads.listed
    assert "pkg/a.py" in read.paths
    assert read.reads.listed


def test_what_is_asked_of_the_tree_is_noted() -> None:
    read = files()
    read.tree.read("pkg/a.py")
    assert read.tree.mentioning("Own") == ("pkg/b.py",)
    assert (read.reads.texts, read.reads.names) == ({"pkg/a.py"}, {"Own"})


def test_another_program_over_the_same_files_has_read_nothing_and_parses_nothing_again() -> None:
    first = files()
    list(first.mentioning("size", defined))
    known = first.get("pkg/a.py")
    first.get("pkg/broken.py")
    second = first.unread()
    assert (second.reads.parsed, second.parsed, second.unreadable) == (set(), 0, {})
    again = second.get("pkg/a.py")
    assert again is not None and known is not None and again.unnoted_outline is known.unnoted_outline
    assert (second.reads.parsed, second.parsed) == ({"pkg/a.py"}, 1)
    assert "pkg/broken.py" in first.reads.parsed
    assert second.get("pkg/broken.py") is None
    assert set(second.unreadable) == {"pkg/broken.py"}


def test_a_statement_that_cannot_be_read_is_kept_note_of() -> None:
    long = "budget = [" + "1, " * 30_000 + "]\n"
    tree = SourceTree.from_texts(
        {"pkg/__init__.py": "", "pkg/a.py": "other = 1\n" + long + "share = [" + "2, " * 30_000 + "]\n"}, package="pkg"
    )
    read = Files(tree, tuple(tree.files))
    file = read.get("pkg/a.py")
    assert file is not None
    assert list(read.opaque("budget")) == [], "nobody asked for it yet"
    for index in range(len(file.outline.statements)):
        file.statement(index)
    assert list(read.opaque("budget")) == [("pkg/a.py", 2)]
    assert list(read.opaque("share")) == [("pkg/a.py", 3)]
    assert list(read.opaque("other")) == []


@pytest.mark.parametrize(
    ("targets", "names"),
    [
        ("a ", {"a"}),
        ("a, b.c, *d ", {"a", "b.c", "d"}),
        ("a = self.b = c ", {"a", "self.b", "c"}),
        ("self . a ", {"self.a"}),
        ("a[b] ", set()),
        ("a[b[c]], d ", {"d"}),
        ('a["]("], d ', {"d"}),
        ("f(a)(b)[c], d ", {"d"}),
        ("[a, b] ", None),
        ("a, [b] ", None),
        ("(a, b) ", None),
        ("größe ", None),
        ("x" * 5000 + "[0] ", set()),
        ("x[" * 50 + "0" + "]" * 50, None),
    ],
)
def test_names_that_plain_targets_bind(targets: str, names: set[str] | None) -> None:
    assert plain_targets(targets) == names


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("value = other = 1", "other"),
        ("for value, part in rows:\n    pass", "part"),
        ("value += other", "value"),
        ("table[value] = 1", None),
        ("table[other].part, value = 1, 2", "value"),
        ("value: int = 1", "value"),
        ("value: int", "value"),
        ("table[value]: int = 1", None),
        ("value.part = 1", None),
        ("value = (found := 1)", "found"),
        ("(value) = 1", "value"),
    ],
)
def test_bindings_agree_with_what_is_lowered(source: str, name: str | None) -> None:
    program = Program(SourceTree.from_texts({"pkg/m.py": source}, package="pkg"), ("pkg/m.py",))
    file = program.files.get("pkg/m.py")
    assert file is not None
    bound = {word for word in ("value", "other", "part", "found", "rows", "table") if program.names.bindings(file, 0, word)}
    assert bound == bound_names(file, 0)
    assert name is None or name in bound


def test_a_look_that_stops_early_is_noted_up_to_there() -> None:
    read = files()
    assert next(read.mentioning("size", defined)).path == "pkg/a.py"
    assert read.reads.contexts == {("size", "defined"): "pkg/a.py"}
    assert list(read.containing("size", "case 1")) == ["pkg/c.py"]
    assert read.reads.contexts["size", "text:case 1"] == EVERYWHERE


def test_a_focus_limits_where_to_look_and_not_where_to_follow() -> None:
    read = files().unread(["pkg/c.py", "pkg/b.py"])
    assert read.focus == ("pkg/b.py", "pkg/c.py")
    assert paths(read.focused("size")) == ["pkg/b.py", "pkg/c.py"]
    assert paths(read.focused("ServerArgs")) == ["pkg/b.py"]
    assert (read.reads.names, read.reads.listed) == (set(), False)
    assert paths(read.mentioning("ServerArgs")) == ["pkg/a.py", "pkg/b.py"]
    assert files().unread().focus == tuple(sorted(TEXTS))


def test_a_scan_of_a_text_is_done_once_and_noted_each_time() -> None:
    done = []

    @Scan
    def count(text: str) -> int:
        done.append(text)
        return len(text)

    first = files()
    assert first.scanned("pkg/a.py", count) == len(TEXTS["pkg/a.py"])
    assert first.scanned("pkg/bytes.py", count) == 0
    second = first.unread()
    assert second.scanned("pkg/a.py", count) == len(TEXTS["pkg/a.py"])
    assert (len(done), second.reads.scans) == (2, {("pkg/a.py", count.key, ())})
