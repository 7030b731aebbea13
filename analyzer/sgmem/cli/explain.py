"""`sgmem explain TARGET`."""

from typing import Annotated

import typer

from sgmem.cli.shared import Given, reporting

EPILOG = """\b
Examples:
  sgmem explain rest_memory --set mem_fraction_static=0.55 --set ...
  sgmem explain rest_memory --set ... --observed rest_memory=10.42
  sgmem explain mem_fraction_static --set gpu_mem=24GiB --set tp_size=8
  sgmem explain max_total_num_tokens --source sglang==VERSION --set ...

\b
Numbers: 94, 94GiB, 8192tokens. One with a decimal point may be off by half a
unit of its last digit (10.42 is 10.415 to 10.425), a whole number is exact.
GB, MB and KB are powers of 1024, as SGLang's logs print them.
Flags and names: true, false, none, or text.
"""


@reporting("explain")
def explain(
    target: Annotated[
        str,
        typer.Argument(metavar="TARGET", help="A variable, field or function result that a formula computes."),
    ],
    given: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="The value of an input, or of anything on the way. May be repeated."),
    ] = None,
    observed: Annotated[
        str | None,
        typer.Option("--observed", metavar="TARGET=VALUE", help="What the target really was: find the input that cannot be right."),
    ] = None,
    exact: Annotated[bool, typer.Option("--exact", help="Numbers with a decimal point are exact, not rounded.")] = False,
    *,
    shared: Given,
) -> int:
    """Put numbers into a formula of the source: its value step by step, its thresholds, and which number cannot be right."""
    from sgmem.cli.session import finish, opened, settle
    from sgmem.queries.options import ExplainOptions

    settled = settle(shared)
    with opened(settled) as session:
        from sgmem.queries.explain.query import explain as query

        asked = ExplainOptions(
            given=tuple(given or ()), observed=observed, exact=exact, store=session.store, progress=session.progress,
            own=settled.configuration.own_models,
        )  # fmt: skip
        result = query(session.tree, target, asked)
    contradicts = result.observed is not None and result.observed.consistent is False
    return finish(result, result.source, settled, 1 if contradicts else 0)
