"""What the shell offers when a value is half typed: rules, formats, and formats with their destination."""

from collections.abc import Callable

Completion = Callable[[str], list[str]]


def rules(incomplete: str) -> list[str]:
    """The names of the installed rules; nothing, rather than an error, where they cannot be loaded."""
    from sgmem.config.errors import SgmemError
    from sgmem.queries.check.rules import all_rules

    try:
        names = [one.name for one in all_rules()]
    except SgmemError:
        return []
    return [name for name in names if name.startswith(incomplete)]


def formats(kind: str) -> Completion:
    """The formats of one kind of result."""

    def complete(incomplete: str) -> list[str]:
        from sgmem.report.registry import format_names

        return [name for name in format_names(kind) if name.startswith(incomplete)]

    return complete


def outputs(kind: str) -> Completion:
    """`FORMAT:` for -o; what follows is a path, which the shell completes itself."""

    def complete(incomplete: str) -> list[str]:
        return [f"{name}:" for name in formats(kind)(incomplete)]

    return complete
