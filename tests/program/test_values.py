"""What instances an expression may hold."""

from __future__ import annotations

import pytest
from program.samples import Lab

CLASSES = """
class Args:
    size: int
class Runner:
    def __init__(self, args: Args):
        self.args = args
        self.made = Args()
        self.unknown = whatever()
    def step(self):
        return self
class Derived(Runner): pass
class Other: pass
def whatever(): ...
"""


def types(code: str, text: str, nth: int = 1) -> set[str]:
    """The types of an expression in a module that knows the classes above."""
    lab = Lab(
        {
            "classes.py": CLASSES,
            "main.py": f"from .classes import Args, Runner, Derived, Other, whatever\nfrom typing import NamedTuple\n{code}",
        }
    )
    return {name.removeprefix("classes:") for name in lab.types(text, nth=nth)}


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        # constructors, variables
        ("x = Args()\nuse(x)\n", "x", {"Args"}),
        ("use(Args())\n", "Args()", {"Args"}),
        ("use(Args)\n", "Args", set()),
        ("x = Args\nuse(x)\n", "x", set()),
        ("x = y = Args()\nuse(y)\n", "y", {"Args"}),
        ("x = Args() if a else Runner(b)\nuse(x)\n", "x", {"Args", "Runner"}),
        ("x = a or Args()\nuse(x)\n", "x", {"Args"}),
        ("x = Args()\nx = Other()\nuse(x)\n", "x", {"Args", "Other"}),
        ("def f():\n    if (x := Args()): use(x)\n", "x", {"Args"}),
        ("async def f():\n    x = await Args()\n    use(x)\n", "x", {"Args"}),
        ("with Args() as x: use(x)\n", "x", {"Args"}),
        ("x = [Args()]\nuse(x)\n", "x", set()),
        ("x = missing()\nuse(x)\n", "x", set()),
        ("x += Args()\nuse(x)\n", "x", set()),
        # annotations
        ("def f(x: Args): use(x)\n", "x", {"Args"}),
        ("def f(x: 'Args'): use(x)\n", "x", {"Args"}),
        ("def f(x: Optional[Args]): use(x)\n", "x", {"Args"}),
        ("def f(x: typing.Optional['Args'] = None): use(x)\n", "x", {"Args"}),
        ("def f(x: Union[Args, Runner, None]): use(x)\n", "x", {"Args", "Runner"}),
        ("def f(x: Args | None): use(x)\n", "x", {"Args"}),
        ("def f(x: 'Args | Runner'): use(x)\n", "x", {"Args", "Runner"}),
        ("def f(x: Annotated[Args, 'why']): use(x)\n", "x", {"Args"}),
        ("def f(x: Final[Args]): use(x)\n", "x", {"Args"}),
        ("def f(x: Args[int]): use(x)\n", "x", {"Args"}),
        ("def f(x: list[Args]): use(x)\n", "x", set()),
        ("def f(x: type[Args]): use(x)\n", "x", set()),
        ("def f(x: Callable[[], Args]): use(x)\n", "x", set()),
        ("def f(x: int): use(x)\n", "x", set()),
        ("def f(x): use(x)\n", "x", set()),
        ("x: Args = make()\nuse(x)\n", "x", {"Args"}),
        ("x: 'Args'\nuse(x)\n", "x", {"Args"}),
        ("def f(*x: Args): use(x)\n", "x", set()),
        ("def f(**x: Args): use(x)\n", "x", set()),
        # aliases of types
        ("Alias = Args\ndef f(x: Alias): use(x)\n", "x", {"Args"}),
        ("Alias = Optional[Args]\ndef f(x: Alias): use(x)\n", "x", {"Args"}),
        ("Alias: TypeAlias = 'Args'\ndef f(x: Alias): use(x)\n", "x", {"Args"}),
        ("type Alias = Args | Other\ndef f(x: Alias): use(x)\n", "x", {"Args", "Other"}),
        ("T = TypeVar('T', bound=Args)\ndef f(x: T): use(x)\n", "x", {"Args"}),
        ("T = TypeVar('T')\ndef f(x: T): use(x)\n", "x", set()),
        ("Alias = Alias2\nAlias2 = Alias\ndef f(x: Alias): use(x)\n", "x", set()),
        # results
        ("def f() -> Args: ...\nuse(f())\n", "f()", {"Args"}),
        ("def f() -> 'Args': ...\nuse(f())\n", "f()", {"Args"}),
        ("def f():\n    return Args()\nuse(f())\n", "f()", {"Args"}),
        ("def f():\n    x = Args()\n    return x\nuse(f())\n", "f()", {"Args"}),
        ("def f():\n    if a: return Args()\n    return Other()\nuse(f())\n", "f()", {"Args", "Other"}),
        ("def f():\n    def g(): return Args()\n    return g\nuse(f())\n", "f()", set()),
        ("def f():\n    yield Args()\nuse(f())\n", "f()", set()),
        ("def f(): return f()\nuse(f())\n", "f()", set()),
        ("async def f() -> Args: ...\nasync def g(): use(await f())\n", "await f()", {"Args"}),
        ("x = f\ndef f() -> Args: ...\nuse(x())\n", "x()", {"Args"}),
        ("use((lambda: Args())())\n", "(lambda: Args())()", set()),
        # copies and casts
        ("def f(x: Args): use(copy.copy(x))\n", "copy.copy(x)", {"Args"}),
        ("def f(x: Args): use(copy.deepcopy(x))\n", "copy.deepcopy(x)", {"Args"}),
        ("def f(x: Args): use(dataclasses.replace(x, a=1))\n", "dataclasses.replace(x, a=1)", {"Args"}),
        ("def f(x): use(cast(Args, x))\n", "cast(Args, x)", {"Args"}),
        ("def f(x): use(cast('Args', x))\n", "cast('Args', x)", {"Args"}),
        ("def f(x: Args): use(str(x))\n", "str(x)", set()),
        ("def f(x: Args): use(x.replace(1))\n", "x.replace(1)", set()),
        # with, except
        ("@contextmanager\ndef f() -> Iterator[Args]: ...\nwith f() as x: use(x)\n", "x", {"Args"}),
        ("@contextlib.contextmanager\ndef f():\n    yield Args()\nwith f() as x: use(x)\n", "x", {"Args"}),
        ("def f():\n    yield Args()\nwith f() as x: use(x)\n", "x", set()),
        ("class M:\n    def __enter__(self): return Args()\nwith M() as x: use(x)\n", "x", {"Args"}),
        ("class M:\n    def __enter__(self): return self\nwith M() as x: use(x)\n", "x", {"M"}),
        ("class E(Exception): pass\ntry: pass\nexcept E as x: use(x)\n", "x", {"E"}),
        ("class E(Exception): pass\ntry: pass\nexcept (E, ValueError) as x: use(x)\n", "x", {"E"}),
        # elements of containers
        ("def f(x: list[Args]): use(x[0])\n", "x[0]", {"Args"}),
        ("def f(x: List['Args']): use(x[0])\n", "x[0]", {"Args"}),
        ("def f(x: dict[str, Args]): use(x['a'])\n", "x['a']", {"Args"}),
        ("def f(x: Optional[list[Args]]): use(x[0])\n", "x[0]", {"Args"}),
        ("def f(x: list[Args] | None): use(x[0])\n", "x[0]", {"Args"}),
        ("def f(x: list[Args]):\n    for y in x: use(y)\n", "y", {"Args"}),
        ("def f(x: dict[str, Args]):\n    for y in x.values(): use(y)\n", "y", {"Args"}),
        ("def f(x: dict[str, Args]):\n    for k, y in x.items(): use(y)\n", "y", {"Args"}),
        ("def f(x: list[Args]):\n    for i, y in enumerate(x): use(y)\n", "y", {"Args"}),
        ("def f(x: dict[str, Args]):\n    for y in x: use(y)\n", "y", set()),
        ("def f(x: dict[str, Args]): use(x.get('a'))\n", "x.get('a')", {"Args"}),
        ("def f(x: list[Args]): use(x.pop())\n", "x.pop()", {"Args"}),
        ("x = [Args(), Other()]\nuse(x[0])\n", "x[0]", {"Args"}),
        ("x = [Args(), Other()]\nuse(x[i])\n", "x[i]", {"Args", "Other"}),
        ("for x in (Args(), Other()): use(x)\n", "x", {"Args", "Other"}),
        ("x = {'a': Args()}\nuse(x['a'])\n", "x['a']", {"Args"}),
        ("def f(x: list[Args]): use([y for y in x])\n", "y", {"Args"}),
        ("def f(x: list[Args]): use([y.size for y in x])\n", "y", {"Args"}),
        ("y = Other()\ndef f(x: list[Args]): use([y for y in x])\n", "y", {"Args"}),
        ("y = Other()\nuse([y for y in unknown])\n", "y", set()),
        ("def f(x: list[Args]): use(x[1:])\n", "x[1:]", set()),
        ("def f(x: tuple[Args, Other]):\n    a, b = x\n    use(b)\n", "b", {"Other"}),
        ("def f() -> tuple[Args, Other]: ...\na, b = f()\nuse(b)\n", "b", {"Other"}),
        ("def f():\n    return Args(), Other()\na, b = f()\nuse(b)\n", "b", {"Other"}),
        ("a, b = Args(), Other()\nuse(b)\n", "b", {"Other"}),
        ("def f(x: int): use(x[0])\n", "x[0]", set()),
        ("class P(NamedTuple):\n    a: Args\n    b: Other\ndef f(x: P): use(x[1])\n", "x[1]", {"Other"}),
        ("class P(NamedTuple):\n    a: Args\n    b: Other\ndef f(x: P):\n    a, b = x\n    use(b)\n", "b", {"Other"}),
        ("class L:\n    def __getitem__(self, i) -> Args: ...\nuse(L()[0])\n", "L()[0]", {"Args"}),
        ("class L:\n    def __iter__(self) -> Iterator[Args]: ...\nfor x in L(): use(x)\n", "x", {"Args"}),
        ("def f(x: dict[str, list[Args]]): use(x['a'][0])\n", "x['a'][0]", {"Args"}),
        ("def f(x: dict[str, list[Args]]): use(x['a'])\n", "x['a']", set()),
        ("def f(*x: Args): use(x[0])\n", "x[0]", {"Args"}),
        ("def f(**x: Args): use(x['a'])\n", "x['a']", {"Args"}),
        ("def f(x: list[Args]): use(next(iter(x)))\n", "next(iter(x))", {"Args"}),
        ("def f(x: list[Args], z: list[Other]):\n    for a, b in zip(x, z): use(b)\n", "b", {"Other"}),
        ("x = [Args() for _ in y]\nuse(x[0])\n", "x[0]", {"Args"}),
        ("x = {k: Args() for k in y}\nuse(x['a'])\n", "x['a']", {"Args"}),
        ("a, *b = Args(), Other(), Other()\nuse(b)\n", "b", set()),
        # patterns, loops
        ("def f(x):\n    match x:\n        case Args() as y: use(y)\n", "y", set()),
        ("def f(x):\n    if isinstance(x, Args): use(x)\n", "x", set()),
    ],
)
def test_types_of_expressions(code: str, text: str, expected: set[str]) -> None:
    assert types(code, text, nth=_last(code, text)) == expected


