"""Numbers of things of the whole model or server that groups of ranks share: heads, layers, requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.domains.ranks.groups import factors, spelled
from sgmem.program.files import dotted
from sgmem.syntax import ir

if TYPE_CHECKING:
    from sgmem.models.load import Models
    from sgmem.models.rows import CountRow
    from sgmem.syntax.ir import Expr


class Counts:
    """Recognises counts by the rows of the models."""

    def __init__(self, models: Models) -> None:
        self.models = models

    def named(self, name: str) -> CountRow | None:
        """The row of a bare name."""
        return self.models.counts.find(f"_.{name}") if name else None

    def of(self, expr: Expr) -> CountRow | None:
        """The row of the count that `expr` is, or multiplies: `num_heads * head_dim` has as many parts as there are heads."""
        for factor in factors(expr):
            row = self._leaf(factor)
            if row is not None:
                return row
        return None

    def _leaf(self, expr: Expr) -> CountRow | None:
        match expr:
            case ir.Call(args=args) if spelled(expr) == "getattr" and len(args) > 1 and isinstance(args[1].value, ir.Const):
                return self.named(str(args[1].value.value))
            case ir.Name() | ir.Attribute():
                text = dotted(expr)
                return (self.models.counts.find(text) if text is not None and "." in text else None) or self.named(spelled(expr))
            case ir.Call():
                return self.named(spelled(expr))
            case ir.Boolean(values=values):
                return next((row for value in values if (row := self.of(value)) is not None), None)
            case ir.Conditional(body=body, orelse=orelse):
                return self.of(body) or self.of(orelse)
        return None

    def ranks_of(self, call: ir.Call) -> Expr | None:
        """The argument of a call for one rank's part that says how many ranks share: `get_num_kv_heads(tp_size)`."""
        row = self.named(spelled(call))
        if row is None or row.ranks is None:
            return None
        for place, argument in enumerate(call.args):
            if not argument.star and (argument.keyword == row.ranks or (argument.keyword is None and place == row.ranks)):
                return argument.value
        # The only argument is that number whatever its keyword is.
        return call.args[0].value if len(call.args) == 1 and not call.args[0].star else None
