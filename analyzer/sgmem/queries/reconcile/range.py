"""Which fraction would work, and which of the opposite out-of-memory cases a log shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgmem.queries.results.reconcile import FractionRange, OutOfMemory
from sgmem.serverlog.rows import rows

if TYPE_CHECKING:
    from sgmem.queries.reconcile.quantities import Figures
    from sgmem.queries.reconcile.verdict import Judged
    from sgmem.serverlog.boots import Boot
    from sgmem.serverlog.formula import BudgetFormula


POOLED = ("pool.size", "free.after-pool")


def out_of_memory(boot: Boot, figures: Figures, judged: Judged) -> OutOfMemory | None:
    """The failure that a start ended with, if it did."""
    no_pool = boot.of("mark.no-pool")
    if no_pool and boot.of("mark.oom"):
        tried = _tried(boot, no_pool[0].number), _tried(boot, boot.of("mark.oom")[0].number)
        if None not in tried and tried[0] != tried[1]:
            text = (
                f"at {tried[0]:g} the pools have no room, at {tried[1]:g} what runs beside them has none: no fraction serves both."
                " Take a smaller draft, fewer or no graphs, smaller prefill chunks, more ranks or a quantized model, then try between"
                " the two"
            )
            return OutOfMemory("runtime", text, no_pool[0].number)
    profiled = figures.quantities.profiled_tokens
    if no_pool and any(one.kind in POOLED and one.number < no_pool[0].number for one in boot.readings):
        text = (
            "the target's pools stand; the error is a second model's, a draft's, which is sized out of what the target left. Whatever"
            " the message says, a lower fraction leaves more for it; a smaller draft or a limit on tokens does so too"
        )
        return OutOfMemory("runtime", text, no_pool[0].number)
    if no_pool or (profiled is not None and profiled <= 0):
        line = no_pool[0].number if no_pool else next(one.number for one in boot.of("tokens.profiled") if one.value <= 0)
        return OutOfMemory("pool", "the pool cannot be built: the fraction leaves nothing after the weights. Raise it", line)
    allocator = boot.of("mark.oom")
    if not allocator:
        return None
    first = allocator[0]
    before = [one for one in boot.readings if one.number < first.number]
    if any(one.kind in (*POOLED, "free.before-capture", "tokens.total", "mark.before-capture") for one in before):
        text = "the pools stand and what runs beside them does not fit: graphs, activations, workspaces. Lower the fraction"
        return OutOfMemory("runtime", text, first.number)
    if any(one.kind == "free.after-weights" for one in before) or not any(one.kind == "free.before-weights" for one in before):
        text = "memory ran out while the pools were allocated: something beside them took it. Lower the fraction"
        return OutOfMemory("runtime", text, first.number)
    return OutOfMemory(
        "weights", "the weights do not fit: no fraction changes that. Use more ranks, quantization or offload", first.number
    )


def _tried(boot: Boot, number: int) -> float | None:
    """The fraction that the line of an error names beside it."""
    return next((one.value for one in boot.settings if one.name == rows().fraction and one.number == number), None)


def fraction_range(boot: Boot, figures: Figures, judged: Judged, formula: BudgetFormula, oom: OutOfMemory | None) -> FractionRange:
    """The fractions that would work, with the arithmetic."""
    found = figures.quantities
    if found.pre_load is None or found.post_load is None or not found.pre_load:
        return FractionRange(None, None, "free memory before or after the weights is not in the log")
    low, texts = _low(boot, figures, formula)
    high, why = _high(boot, figures, judged)
    if why:
        texts.append(why)
    if low is not None and high is not None and low >= high:
        return FractionRange(None, None, "none on this card: " + "; ".join(texts), none=True)
    if low is not None and low >= 1:
        return FractionRange(None, None, "none on this card: " + "; ".join(texts), none=True)
    return FractionRange(_four(low), _four(high), "; ".join(texts))


def _low(boot: Boot, figures: Figures, formula: BudgetFormula) -> tuple[float | None, list[str]]:
    found = figures.quantities
    assert found.pre_load is not None and found.post_load is not None
    needed, of_what = 0.0, "the weights alone"
    whole = ""
    if found.kv is not None and found.tokens and found.context and found.kv > 0:
        full = found.kv * found.context / found.tokens
        if found.context <= found.tokens:
            needed = full
            of_what = f"the weights and {found.context} tokens ({needed:.2f} GiB), one request of full length"
        else:
            least = formula.fraction(found.post_load, found.pre_load, full)
            room = f"needs above {least:.4f}" if least is not None and least < 1 else "does not fit at any fraction"
            whole = f"one request of full length, {found.context} tokens or {full:.2f} GiB, {room}"
    low = formula.fraction(found.post_load, found.pre_load, needed)
    if low is None:
        return None, []
    shown = f"{found.post_load:.2f}" if not needed else f"({found.post_load:.2f} - {needed:.2f})"
    drafts = [one.value for one in boot.of("used.draft")]
    with_draft = formula.fraction(found.post_load - max(drafts), found.pre_load, needed) if drafts else None
    more = [f"above {with_draft:.4f} with the draft's weights of {max(drafts):.2f} GiB"] if with_draft is not None else []
    more += [whole] if whole else []
    return max(low, 0.0), [f"above {low:.4f} = 1 - {shown} / {found.pre_load:.2f}, for {of_what}", *more]


def _high(boot: Boot, figures: Figures, judged: Judged) -> tuple[float | None, str]:
    """The fraction at which what the log shows outside the static part just fits; activations that it does not show need more."""
    found = figures.quantities
    assert found.pre_load is not None
    fraction = judged.fraction
    if fraction is None:
        return None, ""
    tried = [one.value for one in boot.of("oom.tried")]
    if tried:
        left = [one.value for one in boot.of("oom.free")]
        lacking = max(tried[0] - (left[0] if left else 0.0), 0.0)
        shown = f"({tried[0]:.2f} wanted - {left[0] if left else 0.0:.2f} free) / {found.pre_load:.2f}"
        high = fraction - lacking / found.pre_load
        return high, f"below {high:.4f} = {fraction:g} - {shown}, by the allocation that failed"
    if found.end is None or judged.verdict not in ("consistent", "capped"):
        return None, ""
    if judged.verdict == "capped":
        return None, "a limit on tokens binds, so the fraction decides nothing until it is lifted"
    if not boot.of("free.after-capture", "free.during-capture", "free.ready"):
        return None, "what graphs and activations take is not in the log, so the upper end is open"
    used = max(found.pre_load * (1 - fraction) - found.end, 0.0)
    high = 1 - used / found.pre_load
    text = (
        f"below {high:.4f} = 1 - {used:.2f} / {found.pre_load:.2f}: {used:.2f} GiB were in use outside the static part;"
        " leave room for activations"
    )
    return high, text


def _four(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
