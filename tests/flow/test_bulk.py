"""Writes that name no field: constructions from a spread or by position, the namespaces they copy, loops that copy by name."""

from __future__ import annotations

import pytest
from flow.small import at, line_of, traced

RECORD = """
    from dataclasses import dataclass, field, fields


    @dataclass
    class Args:
        limit: int = 1
        budget: int = 2


    @dataclass
    class Twin:
        limit: int = 1


    def main(options, args: Args, table):
        {code}
"""


def writes(code: str) -> list[tuple[str | None, str | None]]:
    """The slots and kinds of the writes on the line of `code`."""
    source = RECORD.replace("{code}", code)
    return [(site.slot, site.kind) for site in at(traced(source), line_of(source, code), "write")]


SLOT = "prog.main:Args.budget"


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("return Args(**options)", "dynamic"),
        ("return Args(1, **options)", "dynamic"),
        ("return Args(**vars(options))", "dynamic"),
        ("return Args(**{f.name: getattr(options, f.name) for f in fields(Args)})", "dynamic"),
        ("return Args(**options.__dict__)", "dynamic"),
        ("return Args(3, 4)", "constructor"),
        ("return Args(3, budget=4)", "constructor"),
        ("return Args(limit=3, budget=4)", "constructor"),
    ],
)
def test_constructions_that_set_the_field(code: str, kind: str) -> None:
    assert (SLOT, kind) in writes(code)


@pytest.mark.parametrize(
    "code",
    [
        "return Args()",
        "return Args(3)",
        "return Args(limit=3)",
        "return Twin(**options)",
        "return Twin(3)",
        "return dict(**options)",
        "return other(3, 4)",
    ],
)
def test_constructions_that_do_not(code: str) -> None:
    assert SLOT not in {slot for slot, _ in writes(code)}


def test_a_spread_beside_the_keyword_is_no_second_write() -> None:
    kinds = {kind for slot, kind in writes("return Args(budget=3, **options)") if slot == SLOT}
    assert "dynamic" not in kinds


CARRIED = """
    import argparse
    from dataclasses import dataclass, fields


    @dataclass
    class Args:
        budget: int = 2

        @classmethod
        def parsed(cls, namespace):
            return cls(**{f.name: getattr(namespace, f.name) for f in fields(cls)})


    def build(argv):
        parser = argparse.ArgumentParser()
        parser.add_argument("--budget", type=int)
        return finish(parser.parse_args(argv))


    def finish(raw):
        show(raw)
        return Args.parsed(raw)


    def unrelated(raw):
        return other(raw)
"""


def test_the_namespace_that_a_spread_copies_is_followed_to_the_flags() -> None:
    result = traced(CARRIED)
    for code in ("return finish(parser", "return Args.parsed(raw)"):
        (site,) = at(result, line_of(CARRIED, code), "pass")
        assert (site.kind, site.slot) == ("carrier", SLOT)
    assert not at(result, line_of(CARRIED, "return other(raw)"))
    onward: dict[str, set[str]] = {}
    for flow in result.flows:
        onward.setdefault(flow.source, set()).add(flow.target)
    (flag,) = at(result, line_of(CARRIED, '"--budget"'), "declaration")
    reached, pending = set(), [flag.id]
    while pending:
        fresh = onward.get(pending.pop(), set()) - reached
        reached |= fresh
        pending += fresh
    assert {site.id for site in at(result, line_of(CARRIED, "return cls(**"), "write")} <= reached


def test_a_carrier_that_calls_itself_ends() -> None:
    source = CARRIED.replace("return Args.parsed(raw)", "return Args.parsed(finish(raw) if raw else raw)")
    assert at(traced(source), line_of(source, "return cls(**"), "write")


HAND_WRITTEN = """
    class Args:
        def __init__(self, budget, limit):
            self.budget = budget
            self.limit = limit


    class Open:
        def __init__(self, **options):
            self.budget = options["budget"]
            self.limit = options["limit"]


    class Closed:
        def __init__(self, limit):
            self.budget = limit


    def main(options):
        Args(**options)
        Open(**options)
        Closed(**options)
"""


def test_a_constructor_written_by_hand_takes_what_it_names_or_leaves_open() -> None:
    result = traced(HAND_WRITTEN)
    written = {
        code: {site.slot for site in at(result, line_of(HAND_WRITTEN, code), "write")} for code in ("Args(**", "Open(**", "Closed(**")
    }
    assert written["Args(**"] == {"prog.main:Args.budget"}
    assert written["Open(**"] == {"prog.main:Open.budget"}
    assert written["Closed(**"] == set()


COPIES = """
    from dataclasses import dataclass, fields


    @dataclass
    class Args:
        budget: int = 2
        limit: int = 3


    @dataclass
    class Other:
        limit: int = 3


    class View:
        budget = None
        limit = None


    class Plain:
        budget = None


    def publish(args: Args, view: View):
        for name in names():
            setattr(view, name, getattr(args, name))


    def publish_other(other: Other, plain: Plain):
        for name in names():
            setattr(plain, name, getattr(other, name))


    def crossed(args: Args, plain: Plain, key, name):
        setattr(plain, key, getattr(args, name))


    def use(view: View, plain: Plain):
        show(view.budget)
        show(plain.budget)
"""


def test_a_loop_that_copies_every_field_by_name_writes_this_one() -> None:
    result = traced(COPIES, "Args.budget")
    (site,) = at(result, line_of(COPIES, "setattr(view, name"), "write")
    assert (site.slot, site.kind, site.note) == ("prog.main:View.budget", "dynamic", "copies every field by name")
    assert at(result, line_of(COPIES, "show(view.budget)"))


def test_another_record_or_another_key_copies_nothing_of_it() -> None:
    result = traced(COPIES, "Args.budget")
    for code in ("setattr(plain, name, getattr(other", "setattr(plain, key, getattr(args", "show(plain.budget)"):
        assert not at(result, line_of(COPIES, code), "write"), code
    assert not at(result, line_of(COPIES, "show(plain.budget)"))


INHERITED = """
    from dataclasses import dataclass


    @dataclass
    class Base:
        budget: int = 0


    @dataclass
    class Derived(Base):
        depth: int = 1


    def main(options, share, other):
        Derived(share, 2)
        Derived(**options)
        Base(share)
        Derived(depth=other)
"""


def test_building_a_record_builds_what_it_inherits() -> None:
    result = traced(INHERITED)
    for code in ("Derived(share, 2)", "Derived(**options)", "Base(share)"):
        assert {site.slot for site in at(result, line_of(INHERITED, code), "write")} == {"prog.main:Base.budget"}, code
    assert not at(result, line_of(INHERITED, "Derived(depth=other)"))


def test_replaced_fields() -> None:
    source = """
        from dataclasses import dataclass, replace


        @dataclass
        class Args:
            budget: int = 0
            limit: int = 0


        def main(args: Args, share):
            replace(args, budget=share)
            replace(args, limit=share)
    """
    result = traced(source)
    assert at(result, line_of(source, "replace(args, budget=share)"), "write", "pass")
    assert not at(result, line_of(source, "replace(args, limit=share)"))
