"""Classes: ancestors in Python's order, subclasses, methods, the owners of fields, records."""

from __future__ import annotations

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from program.samples import Lab, short

from sgmem.program.entities import Class


def names(classes: tuple[Class, ...]) -> list[str]:
    return [short(each) for each in classes]


def mro(lab: Lab, name: str) -> list[str]:
    return names(lab.program.classes.mro(lab.cls(name)))


HIERARCHY = """
    import torch
    from typing import Generic
    class A: pass
    class B(A): pass
    class C(A): pass
    class D(B, C): pass
    class E(torch.nn.Module, D): pass
    class F(Generic[T], B): pass
    class G(B[int]): pass
    class H(unknown, C, metaclass=Meta): pass
    class Outer:
        class Inner(A): pass
        class Deeper(Inner): pass
    class I(Outer.Inner): pass
    class J(*bases, A): pass
    class K(object): pass
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("A", ["A"]),
        ("B", ["B", "A"]),
        ("D", ["D", "B", "C", "A"]),
        ("E", ["E", "D", "B", "C", "A"]),
        ("F", ["F", "B", "A"]),
        ("G", ["G", "B", "A"]),
        ("H", ["H", "C", "A"]),
        ("Outer.Deeper", ["Outer.Deeper", "Outer.Inner", "A"]),
        ("I", ["I", "Outer.Inner", "A"]),
        ("J", ["J", "A"]),
        ("K", ["K"]),
    ],
)
def test_ancestors_inside_the_program(name: str, expected: list[str]) -> None:
    assert mro(Lab(HIERARCHY), name) == expected


def test_ancestors_outside() -> None:
    lab = Lab(HIERARCHY)
    assert lab.program.classes.external_bases(lab.cls("E")) == ("torch.nn.Module",)
    assert lab.program.classes.external_bases(lab.cls("F")) == ("typing.Generic",)
    assert lab.program.classes.external_bases(lab.cls("A")) == ()


@given(st.lists(st.lists(st.integers(0, 6), max_size=3, unique=True), min_size=1, max_size=7))
def test_the_order_is_pythons(bases: list[list[int]]) -> None:
    """Any hierarchy that Python accepts is linearised as Python does."""
    built: list[type] = []
    lines = []
    for index, given_bases in enumerate(bases):
        above = [base for base in given_bases if base < index]
        try:
            built.append(type(f"C{index}", tuple(built[base] for base in above), {}))
        except TypeError:
            assume(False)
        lines.append(f"class C{index}({', '.join(f'C{base}' for base in above)}): pass\n")
    lab = Lab("".join(lines))
    for cls in built:
        assert mro(lab, cls.__name__) == [each.__name__ for each in cls.__mro__[:-1]]


@pytest.mark.parametrize(
    "text",
    [
        "class A(B): pass\nclass B(A): pass\n",
        "class A(A): pass\nclass B(A): pass\n",
        "class X: pass\nclass A(X, B): pass\nclass B(X): pass\nclass C(A, B): pass\n",  # no consistent order
    ],
)
def test_impossible_hierarchies_end(text: str) -> None:
    lab = Lab(text)
    assert mro(lab, "A")[0] == "A"
    assert set(mro(lab, "B")) >= {"B"}
    assert lab.program.classes.subclasses(lab.cls("A")) is not None


def test_subclasses_over_files_and_under_other_names() -> None:
    lab = Lab(
        {
            "a.py": "class Base: pass\nclass Near(Base): pass\n",
            "b.py": "from .a import Base as Root\nclass Renamed(Root): pass\n",
            "c.py": "from . import a\nclass Dotted(a.Near): pass\n",
            "d.py": "class Base: pass\nclass Other(Base): pass\n",
            "e.py": "from .a import Base\ndef f():\n    class Local(Base): pass\nclass Mentions:\n    base = Base\n",
            "f.py": "from .a import (\n    Base,\n)\nclass Wide(\n    Base,\n    metaclass=Meta,\n): pass\n",
            "g.py": "import pkg.a as alias\nclass Qualified(alias.Base): pass\n",
        }
    )
    found = names(lab.program.classes.subclasses(lab.cls("Base", "a.py")))
    assert set(found) == {"a:Near", "b:Renamed", "c:Dotted", "e:f.Local", "f:Wide", "g:Qualified"}
    assert names(lab.program.classes.subclasses(lab.cls("Base", "d.py"))) == ["d:Other"]


def test_what_the_other_bases_of_a_subclass_are_is_not_asked() -> None:
    lab = Lab(
        {
            "a.py": "class Base: pass\n",
            "b.py": "from .a import Base\nfrom .c import Other\nclass Below(Other, Base): pass\n",
            "c.py": "class Other: pass\n",
        }
    )
    assert names(lab.program.classes.subclasses(lab.cls("Base", "a.py"))) == ["b:Below"]
    assert lab.program.files.reads.parsed.isdisjoint({"pkg/c.py"})


METHODS = """
    class Base:
        def run(self): pass
        def only_base(self): pass
        attribute = 1
    class Mixin:
        def run(self): pass
    class Child(Mixin, Base):
        def own(self): pass
        only_base = None
    class Grandchild(Child):
        def run(self): pass
