"""What stands around a name, judged by text: a context must hold wherever its construct is, and should not hold everywhere."""

from __future__ import annotations

import pytest

from sgmem.program import contexts
from sgmem.program.contexts import occurs, positions

HOLDS = {
    "called": [
        "share(1)",
        "share (1)",
        "x.share(1)",
        "share[key](1)",
        "share.get(key)(1)",
        "share.remote(1)",
        "partial(share, 1)",
        "functools.partial( ops.share, 1)",
        'getattr(x, "share")(1)',
        "def f(x=share()):",
        "class A(share(1)):",
        "table['share'](1)",
    ],
    "stored": [
        "share = 1",
        "x.share = 1",
        "share: int",
        "share: int = 1",
        "share += 1",
        "x.share //= 2",
        "x.share **= 2",
        "share <<= 2",
        "(share := 1)",
        "share, other = 1, 2",
        "(other, share) = 1, 2",
        "[\n    share,\n    other,\n] = f()",
        "(\n    other,\n    share  # the last\n) = f()",
        "(other,\n    *share) = f()",
        "[share\n] = f()",
        "for share in x:",
        "for other, share in x:",
        "with f() as share:",
        "with f() as (other, share):",
        "global share",
        'setattr(x, "share", 1)',
        "a = share = 1",
    ],
    "loaded": ["x.share", "x.\\\n    share", "(x\n .share)", "x.  # why\n    share", 'getattr(x, "share")'],
    "quoted": ['x["share"]', "'--share'", '{"share": 1}'],
    "multiplied": ["share = tp_size * x", "f(share=args.pp_size * x)", "share = world_size*2"],
    "set_by_name": ["share(x, key, value)", "share(x, self.key,", "share(", "share(\n    x,\n    key,\n)", "share(x,\n"],
    "renamed": ["from a import share as other", "import share as other"],
    "held": [
        "x = share",
        "x = ops.share",
        "def f(call=share):",
        "{'a': share}",
        "run(share)",
        "run(1) or share",
        "x = [share]",
        "x = a if b else share",
        "return share",
        "from a import share as other",
    ],
    "defined": ["def share(x):", "async def share(x):", "def  share(x):"],
    "mentioned": ["share", "x = f(share)", "# about share", '"share of it"'],
}
FAILS = {
    "called": [
        "share = 1",
        "x.share",
        "shares(1)",
        "my_share(1)",
        "# about share",
        "def share(x):\n    pass",
        "async def  share (x): ...",
        "class share(Base): ...",
        "class share[T](Base): ...",
    ],
    "stored": ["share == 1", "f(share, 1)", "return share", "if share <= 1:", "share != 1", "shared = 1", "x = y.share"],
    "loaded": ["share", "share.x", "share(1)"],
    "quoted": ["share", '"share of it"', "x.share"],
    "multiplied": ["share = 1", "share = total * 2", "share == tp_size * 2"],
    "set_by_name": ["share(x)", "share = 1", "share.call(x, y, z)"],
    "renamed": ["from a import share", "with share() as x:"],
    "held": ["x = share(1)", "share = 1", "x = share.y", "x = share[0]", "def share():"],
    "defined": ["share()", "class share:", "undefined_share"],
    "mentioned": ["shared", "my_share = 1"],
}


@pytest.mark.parametrize(("context", "text"), [(name, text) for name, texts in HOLDS.items() for text in texts])
def test_a_construct_is_never_missed(context: str, text: str) -> None:
    assert occurs(f"import x\n{text}\nother()\n", "share", contexts.CONTEXTS[context])


@pytest.mark.parametrize(("context", "text"), [(name, text) for name, texts in FAILS.items() for text in texts])
def test_what_is_something_else_is_passed_over(context: str, text: str) -> None:
    assert not occurs(f"import x\n{text}\nother()\n", "share", contexts.CONTEXTS[context])


def test_every_context_is_tried() -> None:
    assert set(HOLDS) == set(FAILS) == set(contexts.CONTEXTS)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("share", [0]),
        ("share share", [0, 6]),
        ("shares my_share share2 share", [23]),
        ("x.share,(share)", [2, 9]),
        ("größeshare share", [11]),
        ("shareé share", [7]),
        ("", []),
        ("share.", [0]),
        ("shareshare share", [11]),
    ],
)
def test_whole_words_only(text: str, found: list[int]) -> None:
    assert list(positions(text, "share")) == found


def test_a_part_of_a_text_has_the_words_that_stand_in_it() -> None:
    assert list(positions("share share, shares share", "share", 3, 13)) == [6]
    assert list(positions("share shares", "share", 0, 11)) == [0]


@pytest.mark.parametrize("far", [1_000, 5_000])
def test_a_name_far_into_a_line_without_an_end_is_not_judged_but_kept(far: int) -> None:
    """A minified line: to judge all that stands before each name in it would take for ever."""
    padding = "x" * (far - 1) + ";"
    assert occurs(padding + "share = 1", "share", contexts.stored)
    assert occurs(padding + "print(share)", "share", contexts.defined) is (far > 2_000)


@pytest.mark.parametrize("name", ["f1", "_g", "grün", "missing", "f"])
def test_words_of_a_long_text_stand_where_they_are_found_one_by_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "f1 = _g(f10, 1f1)\ngrün.f1 f\u00e9 'f1' f(_g)\n" * 3
    expected = [list(positions(text, name)), list(positions(text, name, 4, 40))]
    monkeypatch.setattr(contexts, "LONG", 10)
    monkeypatch.setattr(contexts, "MANY", 0)
    assert [list(positions(text, name)), list(positions(text, name, 4, 40))] == expected
