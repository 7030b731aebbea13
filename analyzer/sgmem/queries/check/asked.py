"""What a check is asked, from the settings and the command line together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from sgmem.queries.options import CheckOptions, FileIgnores, NamedRule

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sgmem.config.load import Configuration
    from sgmem.config.settings import Confidence, Persona
    from sgmem.findings.baseline import Baseline
    from sgmem.findings.finding import Severity


def check_options(
    found: Configuration,
    *,
    persona: Persona | None = None,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    min_confidence: Confidence | None = None,
    baseline: Baseline | None = None,
    fail_on: Severity | None = None,
) -> CheckOptions:
    """The options of a check. What is selected on the command line replaces the settings' choice of rules, what is ignored
    there comes on top.
    """
    settings = found.settings
    off = [name for name, level in settings.rules.items() if level == "off"]
    return CheckOptions(
        persona=persona or settings.persona,
        select=tuple(select) or settings.select,
        ignore=(*ignore,) if select else (*settings.ignore, *off, *ignore),
        min_confidence=min_confidence or settings.min_confidence,
        levels=tuple((name, level) for name, level in settings.rules.items() if level != "off"),
        file_ignores=tuple(_file_ignores(found)),
        named=tuple(_named(found)),
        fail_on=fail_on or settings.fail_on,
        baseline=baseline,
        stale=settings.stale_baseline,
        own=found.own_models,
    )


def _file_ignores(found: Configuration) -> Iterator[FileIgnores]:
    """The rules to leave out by file. Raises UsageError for a pattern that is none."""
    for pattern, rules in found.settings.per_file_ignores.items():
        import pathspec

        try:
            pathspec.PathSpec.from_lines("gitignore", [pattern])
        except ValueError:
            message = f"{pattern!r} is no pattern of files"
            raise found.error(message, "per-file-ignores", pattern, hint="it is written as in a .gitignore") from None
        yield FileIgnores(pattern, rules)


def _named(found: Configuration) -> Iterator[NamedRule]:
    """The rules that the settings name, each with its place."""
    settings = found.settings
    for key, names in (("select", settings.select), ("ignore", settings.ignore)):
        yield from (NamedRule(name, found.origin(key)) for name in names)
    yield from (NamedRule(name, found.origin("rules", name)) for name in settings.rules)
    for pattern, rules in settings.per_file_ignores.items():
        yield from (NamedRule(name, found.origin("per-file-ignores", pattern)) for name in rules)


def question(options: CheckOptions) -> tuple[object, ...]:
    """What of the options decides the findings before any is left out: by it a result is remembered."""
    return (options.select, options.ignore, tuple(one.name for one in options.named))


def with_store(options: CheckOptions, **session: object) -> CheckOptions:
    return msgspec.structs.replace(options, **session)
