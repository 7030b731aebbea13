"""Which functions and classes a called expression may stand for, with the parameters that are filled already."""

from __future__ import annotations

import pytest
from program.samples import Lab

DEFINITIONS = """
def f(a, b): ...
def g(a): ...
class A:
    made = None
    def __init__(self, x): ...
    def method(self, x): ...
    @classmethod
    def create(cls, x): return cls(x)
    @staticmethod
    def static(x): ...
    @property
    def prop(self): ...
    class Inner: ...
class B(A):
    def method(self, x): ...
class Unrelated:
    def method(self, x): ...
    def create(self): ...
"""

Found = set[tuple[str, int]]


def resolved(code: str, text: str) -> Found:
    """The callables of the last expression spelled `text`."""
    lab = Lab({"defs.py": DEFINITIONS, "main.py": f"from .defs import f, g, A, B, Unrelated\n{code}"})
    nth = 1
    while True:
        try:
            lab.place(text, nth=nth + 1)
        except AssertionError:
            break
        nth += 1
    return {(name.removeprefix("defs:"), filled) for name, filled in lab.callables(text, nth=nth)}


@pytest.mark.parametrize(
    ("code", "text", "expected"),
    [
        # names
        ("f(1, 2)\n", "f", {("f", 0)}),
        ("A(1)\n", "A", {("A", 0)}),
        ("A.Inner()\n", "A.Inner", {("A.Inner", 0)}),
        ("print(1)\n", "print", set()),
        ("missing(1)\n", "missing", set()),
        ("import pkg.defs\npkg.defs.f(1, 2)\n", "pkg.defs.f", {("f", 0)}),
        ("def h():\n    def local(): ...\n    local()\n", "local", {("h.local", 0)}),
        # brackets behind a function or class are no lookup
        ("f[(4,)](1, 2)\n", "f[(4,)]", {("f", 0)}),
        ("import jit\n@jit\ndef kernel(n): ...\nkernel[lambda meta: (1,)](2)\n", "kernel[lambda meta: (1,)]", {("kernel", 0)}),
        ("A[int](1)\n", "A[int]", {("A", 0)}),
        ("table = {1: f, 2: g}\ntable[2](1)\n", "table[2]", {("g", 0)}),
        ("a = A(1)\na[0](2)\n", "a[0]", set()),
        # tables looked up by a member of an enumeration
        ("t = {Kind.F: f, Kind.G: g}\nt[Kind.G](1)\n", "t[Kind.G]", {("g", 0)}),
        ("t = {Kind.F: f, Kind.G: g}\nt[kind](1)\n", "t[kind]", {("f", 0), ("g", 0)}),
        ("t = {}\nt[Kind.F] = f\nt[Kind.G] = g\nt[Kind.F](1)\n", "t[Kind.F]", {("f", 0)}),
        ("t = {}\nt['f'] = f\nt[Kind.F](1)\n", "t[Kind.F]", {("f", 0)}),
        ("def find(k):\n    t = {Kind.F: f, Kind.G: g}\n    return t.get(k)\nfind(Kind.G)(1)\n", "find(Kind.G)", {("g", 0)}),
        ("def find(x, k):\n    return {'f': f, 'g': g}[k]\nfind(1, k='f')(1)\n", "find(1, k='f')", {("f", 0)}),
        ("def find(k):\n    return {'f': f, 'g': g}[k]\nfind(name)(1)\n", "find(name)", {("f", 0), ("g", 0)}),
        ("def find(k):\n    return {'f': f, 'g': g}[other]\nfind('f')(1)\n", "find('f')", {("f", 0), ("g", 0)}),
        # methods
        ("A(1).method(2)\n", "A(1).method", {("A.method", 1), ("B.method", 1)}),
        ("B(1).method(2)\n", "B(1).method", {("B.method", 1)}),
        ("B(1).static(2)\n", "B(1).static", {("A.static", 0)}),
        ("A(1).create(2)\n", "A(1).create", {("A.create", 1)}),
        ("A.create(2)\n", "A.create", {("A.create", 1)}),
        ("B.create(2)\n", "B.create", {("A.create", 1)}),
        ("A.static(2)\n", "A.static", {("A.static", 0)}),
        ("B.static(2)\n", "B.static", {("A.static", 0)}),
        ("A.method(A(1), 2)\n", "A.method", {("A.method", 0)}),
        ("B.method(B(1), 2)\n", "B.method", {("B.method", 0)}),
        ("A(1).prop()\n", "A(1).prop", set()),
        ("A(1).missing()\n", "A(1).missing", set()),
        ("unknown.method(2)\n", "unknown.method", set()),
        ("def h(a: A): a.method(2)\n", "a.method", {("A.method", 1), ("B.method", 1)}),
        ("Unrelated.create(1)\n", "Unrelated.create", {("Unrelated.create", 0)}),
        # variables
        ("h = f\nh(1, 2)\n", "h", {("f", 0)}),
        ("h = f if x else g\nh(1)\n", "h", {("f", 0), ("g", 0)}),
        ("h = x or f\nh(1, 2)\n", "h", {("f", 0)}),
        ("h = A(1).method\nh(2)\n", "h", {("A.method", 1), ("B.method", 1)}),
        ("h = A.create\nh(2)\n", "h", {("A.create", 1)}),
        ("h = f(1, 2)\nh()\n", "h", set()),
        ("def k(h=f): h(1, 2)\n", "h", {("f", 0)}),
        ("def k(h): h(1, 2)\n", "h", set()),
        ("h, i = f, g\ni(1)\n", "i", {("g", 0)}),
        ("for h in (f, g): h(1)\n", "h", {("f", 0), ("g", 0)}),
        ("if (h := f): h(1, 2)\n", "h", {("f", 0)}),
        ("h = h2\nh2 = h\nh()\n", "h", set()),
        ("k = None\ndef s():\n    global k\n    k = f\ndef t(): k(1, 2)\n", "k", {("f", 0)}),
        # partial
        ("partial(f, 1)(2)\n", "partial(f, 1)", {("f", 1)}),
        ("functools.partial(f, 1, b=2)()\n", "functools.partial(f, 1, b=2)", {("f", 1)}),
        ("partial(A(1).method, 2)()\n", "partial(A(1).method, 2)", {("A.method", 2), ("B.method", 2)}),
        ("h = partial(A, 1)\nh()\n", "h", {("A", 1)}),
        ("partial(partial(f, 1), 2)()\n", "partial(partial(f, 1), 2)", {("f", 2)}),
        ("partial()()\n", "partial()", set()),
        # tables
        ("T = {'a': A, 'b': B}\nT['a'](1)\n", "T['a']", {("A", 0)}),
        ("T = {'a': A, 'b': B}\nT[x](1)\n", "T[x]", {("A", 0), ("B", 0)}),
        ("T = {'a': A}\nT['c'](1)\n", "T['c']", {("A", 0)}),
        ("T = {'a': A}\nT.get(x)(1)\n", "T.get(x)", {("A", 0)}),
        ("T = {'a': A}\nT.get(x, B)(1)\n", "T.get(x, B)", {("A", 0), ("B", 0)}),
        ("T = [f, g]\nT[1](1)\n", "T[1]", {("g", 0)}),
        ("T = {'a': lambda: 1}\nT['a']()\n", "T['a']", set()),
        ("{'a': f}['a'](1, 2)\n", "{'a': f}['a']", {("f", 0)}),
        ("def k():\n    T = {'a': A}\n    cls = T['a']\n    cls(1)\n", "cls", {("A", 0)}),
        ("T = {}\nT['a'] = A\nT['a'](1)\n", "T['a']", {("A", 0)}),
        ("T: dict[str, type] = {'a': A}\nT['a'](1)\n", "T['a']", {("A", 0)}),
        # getattr, type
        ("getattr(A(1), 'static')(1)\n", "getattr(A(1), 'static')", {("A.static", 0)}),
        ("getattr(B(1), 'method')(1)\n", "getattr(B(1), 'method')", {("B.method", 1)}),
        ("getattr(A(1), name)(1)\n", "getattr(A(1), name)", set()),
        ("import pkg.defs as d\ngetattr(d, 'f')(1, 2)\n", "getattr(d, 'f')", {("f", 0)}),
        ("type(A(1))(2)\n", "type(A(1))", {("A", 0)}),
        ("type('X', (), {})()\n", "type('X', (), {})", set()),
        ("A(1).__class__(2)\n", "A(1).__class__", {("A", 0)}),
        # wrappers
        ("torch.compile(f)(1, 2)\n", "torch.compile(f)", {("f", 0)}),
        ("ray.remote(A).remote(1)\n", "ray.remote(A).remote", {("A", 0)}),
        ("A.options(x=1).remote(1)\n", "A.options(x=1).remote", {("A", 0)}),
        ("lru_cache(f)(1, 2)\n", "lru_cache(f)", {("f", 0)}),
        ("unknown_wrapper(f)(1, 2)\n", "unknown_wrapper(f)", set()),
        # results of functions
        ("def make(): return f\nmake()(1, 2)\n", "make()", {("f", 0)}),
        ("def make() -> type[A]: ...\nmake()(1)\n", "make()", {("A", 0)}),
        ("def make():\n    def inner(x): ...\n    return inner\nmake()(1)\n", "make()", {("make.inner", 0)}),
        ("def make():\n    return A if x else B\nmake()(1)\n", "make()", {("A", 0), ("B", 0)}),
        ("def make(): return A(1)\nmake()(1)\n", "make()", set()),
        # annotations of classes
        ("def h(c: type[A]): c(1)\n", "c", {("A", 0)}),
        ("def h(c: Type['A']): c(1)\n", "c", {("A", 0)}),
        ("def h(c: A): c(1)\n", "c", set()),
        # instances that can be called
        ("class C:\n    def __call__(self, x): ...\nC()(1)\n", "C()", {("C.__call__", 1)}),
        ("class C:\n    def __call__(self, x): ...\nc = C()\nc(1)\n", "c", {("C.__call__", 1)}),
        ("A(1)(2)\n", "A(1)", set()),
    ],
)
def test_what_may_be_called(code: str, text: str, expected: Found) -> None:
    assert resolved(code, text) == expected