def _last(code: str, text: str) -> int:
    """The last expression spelled so: the one that is used."""
    lab = Lab(
        {
            "classes.py": CLASSES,
            "main.py": f"from .classes import Args, Runner, Derived, Other, whatever\nfrom typing import NamedTuple\n{code}",
        }
    )
    count = 1
    while True:
        try:
            lab.place(text, nth=count + 1)
        except AssertionError:
            return count
        count += 1


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        ("use(r.args)\n", "r.args", {"Args"}),
        ("use(r.made)\n", "r.made", {"Args"}),
        ("use(r.unknown)\n", "r.unknown", set()),
        ("use(r.missing)\n", "r.missing", set()),
        ("use(r.step())\n", "r.step()", {"Runner"}),
        ("use(r.step().args)\n", "r.step().args", {"Args"}),
        ("use(r.step)\n", "r.step", set()),
        ("use(getattr(r, 'args'))\n", "getattr(r, 'args')", {"Args"}),
        ("use(getattr(r, 'args', None))\n", "getattr(r, 'args', None)", {"Args"}),
        ("use(getattr(r, name))\n", "getattr(r, name)", set()),
        ("x = r.args\nuse(x)\n", "x", {"Args"}),
        ("use(Derived(1).args)\n", "Derived(1).args", {"Args"}),
    ],
)
def test_types_of_fields(code: str, text: str, expected: set[str]) -> None:
    code = f"r = Runner(a)\n{code}"
    assert types(code, text, nth=_last(code, text)) == expected


