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


def test_a_formula_is_in_the_unit_of_inputs_that_are_known_by_their_birth_alone() -> None:
    files = {
        "start": """
            from prog.sizes import size


            def launch(args):
                before = get_available_gpu_memory(args.device, 0)
                size(before, args)
        """,
        "sizes": """
            def size(amount, args):
                slack = amount * (1 - args.mem_fraction_static)
                return slack
        """,
        **{f"other{number}": "size = 1\n" for number in range(8)},  # a common name: units are not followed to its callers
    }
    formulas = [one for one in traced(files, "amount").formulas if one.target == "slack"]
    assert [one.unit for one in formulas] == ["GiB"]


def test_every_reading_on_the_way_has_the_unit_that_the_models_give_it() -> None:
    files = {
        "utils": """
            def get_device_memory_capacity(device):
                if device == "amd":
                    return get_amdgpu_memory_capacity()
                return get_nvgpu_memory_capacity()


            def get_amdgpu_memory_capacity():
                return ask("amd")


            def get_nvgpu_memory_capacity():
                return ask("nv")
        """,
        "args": """
            from prog.utils import get_device_memory_capacity


            def fraction(device):
                capacity = get_device_memory_capacity(device)
                return (capacity - 512) / capacity
        """,
    }
    readings = [site for site in traced(files, "capacity").sites if site.role == "measurement"]
    assert {site.unit for site in readings} == {"MiB"}


def test_an_input_that_is_a_setting_brought_from_far_has_the_unit_of_the_setting() -> None:
    files = {
        "args": """
            from dataclasses import dataclass


            @dataclass
            class Args:
                hicache_size: int = 0


            def flags(parser):
                parser.add_argument("--hicache-size", type=int)
        """,
        "pools": """
            from prog.args import Args


            class HostPool:
                def __init__(self, host_size, per_token):
                    self.tokens = int(host_size * 1e9 // per_token)


            def build(args: Args, per_token):
                return HostPool(args.hicache_size, per_token)
        """,
        **{f"other{number}": "HostPool = 1\n" for number in range(8)},
    }
    (formula,) = [one for one in traced(files, "host_size").formulas if one.target == "self.tokens"]
    assert {one.name: one.unit for one in formula.inputs}["host_size"] == "GB"


HANDED_DOWN = {
    "pools": """
        class HostPool:
            def __init__(self, pool, {name}):
                if {name} > 0:
                    self.rows = int({name} * 1e9 // pool.row_bytes)


        class WideHostPool(HostPool):
            def __init__(self, pool, {name}):
                super().__init__(pool, {name})
    """,
    "server_args": """
        from dataclasses import dataclass


        @dataclass
        class ServerArgs:
            hicache_size: int = 0
            mem_fraction_static: float = 0.9
    """,
    "start": """
        from prog.pools import WideHostPool
        from prog.server_args import ServerArgs


        def build(pool, server_args: ServerArgs):
            return WideHostPool(pool, server_args.hicache_size)
    """,
    **{f"other{number}": "from prog.pools import WideHostPool\n" for number in range(8)},  # too common to be followed cheaply
}


def handed_down(name: str) -> dict[str, str | None]:
    files = {path: text.replace("{name}", name) for path, text in HANDED_DOWN.items()}
    return {f"{site.role} {site.code}": site.unit for site in traced(files, "hicache_size").sites}


def test_a_setting_keeps_its_unit_where_constructors_hand_it_down_under_another_name() -> None:
    units = handed_down("host_size")
    assert units["pass server_args.hicache_size"] == units["pass host_size"] == units["read host_size"] == "GB"


def test_a_name_that_promises_no_amount_is_not_followed_to_its_callers() -> None:
    assert handed_down("count")["pass count"] is None
