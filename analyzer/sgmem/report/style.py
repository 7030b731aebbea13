"""Names of styles and words of roles. Colour repeats what a word already says; it never says anything alone."""

from __future__ import annotations

TITLE = "bold"
HEADING = "bold"
FAINT = "dim"
CODE = ""
CONDITION = "cyan"
REFERENCE = "magenta"
WARNING = "yellow"
BAD = "bold red"
GOOD = "green"

LABEL_STYLE = {
    "declaration": "blue",
    "write": "yellow",
    "store": "yellow",
    "pass": "blue",
    "read": "green",
    "formula": "magenta",
    "measurement": "magenta",
    "event": "bold",
    "guard": "cyan",
    "sink": "bold",
}

ROLE_WORD = {
    "declaration": "declared",
    "write": "set",
    "store": "stored",
    "pass": "passed",
    "read": "read",
    "formula": "computed",
    "measurement": "measured",
    "event": "event",
    "guard": "checked",
    "sink": "reaches",
}

KIND_WORD = {
    "declared": "declared",
    "default": "default",
    "flag": "flag",
    "derived": "derived",
    "conditional": "override",
    "scoped": "scoped",
    "constructor": "constructed",
    "decided": "decided",
    "copy": "copied",
    "dynamic": "dynamic",
}

SEVERITY_STYLE = {"error": "bold red", "warning": "bold yellow", "note": "bold cyan"}