FIELDS = """
    from dataclasses import dataclass
    from typing import Optional, TYPE_CHECKING
    from functools import cached_property
    if TYPE_CHECKING:
        from .other import Late
    class Args: pass
    class Other: pass
    @dataclass
    class Record:
        declared: Args
        quoted: "Args"
        optional: Optional[Args] = None
        late: "Late" = None
        with_value = Args()
    class Base:
        def __init__(self, args):
            self.annotated: Optional[Args] = None
            self.twice = Args()
        def later(self):
            self.twice = Other()
            self.from_helper = self.build()
            self.in_loop = None
            for self.looped in self.many(): pass
        def build(self) -> Args: ...
        def many(self) -> list[Args]: ...
        @property
        def prop(self) -> Args: ...
        @property
        def inferred(self): return Args()
        @cached_property
        def cached(self): return Other()
        @prop.setter
        def prop(self, value: Other): ...
    class Child(Base):
        def more(self): self.own = Other()
    class Mixin:
        def use(self: "Base"): check(self.twice)
        def use2(self): check(self.own_of_user)
    class User(Mixin):
        def __init__(self): self.own_of_user = Args()
    def f(r: Record, b: Base, c: Child, u: User):
        use(r.declared, r.quoted, r.optional, r.late, r.with_value)
        use(b.annotated, b.twice, b.from_helper, b.prop, b.inferred, b.cached, b.looped, b.in_loop)
        use(c.twice, c.own, c.prop)
        use(b.own)
        use(u.own_of_user)
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("r.declared", {"Args"}),
        ("r.quoted", {"Args"}),
        ("r.optional", {"Args"}),
        ("r.late", {"other:Late"}),
        ("r.with_value", {"Args"}),
        ("b.annotated", {"Args"}),
        ("b.twice", {"Args", "Other"}),
        ("b.from_helper", {"Args"}),
        ("b.prop", {"Args"}),
        ("b.inferred", {"Args"}),
        ("b.cached", {"Other"}),
        ("b.looped", {"Args"}),
        ("b.in_loop", set()),
        ("c.twice", {"Args", "Other"}),
        ("c.own", {"Other"}),
        ("c.prop", {"Args"}),
        ("self.twice", {"Args", "Other"}),
        ("self.own_of_user", {"Args"}),
        ("u.own_of_user", {"Args"}),
    ],
)
def test_types_of_declared_and_stored_fields(text: str, expected: set[str]) -> None:
    lab = Lab({"main.py": FIELDS, "other.py": "class Late: pass\n"})
    nth = 2 if text in ("self.twice", "self.own_of_user") and text == "self.twice" else 1
    assert lab.types(text, nth={"self.twice": 3}.get(text, nth)) == expected


def test_receivers() -> None:
    lab = Lab(
        """
        class A:
            def method(self): one(self)
            @classmethod
            def make(cls):
                two(cls)
                return cls()
            @staticmethod
            def static(self): three(self)
            def annotated(self: "B"): four(self)
            def nested(self):
                def inner(): five(self)
        class B: pass
        class C(A): pass
        def function(self): six(self)
        use(A.make(), C.make(), A().make())
        """
    )
    found = {name: lab.types("self", nth=n) for n, name in enumerate(("one", "three", "four", "five", "six"), start=1)}
    assert found == {"one": {"A"}, "three": set(), "four": {"B"}, "five": {"A"}, "six": set()}
    assert lab.types("cls") == set()
    assert lab.types("A.make()") == {"A"}
    assert lab.types("C.make()") == {"C"}
    assert lab.types("A().make()") == {"A"}


def test_globals_that_a_function_sets() -> None:
    lab = Lab(
        """
        class Args: pass
        current = None
        def set_current(args: Args):
            global current
            current = args
        def get_current():
            return current
        def shadow():
            current = Other()
            use(current)
        class Other: pass
        use(get_current())
        """
    )
    assert lab.types("get_current()") == {"Args"}
    assert lab.types("current", nth=5) == {"Other"}


def test_globals_of_other_modules() -> None:
    lab = Lab(
        {
            "a.py": "class Args: pass\nshared = Args()\n",
            "main.py": "from . import a\nfrom .a import shared\nimport pkg.a as b\nuse(a.shared, shared, b.shared, a.missing)\n",
        }
    )
    assert lab.types("a.shared") == lab.types("shared") == lab.types("b.shared") == {"a:Args"}
    assert lab.types("a.missing") == set()


PROXIES = """
    class Args:
        def __init__(self): self.inner = Inner()
        own = 1
    class Inner: pass
    class Proxy:
        def __init__(self, args: Args):
            self._args = args
        def __getattr__(self, name):
            return getattr(self._args, name)
        def method(self): pass
    class NoProxy:
        def __init__(self, args: Args):
            self._args = args
        def __getattr__(self, name):
            return getattr(self._args, "fixed")
    def f(p: Proxy, n: NoProxy):
        use(p.inner, n.inner, p._args)
