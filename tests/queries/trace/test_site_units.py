"""The unit that a trace shows at its sites."""

from __future__ import annotations

from flow.small import traced

PROGRAM = """
    import torch


    class Runner:
        def __init__(self, slack_gb: float):
            self.slack_gb = slack_gb

        def profile(self, share):
            free = torch.cuda.mem_get_info()[0]
            free = free / (1 << 30)
            rest = free - self.slack_gb
            budget = rest * share
            return budget


    def thing(total, share, budget):
        part = total * (1 - share)
        return part + budget
"""


def units_at(name: str) -> dict[str, str | None]:
    return {f"{site.role} {site.code}": site.unit for site in traced(PROGRAM, name).sites}


def test_every_site_of_a_field_has_the_unit_that_its_name_spells() -> None:
    units = units_at("slack_gb")
    assert units["declaration slack_gb: float"] == "GB"
    assert units["store self.slack_gb = slack_gb"] == "GB"
    assert units["read self.slack_gb"] == "GB"


def test_a_variable_that_is_converted_in_place_has_no_single_unit() -> None:
    units = units_at("free")
    assert units["write free = free / (1 << 30)"] == "GiB"
    assert "GiB" not in {unit for site, unit in units.items() if site.startswith("write free = torch")}


def test_a_share_of_an_unknown_amount_is_not_called_a_share() -> None:
    assert not {unit for unit in units_at("total").values() if unit is not None}
