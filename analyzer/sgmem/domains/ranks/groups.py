"""Which group of ranks a size, the number of a rank, or a communicator belongs to.

A definition says more than a name: `tp_size = get_attention_tp_size()` is the size of the attention group. Only where none is in sight
does the row of the models decide that fits the name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from sgmem.domains.accounting.location import last_name
from sgmem.domains.algebra import arithmetic
from sgmem.flow.order import ENTRY
from sgmem.syntax import ir

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from sgmem.flow.order import Order
    from sgmem.models.load import Models
    from sgmem.program.files import File
    from sgmem.program.program import Program
    from sgmem.syntax.ir import Expr

Kind = Literal["size", "rank", "group", "bound"]
Of = frozenset[str]
"""Names of groups; several for the product of their sizes."""

TENSOR = "tensor parallel group"
ATTENTION = "attention tensor parallel group"
PEERS = "another server's tensor parallel group"
DATA = "data parallel group"
STAGES = "pipeline group"
ALL = "all ranks"
NOTHING: Of = frozenset()

MAX_DEPTH = 6
_WRAPPERS = frozenset({"max", "min", "int", "abs"})
_SIZES_OF_GROUP = frozenset({"world_size", "size"})
_PARTS_OF_GROUP = frozenset({"cpu_group", "device_group", "group"})


class Groups:
    """Answers for one expression in its place; memoised."""

    def __init__(self, program: Program, models: Models, order: Order) -> None:
        self.program = program
        self.models = models
        self.order = order
        self._known: dict[tuple[Expr, Kind], Of] = {}

    def size(self, expr: Expr, file: File, statement: int) -> Of:
        """The groups whose sizes `expr` multiplies; nothing where a factor is no such size."""
        return self._of(expr, "size", file, statement, 0)

    def rank(self, expr: Expr, file: File, statement: int) -> Of:
        """The group in which `expr` numbers a rank."""
        return self._of(expr, "rank", file, statement, 0)

    def bound(self, expr: Expr, file: File, statement: int) -> Of:
        """The group whose ranks have parts that begin or end at `expr`."""
        return self._of(expr, "bound", file, statement, 0)

    def group(self, expr: Expr, file: File, statement: int) -> Of:
        """The group that `expr`, a communicator, stands for."""
        return self._of(expr, "group", file, statement, 0)

    def named(self, name: str, kind: Kind) -> Of:
        """What the models say of a bare name."""
        return next((frozenset({row.group}) for row in self.models.groups.find_all(f"_.{name}") if row.kind == kind), NOTHING)

    def _of(self, expr: Expr, kind: Kind, file: File, statement: int, depth: int) -> Of:
        key = (expr, kind)
        if key not in self._known:
            self._known[key] = NOTHING
            if depth <= MAX_DEPTH:
                self._known[key] = self._find(expr, kind, file, statement, depth + 1)
        return self._known[key]

    def _find(self, expr: Expr, kind: Kind, file: File, statement: int, depth: int) -> Of:
        match expr:
            case ir.Name():
                return self._variable(expr, kind, file, statement, depth)
            case ir.Attribute():
                return self._attribute(expr, kind, file, statement, depth)
            case ir.Call():
                return self._called(expr, kind, file, statement, depth)
            case ir.Conditional(body=body, orelse=orelse):
                return self._first((body, orelse), kind, file, statement, depth)
            case ir.Boolean(values=values):
                return self._first(values, kind, file, statement, depth)
            case ir.Walrus(value=value):
                return self._of(value, kind, file, statement, depth)
            case ir.Binary(operator="*", left=left, right=right) if kind == "size":
                return self._product(left, right, file, statement, depth)
            case ir.Binary(operator="//" | "/" | "%", left=left, right=right):
                return self._share(expr.operator, left, right, kind, file, statement, depth)
        return NOTHING

    def _first(self, values: Iterable[Expr], kind: Kind, file: File, statement: int, depth: int) -> Of:
        """What the alternatives are that are one at all: `dp_size if split else 1`."""
        found = {of for value in values if (of := self._of(value, kind, file, statement, depth))}
        return found.pop() if len(found) == 1 else NOTHING

    def _product(self, left: Expr, right: Expr, file: File, statement: int, depth: int) -> Of:
        sides = (self._of(left, "size", file, statement, depth), self._of(right, "size", file, statement, depth))
        return sides[0] | sides[1] if all(sides) else NOTHING

    def _share(self, operator: str, left: Expr, right: Expr, kind: Kind, file: File, statement: int, depth: int) -> Of:
        """`tp_size // dp_size` is the size of the attention group, `tp_size // nodes` the ranks of the group on one node."""
        whole = self._of(left, kind, file, statement, depth)
        if kind != "size" or operator == "%":
            return whole if operator == "%" or kind == "rank" else NOTHING
        part = self._of(right, "size", file, statement, depth)
        if not part:
            return whole
        return frozenset({ATTENTION}) if whole == {TENSOR} and part == {DATA} else whole - part

    def _variable(self, expr: ir.Name, kind: Kind, file: File, statement: int, depth: int) -> Of:
        if file.binder(expr) is not None:
            return self.named(expr.id, kind)
        scope = file.outline.statements[statement].scope
        found = set()
        for index in sorted(self.order.reaching(file, scope, expr.id, statement) - {ENTRY}):
            for value in given(expr.id, file, index):
                found.add(self._of(value, kind, file, index, depth))
        found.discard(NOTHING)
        return found.pop() if len(found) == 1 else self.named(expr.id, kind)

    def _attribute(self, expr: ir.Attribute, kind: Kind, file: File, statement: int, depth: int) -> Of:
        if (kind == "size" and expr.attr in _SIZES_OF_GROUP) or (kind == "group" and expr.attr in _PARTS_OF_GROUP):
            found = self._of(expr.base, "group", file, statement, depth)
            if found:
                return found
        return self._stored(expr, kind, file, statement, depth) or self.named(expr.attr, kind)

    def _stored(self, expr: ir.Attribute, kind: Kind, file: File, statement: int, depth: int) -> Of:
        found = {self._of(value, kind, source, index, depth) for value, source, index in self.stored(expr, file, statement)}
        found.discard(NOTHING)
        return found.pop() if len(found) == 1 else NOTHING

    def stored(self, expr: ir.Attribute, file: File, statement: int) -> Iterator[tuple[Expr, File, int]]:
        """What the methods of the class around store under a name of their own object, each value with its place."""
        if not isinstance(expr.base, ir.Name):
            return
        function = self.program.calls.inside(file, statement)
        if function is None or function.owner is None or expr.base.id != function.receiver:
            return
        for method, index in self.program.classes.stores(function.owner, expr.attr):
            for binding in method.file.statement(index).bindings:
                if isinstance(binding.target, ir.Attribute) and binding.target.attr == expr.attr and binding.value is not None:
                    yield binding.value, method.file, index

    def _called(self, expr: ir.Call, kind: Kind, file: File, statement: int, depth: int) -> Of:
        last = last_name(expr)
        if last == "getattr" and len(expr.args) > 1 and isinstance(expr.args[1].value, ir.Const):
            return self.named(str(expr.args[1].value.value), kind)
        if last in _WRAPPERS and arithmetic.function_name(expr) is not None:
            return self._first((argument.value for argument in expr.args), kind, file, statement, depth)
        if kind == "size" and isinstance(expr.func, ir.Attribute) and last in _SIZES_OF_GROUP and not expr.args:
            return self._of(expr.func.base, "group", file, statement, depth)
        if kind == "size" and last == "get_world_size" and expr.args:
            return self._of(expr.args[0].value, "group", file, statement, depth)
        return self.named(last, kind)


def factors(expr: Expr) -> Iterator[Expr]:
    """What a product multiplies, the expression itself where it is none."""
    pending = [expr]
    while pending:
        node = pending.pop()
        if isinstance(node, ir.Binary) and node.operator == "*":
            pending += [node.right, node.left]
        else:
            yield node


def given(name: str, file: File, index: int) -> Iterator[Expr]:
    """What a statement gives a variable: plain assignments, element by element where both sides are tuples."""
    for binding in file.statement(index).bindings:
        if binding.value is None or binding.how not in ("assign", "annotate"):
            continue
        if isinstance(binding.target, ir.Name) and binding.target.id == name:
            yield binding.value
        elif isinstance(binding.target, ir.Collection) and isinstance(binding.value, ir.Collection):
            for target, value in zip(binding.target.items, binding.value.items, strict=False):
                if isinstance(target, ir.Name) and target.id == name:
                    yield value


def spelled(expr: Expr) -> str:
    """The last name of a variable, an attribute or what is called; "" for any other expression."""
    match expr:
        case ir.Name(id=name) | ir.Attribute(attr=name):
            return name
        case ir.Call():
            return last_name(expr)
    return ""