"""


def test_a_proxy_answers_for_the_object_behind_it() -> None:
    lab = Lab(PROXIES)
    assert lab.types("p.inner") == {"Inner"}
    assert lab.types("n.inner") == set()
    assert lab.types("p._args") == {"Args"}
    behind = lab.program.values.proxied
    assert {each.name for each in behind(lab.cls("Proxy"), "inner")} == {"Args"}
    assert behind(lab.cls("Proxy"), "_args") == frozenset()
    assert behind(lab.cls("Proxy"), "method") == frozenset()
    assert behind(lab.cls("NoProxy"), "inner") == frozenset()
    assert behind(lab.cls("Args"), "inner") == frozenset()


def test_parameters_without_annotation_take_their_defaults_type() -> None:
    lab = Lab("class Args: pass\ndef f(x=Args()): use(x)\ndef g(x=None): use(x)\n")
    assert lab.types("x") == {"Args"}
    assert lab.types("x", nth=2) == set()


CYCLES = """
    class A:
        def __init__(self, other):
            self.next = B(self).next
            self.this = self.next.this or A(1)
    class B:
        def __init__(self, other: A):
            self.next = other.next or A(2)
            self.this = other.this or B(3)
    def f(a: A, b: B):
        use(a.next, b.next, a.this, b.this)
