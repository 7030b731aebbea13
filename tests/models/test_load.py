"""The model files: they load, mean what the releases mean, and refuse mistakes with the place of the mistake."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from sgmem.domains.units.unit import parse_unit
from sgmem.models.load import ModelError, Models, load_models, read_rows

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def models() -> Models:
    return load_models()


def test_every_unit_can_be_read(models: Models):
    for row in models.units.rows:
        parse_unit(row.unit, row.scope)
    for measurement in models.measurements.rows:
        for result in measurement.results:
            assert parse_unit(result.unit).is_amount


def test_every_row_says_where_its_fact_comes_from(models: Models):
    for table in (models.units, models.measurements, models.events, models.sinks):
        assert table.rows
        assert all(len(row.why) > 10 for row in table.rows)


def test_no_row_is_hidden_by_an_earlier_one(models: Models):
    for table in (models.units, models.measurements, models.events, models.sinks):
        for row in table.rows:
            example = row.names[0].replace("**.", "m.").replace("**", "m").replace("*", "X")
            assert table.find(example) is row, example


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("self.server_args.mem_fraction_static", "fraction"),
        ("pkg.srt.server_args:ServerArgs.cpu_offload_gb", "GiB"),
        ("server_args.hicache_size", "GB"),
        ("pkg.srt.server_args:ServerArgs._handle_gpu_memory_settings.reserved_mem", "MiB"),
        ("self.get_cell_size_per_token", "bytes/token"),
        ("tensor.nbytes", "bytes"),
        ("k.element_size", "bytes/element"),
        ("props.total_memory", "bytes"),
        ("self.page_size", "tokens/page"),
    ],
)
def test_units(models: Models, name: str, unit: str):
    row = models.units.find(name)
    assert row is not None
    assert row.unit == unit


def test_counts_only_inform(models: Models):
    counts = [row for row in models.units.rows if parse_unit(row.unit).is_count and "SGLang" in row.why]
    assert counts
    assert all(row.hint for row in counts)


@pytest.mark.parametrize(
    ("name", "kind", "effect", "where"),
    [
        ("self.load_model", "load-weights", "allocates", "device"),
        ("pkg.model_loader:get_model", "load-weights", "allocates", "device"),
        ("init_distributed_environment", "communicator", "allocates", "device"),
        ("initialize_model_parallel", "communicator", "allocates", "device"),
        ("CustomAllreduce", "communicator", "allocates", "device"),
        ("self.init_memory_pool", "pool", "allocates", "device"),
        ("self.alloc_memory_pool", "pool", "allocates", "device"),
        ("pkg.pool:MHATokenToKVPool.__init__", "pool", "allocates", "device"),
        ("MHATokenToKVPoolHost", "pool", "allocates", "host"),
        ("self.init_cuda_graphs", "graph-capture", "allocates", "device"),
        ("self.capture", "graph-capture", "allocates", "device"),
        ("torch.cuda.graph", "graph-capture", "allocates", "device"),
        ("torch.cuda.empty_cache", "empty-cache", "frees", "device"),
        ("torch.get_device_module().empty_cache", "empty-cache", "frees", "device"),
        ("gc.collect", "collect", "frees", "device"),
        ("torch.zeros", "tensor", "allocates", "device"),
        ("torch:empty", "tensor", "allocates", "device"),
        ("self.release_memory_occupation", "release", "frees", "device"),
        ("get_offloader().post_init", "offload", "frees", "device"),
    ],
)
def test_events(models: Models, name: str, kind: str, effect: str, where: str):
    row = models.events.find(name)
    assert row is not None
    assert (row.kind, row.effect, row.where) == (kind, effect, where)


@pytest.mark.parametrize(
    "name",
    [
        "load_model_config",
        "get_model",
        "ThreadPool",
        "multiprocessing.Pool",
        "np.zeros",
        "config.post_init",
        "self.capture_mode",
        "graph",
    ],
)
def test_no_event(models: Models, name: str):
    assert models.events.find(name) is None


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("torch.empty", "tensor"),
        ("ReqToTokenPool", "pool"),
        ("pkg.a:PagedTokenToKVPoolAllocator.__init__", "allocator"),
        ("x.new_zeros", "tensor"),
    ],
)
def test_sinks(models: Models, name: str, kind: str):
    row = models.sinks.find(name)
    assert row is not None
    assert row.kind == kind


def test_rows_are_found_by_their_last_name(models: Models):
    assert [row.names[0] for row in models.measurements.rows_for_name("mem_get_info")] == ["torch.**:mem_get_info"]
    assert models.measurements.rows_for_name("nothing") == ()
    assert any(row.kind == "pool" for row in models.events.rows_for_name("TokenToKVPool"))
    assert "mem_get_info" in models.measurements.words
    assert "*Pool" in models.events.word_patterns


def test_a_whole_result_and_its_parts(models: Models):
    row = models.measurements.find("torch.cuda.mem_get_info")
    assert row is not None
    assert row.result() is None
    assert [row.result(index=index).quantity for index in (0, 1)] == ["free", "total"]  # type: ignore[union-attr]


def test_extra_files_come_first_and_change_the_digest(tmp_path: Path, models: Models):
    extra = tmp_path / "fork.toml"
    extra.write_text('[[event]]\nnames = ["**:*.load_model"]\nkind = "pool"\neffect = "none"\nwhy = "a fork of ours"\n')
    changed = load_models([extra])
    row = changed.events.find("self.load_model")
    assert row is not None
    assert row.why == "a fork of ours"
    assert changed.digest != models.digest
    assert load_models().digest == models.digest


GOOD = 'names = ["**:f"]\nkind = "tensor"\nwhy = "because"\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"[[sink]]\n{GOOD}size = [0]\n", r"\[\[sink\]\] row 1 \(\*\*:f\): Object contains unknown field `size`"),
        (
            f"[[sink]]\n{GOOD}\n[[sink]]\n{GOOD.replace('tensor', 'sensor')}",
            r"row 2 \(\*\*:f\): Invalid enum value 'sensor'",
        ),
        (f"[[sinks]]\n{GOOD}", r"unknown table \[\[sinks\]\]"),
        (f"[sink]\n{GOOD}", r"must be written as \[\[sink\]\]"),
        ("[[sink]]\nkind = 'tensor'\nwhy = 'x'\n", "missing required field `names`"),
        (f"[[sink]]\n{GOOD.replace('**:f', 'f')}", "not of the form"),
        (f"[[sink]]\n{GOOD}unless = ['x']\n", "not of the form"),
        ("[[sink]]\nnames = []\nkind = 'tensor'\nwhy = 'x'\n", "names is empty"),
        ("[[sink]]\nnames = 'f'\nkind = 'tensor'\nwhy = 'x'\n", "Expected `array`"),
        ("[[sink]\n", "fork.toml"),
        ("sink = 3\n", "must be written"),
    ],
)
def test_mistakes_are_named_with_their_place(text: str, message: str):
    with pytest.raises(ModelError, match=message) as caught:
        read_rows(text.encode(), "fork.toml")
    assert "fork.toml" in str(caught.value)


def test_bytes_that_are_no_text_are_refused():
    with pytest.raises(ModelError, match=r"fork\.toml"):
        read_rows(b"\xff\xfe", "fork.toml")


def test_a_missing_file_is_named(tmp_path: Path):
    with pytest.raises(ModelError, match=r"none\.toml: No such file"):
        load_models([tmp_path / "none.toml"])
