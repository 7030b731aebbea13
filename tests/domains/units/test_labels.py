"""Units printed beside values."""

from __future__ import annotations

import pytest
from domains.expressions import expression

from sgmem.domains.units.evidence import Strength
from sgmem.domains.units.labels import labelled
from sgmem.syntax.unparse import text_of


def labels(code: str) -> list[tuple[str, str]]:
    return [(text_of(one.value), str(one.label.unit)) for one in labelled(expression(code))]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ('f"avail={free:.2f} GB, usage={used / 1024:.1f} MiB, {count} things"', [("free", "GB"), ("used / 1024", "MiB")]),
        ('"%d tokens, %.2f GB" % (tokens, size)', [("size", "GB")]),
        ('"%.1f%% of %d bytes" % (share, size)', [("size", "bytes")]),
        ('"{:.2f} GB of {}".format(size, total)', [("size", "GB")]),
        ('logger.info("%s: %.2f GB used", name, size)', [("size", "GB")]),
        ('f"size (GB): {size}, limit_mb={limit}"', [("size", "GB"), ("limit", "MB")]),
    ],
)
def test_a_value_is_read_with_the_unit_beside_it(code: str, expected: list[tuple[str, str]]) -> None:
    assert labels(code) == expected


@pytest.mark.parametrize(
    "code",
    [
        'f"{rate:.1f} GB/s"',
        'f"{rate:.1f} MB per second"',
        'f"{size} GBps"',
        '"%d of %d GB" % size',
        '"%(size)d GB" % sizes',
        'logger.info("%.2f GB", *sizes)',
        'logger.info("100% GB")',
        'f"GB {size}"',
    ],
)
def test_rates_and_templates_that_cannot_be_matched_say_nothing(code: str) -> None:
    assert labels(code) == []


def test_a_label_is_weaker_than_a_name() -> None:
    (found,) = labelled(expression('f"{size} GB"'))
    assert found.label.strength is Strength.LABEL
    assert found.label.unit.loose
