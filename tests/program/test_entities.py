"""What a definition says of itself: its names, its receiver, what its decorators make of it."""

from __future__ import annotations

import pytest
from program.samples import Lab

SOURCE = """
    import functools
    from functools import cached_property


    class Pool:
        def __init__(self, size):
            def helper(x):
                return x

            self.size = size

        def __new__(cls, size):
            return object.__new__(cls)

        def __init_subclass__(cls):
            pass

        @staticmethod
        def build(size):
            pass

        @classmethod
        def of(cls, size):
            pass

        @property
        def free(self):
            return 1

        @free.setter
        def free(self, value):
            pass

        @cached_property
        def total(self):
            return 1

        @functools.lru_cache(maxsize=None)
        def cached(self, key):
            return 1

        @table["x"]
        def odd(self):
            pass

        def none():
            pass

        def star(*args):
            pass

        def only(self, /, size):
            pass

        class Inner:
            def method(this):
                pass


    def plain(self):
        pass
"""
LAB = Lab(SOURCE)


@pytest.mark.parametrize(
    ("qualname", "receiver"),
    [
        ("Pool.__init__", "self"),
        ("Pool.__init__.helper", None),
        ("Pool.build", None),
        ("Pool.of", "cls"),
        ("Pool.none", None),
        ("Pool.star", None),
        ("Pool.only", "self"),
        ("Pool.Inner.method", "this"),
        ("plain", None),
    ],
)
def test_the_receiver(qualname: str, receiver: str | None) -> None:
    assert LAB.function(qualname).receiver == receiver


@pytest.mark.parametrize(
    ("qualname", "names"),
    [
        ("Pool.build", ("staticmethod",)),
        ("Pool.total", ("cached_property",)),
        ("Pool.cached", ("lru_cache",)),
        ("Pool.odd", ("",)),
        ("plain", ()),
    ],
)
def test_decorators_by_the_last_part_of_their_names(qualname: str, names: tuple[str, ...]) -> None:
    assert LAB.function(qualname).decorator_names() == names


def test_what_decorators_and_names_make_of_a_function() -> None:
    def holding(what: str) -> set[str]:
        names = ("__init__", "__new__", "__init_subclass__", "build", "of", "total", "cached", "star")
        return {name for name in names if getattr(LAB.function(f"Pool.{name}"), what)}

    assert holding("is_static") == {"build"}
    assert holding("is_class_method") == {"__new__", "__init_subclass__", "of"}
    assert holding("is_property") == {"total"}


def test_names_and_owners() -> None:
    method = LAB.function("Pool.Inner.method")
    assert method.qualified == "pkg.main:Pool.Inner.method"
    assert method.name == "method"
    assert method.owner is not None
    assert method.owner.qualified == "pkg.main:Pool.Inner"
    assert LAB.function("plain").owner is None
    assert LAB.function("Pool.__init__.helper").owner is None
    assert method.owner == LAB.cls("Pool.Inner")
    assert LAB.cls("Pool.Inner") != LAB.cls("Pool")


def test_parameters_by_name() -> None:
    only = LAB.function("Pool.only")
    assert [parameter.name for parameter in only.parameters] == ["self", "size"]
    assert only.parameter("size") is only.parameters[1]
    assert only.parameter("missing") is None


def test_definitions_are_ordered_by_where_they_stand() -> None:
    found = {LAB.function("plain"), LAB.function("Pool.build"), LAB.function("Pool.__init__")}
    assert [one.name for one in sorted(found, key=lambda one: one.order)] == ["__init__", "build", "plain"]