"""


@pytest.mark.parametrize("first", ["a.next", "b.next", "a.this", "b.this"])
def test_answers_do_not_depend_on_what_was_asked_before(first: str) -> None:
    lab = Lab(CYCLES)
    lab.types(first)
    assert {text: lab.types(text) for text in ("a.next", "b.next", "a.this", "b.this")} == {
        "a.next": {"A"},
        "b.next": {"A"},
        "a.this": {"A"},
        "b.this": {"A", "B"},
    }


def test_a_long_chain_of_names_ends() -> None:
    lines = ["class A: pass", "x0 = A()", *(f"x{n} = x{n - 1}" for n in range(1, 2000)), "use(x3, x1999)"]
    lab = Lab("\n".join(lines))
    lab.types("x1999")
    assert lab.types("x3") == {"A"}


def test_a_chain_asked_from_its_deep_end_is_complete() -> None:
    """A question that gave up at its depth leaves no wrong answers behind."""
    lines = ["class A: pass", "x0 = A()", *(f"x{n} = x{n - 1}" for n in range(1, 40)), "use(x39)"]
    deep, fresh = Lab("\n".join(lines)), Lab("\n".join(lines))
    deep.types("x39", nth=2)
    for n in range(6):
        assert deep.types(f"x{n}") == fresh.types(f"x{n}") == {"A"}
