"""Loops in a symbolic execution: gone through where the rounds are known, summed up where each adds the same, else an input."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from sgmem.domains.execution.operations import binary
from sgmem.domains.execution.slice import bound_by, names_in
from sgmem.domains.execution.values import Value, constant
from sgmem.program.classes import assigned
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.domains.execution.execute import End, Frame, Machine
    from sgmem.syntax.ir import Binding, Expr

MAX_ROUNDS = 256


class Loops:
    """Executes loops for a machine."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def run(self, frame: Frame, index: int) -> End:
        """Execute a `for` or `while`; what it sets is not known behind it where neither way is open."""
        if self._leaves_unseen(frame, index):
            return self.forget(frame, index)
        if frame.file.outline.statements[index].kind == "for":
            return self._for(frame, index)
        return self._while(frame, index)

    def _leaves_unseen(self, frame: Frame, index: int) -> bool:
        """Whether a jump inside a loop is left out because nothing that matters stands with it."""
        end = frame.file.outline.statements[index].span.end_line
        jumps = frame.file.own_statements(frame.scope, "break", "continue", "return")
        left_out = (at for at in jumps if at > index and at not in frame.relevant)
        return any(frame.file.outline.statements[at].span.line <= end for at in left_out)

    def _for(self, frame: Frame, index: int) -> End:
        binding = next((one for one in frame.file.statement(index).bindings if one.how == "iterate"), None)
        if binding is None or binding.value is None:
            return self.forget(frame, index)
        items = self._items(binding.value, frame, index)
        if items is not None and len(items) <= MAX_ROUNDS:
            return self._rounds(frame, index, binding.target, items)
        if self._is_even(frame, index, binding):
            self._sum_up(frame, index, binding.value)
            return None
        return self.forget(frame, index)

    def _items(self, iterable: Expr, frame: Frame, index: int) -> tuple[Value, ...] | None:
        """What a loop goes through, where that is known: a list, a range, the numbered items of one."""
        if (
            isinstance(iterable, ir.Call)
            and isinstance(iterable.func, ir.Name)
            and iterable.func.id == "enumerate"
            and len(iterable.args) == 1
        ):
            inner = self.machine.reader.read(iterable.args[0].value, frame, index).items
            if inner is None:
                return None
            pairs = [(constant(iterable.span, Fraction(number)), item) for number, item in enumerate(inner)]
            return tuple(Value(item.expr, (number, item)).after(number, item) for number, item in pairs)
        return self.machine.reader.read(iterable, frame, index).items

    def _rounds(self, frame: Frame, index: int, target: Expr, items: tuple[Value, ...]) -> End:
        from sgmem.domains.execution.execute import Broken, Continued

        for item in items:
            self.machine.bind(frame, index, target, item)
            end = self.machine.block(frame, index, "body")
            if isinstance(end, Broken):
                return None
            if end is not None and not isinstance(end, Continued):
                return end
        return self.machine.block(frame, index, "orelse")

    def _while(self, frame: Frame, index: int) -> End:
        from sgmem.domains.execution.execute import Broken, Continued

        test = frame.file.test(index)
        for _ in range(MAX_ROUNDS):
            holds = self.machine.reader.read(test, frame, index) if test is not None else None
            if holds is None or holds.truth is None:
                return self.forget(frame, index)
            self.machine.tested |= holds.inputs
            if not holds.truth:
                return self.machine.block(frame, index, "orelse")
            end = self.machine.block(frame, index, "body")
            if isinstance(end, Broken):
                return None
            if end is not None and not isinstance(end, Continued):
                return end
        return self.forget(frame, index)

    # -- the same in every round ----------------------------------------------------------------------------------------------

    def _is_even(self, frame: Frame, index: int, loop: Binding) -> bool:
        """Whether each round only adds to, or takes off, locals what does not change from round to round."""
        inside = [at for at in self._inside(frame, index) if at != index]
        changing = {target.id for target in assigned(loop.target) if isinstance(target, ir.Name)}
        for at in inside:
            changing |= bound_by(frame.file.statement(at))
        for at in inside:
            row, statement = frame.file.outline.statements[at], frame.file.statement(at)
            if row.kind != "augment" or row.parent != index or row.block != "body" or len(statement.bindings) != 1:
                return False
            binding = statement.bindings[0]
            if binding.operator not in ("+", "-") or not isinstance(binding.target, ir.Name) or binding.value is None:
                return False
            if names_in(binding.value) & changing:
                return False
        return bool(inside)

    def _sum_up(self, frame: Frame, index: int, iterable: Expr) -> None:
        """Rounds times what each of them adds."""
        rounds = self._count(iterable, frame, index)
        for at in self._inside(frame, index):
            for binding in frame.file.statement(at).bindings:
                if at == index or binding.how != "augment" or not isinstance(binding.target, ir.Name) or binding.value is None:
                    continue
                each = self.machine.reader.read(binding.value, frame, at)
                before = self.machine.reader.read(binding.target, frame, at)
                span = frame.file.statement(at).span
                total = binary(span, binding.operator or "+", before, binary(span, "*", rounds, each))
                frame.locals[binding.target.id] = self.machine.record(frame, at, binding.target.id, total, binding.value)

    def _count(self, iterable: Expr, frame: Frame, index: int) -> Value:
        """How many rounds a loop has: the argument of its range, else the length of what it goes through, as an input."""
        if (
            isinstance(iterable, ir.Call)
            and isinstance(iterable.func, ir.Name)
            and iterable.func.id == "range"
            and len(iterable.args) == 1
        ):
            return self.machine.reader.read(iterable.args[0].value, frame, index)
        text = dotted(iterable) or frame.file.source.slice(iterable.span)
        call = ir.Call(iterable.span, ir.Name(iterable.span, "len"), (ir.Argument(iterable.span, iterable),))
        return self.machine.inputs.opaque(f"len({' '.join(text.split())})", frame.file, index, call)

    # -- not known ------------------------------------------------------------------------------------------------------------

    def _inside(self, frame: Frame, index: int) -> list[int]:
        """The statements of a loop that matter, itself included."""
        rows = frame.file.outline.statements
        end = rows[index].span.end_line
        found = []
        for inner in range(index, len(rows)):
            if rows[inner].span.line > end:
                break
            if rows[inner].scope == frame.scope and inner in frame.relevant:
                found.append(inner)
        return found

    def forget(self, frame: Frame, index: int) -> End:
        """What a loop, or another statement that is not followed, sets is an input behind it."""
        for inner in self._inside(frame, index):
            for name in bound_by(frame.file.statement(inner)):
                leaf = ir.Name(frame.file.outline.statements[inner].span, name)
                frame.locals[name] = self.machine.inputs.local(frame.function, name, frame.file, inner, leaf)
        return None


def _argument_of(call: Expr, name: str) -> Expr | None:
    """The one argument of a call of a builtin function of that name."""
    if isinstance(call, ir.Call) and isinstance(call.func, ir.Name) and call.func.id == name and len(call.args) == 1:
        return call.args[0].value
    return None