SUPER = """
    class Base:
        def run(self): ...
        @classmethod
        def make(cls): ...
    class Mixin:
        def run(self):
            super().run()
    class One(Mixin, Base):
        def run(self):
            super().run()
            super(One, self).run()
            super().missing()
        @classmethod
        def make(cls):
            return super().make()
        def outer(self):
            def inner():
                super().run()
    class Alone:
        def run(self):
            super().run()
"""


def test_super() -> None:
    lab = Lab(SUPER)
    assert lab.callables("super().run") == {("Base.run", 1)}  # in the mixin, by the class that mixes it in
    assert lab.callables("super().run", nth=2) == {("Mixin.run", 1)}
    assert lab.callables("super(One, self).run") == {("Mixin.run", 1)}
    assert lab.callables("super().missing") == set()
    assert lab.callables("super().make") == {("Base.make", 1)}
    assert lab.callables("super().run", nth=3) == {("Mixin.run", 1)}
    assert lab.callables("super().run", nth=4) == set()


SELF = """
    class Factory: ...
    class Other: ...
    def helper(x): ...
    class Base:
        factory = Factory
        factories = {"a": Factory, "b": Other}
        factory_type: type[Factory] = Factory
        function = staticmethod(helper)
        def __init__(self, build):
            self.build = build
            self.helper = helper
            self.other = Other
            self.instance = Factory()
        def run(self):
            self.factory()
            self.factories["a"]()
            self.factory_type()
            self.function(1)
            self.helper(1)
            self.other()
            self.instance()
            self.build()
            self.step()
            self.only_below()
            type(self)(1)
            self.__class__(1)
        @classmethod
        def make(cls):
            cls(1)
            cls.make()
            cls.factory()
            cls.only_below()
        @property
        def chosen(self): return Factory
        def use_chosen(self): self.chosen()
        def step(self): ...
    class Child(Base):
        factory = Other
        def step(self): ...
        def only_below(self): ...
    class Mixin:
        def mixed(self): self.helper(1)
    class User(Mixin, Base): ...
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("self.factory", {("Factory", 0), ("Other", 0)}),
        ('self.factories["a"]', {("Factory", 0)}),
        ("self.factory_type", {("Factory", 0)}),
        ("self.function", {("helper", 0)}),
        ("self.helper", {("helper", 0)}),
        ("self.other", {("Other", 0)}),
        ("self.instance", set()),
        ("self.build", set()),
        ("self.step", {("Base.step", 1), ("Child.step", 1)}),
        ("self.only_below", {("Child.only_below", 1)}),
        ("type(self)", {("Base", 0)}),
        ("self.__class__", {("Base", 0)}),
        ("cls", {("Base", 0)}),
        ("cls.make", {("Base.make", 1)}),
        ("cls.factory", {("Factory", 0), ("Other", 0)}),
        ("self.chosen", {("Factory", 0)}),
    ],
)
def test_through_the_receiver(text: str, expected: Found) -> None:
    lab = Lab(SELF)
    nth = 1
    while True:  # the read, not the write before it
        file, index = lab.file(), nth
        expr, _, _ = lab.place(text, nth=index)
        line = file.source.line(expr.span.line)
        if f"{text}(" in line:
            break
        nth += 1
    assert lab.callables(text, nth=nth) == expected


def test_a_mixin_calls_what_its_users_hold() -> None:
    lab = Lab(SELF)
    expr_places = [n for n in range(1, 5) if "mixed" in lab.file().source.line(_line(lab, n))]
    assert lab.callables("self.helper", nth=expr_places[0]) == {("helper", 0)}


def _line(lab: Lab, nth: int) -> int:
    try:
        return lab.place("self.helper", nth=nth)[0].span.line
    except AssertionError:
        return 0


def test_a_proxy_forwards_methods() -> None:
    lab = Lab(
        """
        class Real:
            def run(self, x): ...
        class Proxy:
            def __init__(self, real: Real): self._real = real
            def __getattr__(self, name): return getattr(self._real, name)
            def own(self): ...
        def f(p: Proxy):
            p.run(1)
            p.own()
            p.missing()
        """
    )
    assert lab.callables("p.run") == {("Real.run", 1)}
    assert lab.callables("p.own") == {("Proxy.own", 1)}
    assert lab.callables("p.missing") == set()


def test_decorated_functions_are_themselves() -> None:
    lab = Lab("@decorator\ndef f(x): ...\n@torch.no_grad()\ndef g(x): ...\nf(1)\ng(1)\n")
    assert lab.callables("f") == {("f", 0)}
    assert lab.callables("g") == {("g", 0)}


def test_long_chains_and_circles_end() -> None:
    lines = ["def f(): ...", "x0 = f", *(f"x{n} = x{n - 1}" for n in range(1, 500)), "x499()", "y = y", "y()"]
    lab = Lab("\n".join(lines))
    lab.callables("x499", nth=2)
    assert lab.callables("x2") == {("f", 0)}
    assert lab.callables("y", nth=3) == set()