"""


def test_methods_are_found_through_the_order() -> None:
    lab = Lab(METHODS)
    classes = lab.program.classes
    grandchild, child = lab.cls("Grandchild"), lab.cls("Child")

    def method(owner: Class, name: str) -> str | None:
        found = classes.method(owner, name)
        return found and short(found)

    assert method(child, "run") == "Mixin.run"
    assert method(grandchild, "own") == "Child.own"
    assert method(child, "missing") is None
    assert method(child, "attribute") is None
    assert [short(each) for each in classes.overrides(lab.cls("Mixin"), "run")] == ["Grandchild.run"]
    assert classes.overrides(grandchild, "run") == ()


def test_what_super_finds_depends_on_the_instance() -> None:
    lab = Lab(METHODS)
    classes, mixin = lab.program.classes, lab.cls("Mixin")

    def after(owner: str, current: str, name: str) -> str | None:
        found = classes.method_after(lab.cls(owner), lab.cls(current), name)
        return found and short(found)

    assert after("Child", "Mixin", "run") == "Base.run"
    assert after("Grandchild", "Grandchild", "run") == "Mixin.run"
    assert after("Mixin", "Mixin", "run") is None
    assert after("Base", "Mixin", "run") is None
    assert classes.method_after(mixin, mixin, "missing") is None


FIELDS = """
    class Base:
        declared: int
        with_default = 1
        def __init__(self, other):
            self.stored = 1
            self.a, (self.b, *self.c) = other
            self.annotated: int = 2
            for self.looped in other: pass
            with other as self.entered: pass
            self.grown += 1
            other.of_another = 2
            local = 3
            self.deep.er = 4
            self.item[0] = 5
            del self.deleted
            use(self.read)
            def inner():
                self.closed_over = 6
        @classmethod
        def make(cls):
            cls.on_class = 7
        @staticmethod
        def static(self):
            self.not_self = 8
    class Child(Base):
        own = 1
        stored = 2
        def method(this):
            this.late = 3
"""


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("declared", ["Base"]), ("with_default", ["Base"]), ("stored", ["Base"]), ("a", ["Base"]), ("b", ["Base"]),
        ("c", ["Base"]), ("annotated", ["Base"]), ("looped", ["Base"]), ("entered", ["Base"]), ("grown", ["Base"]),
        ("closed_over", ["Base"]), ("on_class", ["Base"]), ("own", ["Child"]), ("late", ["Child"]),
        ("of_another", []), ("local", []), ("er", []), ("item", []), ("deleted", []), ("read", []), ("not_self", []),
        ("deep", []), ("missing", []), ("make", []),
    ],
)  # fmt: skip
def test_the_owner_of_a_field_is_the_topmost_class_that_has_it(name: str, owners: list[str]) -> None:
    lab = Lab(FIELDS)
    assert names(lab.program.classes.owners(lab.cls("Child"), name)) == owners


def test_a_field_of_a_child_is_none_of_the_parent() -> None:
    lab = Lab(FIELDS)
    assert lab.program.classes.owns(lab.cls("Child"), "late")
    assert not lab.program.classes.owns(lab.cls("Base"), "late")
    assert not lab.program.classes.owns(lab.cls("Child"), "declared")


def test_a_mixins_field_is_owned_by_the_classes_that_mix_it_in() -> None:
    lab = Lab(
        """
        class Mixin:
            def use(self): return self.size
        class Base:
            def __init__(self): self.size = 1
        class One(Mixin, Base): pass
        class Two(Mixin):
            size: int
        class Unrelated:
            size: int
        """
    )
    assert names(lab.program.classes.owners(lab.cls("Mixin"), "size")) == ["Base", "Two"]
    assert names(lab.program.classes.owners(lab.cls("Mixin"), "missing")) == []


def test_stores_name_the_method_and_the_statement() -> None:
    lab = Lab(FIELDS)
    ((function, statement),) = lab.program.classes.stores(lab.cls("Base"), "closed_over")
    assert short(function) == "Base.__init__"
    row = lab.file().outline.statements[statement]
    assert lab.file().source.slice(row.span) == "self.closed_over = 6"


def test_related() -> None:
    lab = Lab(HIERARCHY)
    related = lab.program.classes.related
    assert related(lab.cls("A"), lab.cls("D"))
    assert related(lab.cls("D"), lab.cls("A"))
    assert related(lab.cls("A"), lab.cls("A"))
    assert not related(lab.cls("B"), lab.cls("C"))


RECORDS = """
    import attrs, dataclasses, msgspec, pydantic
    from dataclasses import dataclass, field, KW_ONLY
    from typing import ClassVar, NamedTuple, TypedDict
    @dataclass
    class Plain: pass
    @dataclass(frozen=True)
    class Arguments: pass
    @dataclasses.dataclass(kw_only=True)
    class Dotted: pass
    @register("x")
    @dataclass
    class Second: pass
    class Struct(msgspec.Struct, frozen=True): pass
    class Tuple(NamedTuple): pass
    class Model(pydantic.BaseModel): pass
    class Derived(Model): pass
    @attrs.define
    class Attrs: pass
    class Typed(TypedDict): pass
    class Normal:
        x: int
    @decorator
    class Decorated: pass
    class Child(Plain): pass
    class StructByName: pass
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Plain", True), ("Arguments", True), ("Dotted", True), ("Second", True), ("Struct", True), ("Tuple", True),
        ("Model", True), ("Derived", True), ("Attrs", True), ("Typed", True), ("Child", True),
        ("Normal", False), ("Decorated", False), ("StructByName", False),
    ],
)  # fmt: skip
def test_records(name: str, expected: bool) -> None:
    lab = Lab(RECORDS)
    assert lab.program.classes.is_record(lab.cls(name)) is expected


@pytest.mark.parametrize(
    ("text", "name", "fields"),
    [
        ("@dataclass\nclass A:\n    x: int\n    y: str = ''\n    z = 3\n    def f(self):\n        w: int = 1\n", "A", ["x", "y"]),
        ("@dataclass\nclass A:\n    x: int\n@dataclass\nclass B(A):\n    y: int\n    x: str\n", "B", ["x", "y"]),
        ("@dataclass\nclass A:\n    x: int\nclass B(A):\n    y: int\n", "B", ["x"]),
        ("class A:\n    x: int\n@dataclass\nclass B(A):\n    y: int\n", "B", ["y"]),
        ("class A(msgspec.Struct):\n    x: int\nclass B(A):\n    y: int\n", "B", ["x", "y"]),
        ("@dataclass\nclass A:\n    x: ClassVar[int] = 1\n    y: 'ClassVar[int]' = 1\n    z: typing.ClassVar = 2\n    w: int = 3\n", "A", ["w"]),
        ("@dataclass\nclass A:\n    x: int = field(init=False)\n    y: int = field(default=1)\n", "A", ["y"]),
        ("@dataclass\nclass A:\n    x: InitVar[int]\n    y: int\n", "A", ["x", "y"]),
        ("@dataclass\nclass A:\n    _: KW_ONLY\n    x: int\n    y: int\n", "A", ["x", "y"]),
        ("@dataclass\nclass A:\n    x: int\n    _: KW_ONLY\n    y: int = 0\n@dataclass\nclass B(A):\n    z: int\n", "B", ["x", "z", "y"]),
        ("@dataclass\nclass A:\n    x: int = field(kw_only=True)\n    y: int\n", "A", ["y", "x"]),
        ("@dataclass\nclass A:\n    if x:\n        y: int\n    else:\n        z: int\n", "A", ["y", "z"]),
        ("class A(NamedTuple):\n    x: int\n    y: int = 1\n", "A", ["x", "y"]),
        ("class A:\n    x: int\n", "A", []),
    ],
)  # fmt: skip
def test_the_fields_of_a_record_in_the_order_of_its_constructor(text: str, name: str, fields: list[str]) -> None:
    lab = Lab(
        "import msgspec, typing\nfrom dataclasses import dataclass, field, InitVar, KW_ONLY\nfrom typing import ClassVar, NamedTuple\n"
        + text
    )
    assert list(lab.program.classes.record_fields(lab.cls(name))) == fields
    asked = ("w", "x", "y", "z", "_", "int")
    assert {one for one in asked if lab.program.classes.has_record_field(lab.cls(name), one)} == set(fields)
