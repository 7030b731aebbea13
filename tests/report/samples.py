"""Invented results in the shape of the golden case: a memory fraction on its way from a flag to the size of a pool."""

from __future__ import annotations

from sgmem.findings.finding import Finding, Step
from sgmem.queries.results.check import CheckResult, RuleInfo
from sgmem.queries.results.trace import (
    AfterConstruction,
    Flow,
    Formula,
    FormulaInput,
    Negative,
    Site,
    SourceInfo,
    Trace,
    Unreadable,
    Unresolved,
)

CONFIG = "serving/config/server_options.py"
WORKER = "serving/managers/worker.py"
RUNNER = "serving/model_executor/runner.py"
SIZING = "serving/model_executor/runner_cache_sizing_mixin.py"
POOL = "serving/memory/token_pool.py"
RECORD = "serving.config.server_options:ServerOptions.mem_fraction_static"
PARAMETER = "serving.model_executor.runner:Runner.__init__.mem_fraction_static"
FIELD = "serving.model_executor.runner:Runner.mem_fraction_static"
TOKENS = "serving.model_executor.runner:Runner.max_total_num_tokens"

SOURCE = SourceInfo(root="/home/user/serving-1.2.3", version="1.2.3", files=2141, analysed=16)


def site(key: str, role: str, path: str, line: int, code: str, slot: str | None = RECORD, **more: object) -> Site:
    """A site on one line; `more` are fields of `Site`."""
    fields: dict[str, object] = {
        "uri": f"python/{path}",
        "column": 9,
        "end_line": line,
        "end_column": 9 + len(code),
        "symbol": "",
        "when": (),
        "derived": False,
        "confidence": "high",
    }
    return Site(id=key, role=role, path=path, line=line, code=code, slot=slot, **(fields | more))  # type: ignore[arg-type]


SITES = (
    site("s1", "declaration", CONFIG, 324, "mem_fraction_static: Optional[float] = None", kind="default", symbol="ServerOptions"),
    site(
        "s2", "declaration", CONFIG, 3138, 'parser.add_argument("--mem-fraction-static", type=float, default=ServerOptions.mem_fraction_static, '
        'help="The fraction of the memory used for static allocation (weights and cache pool).")',
        kind="flag", symbol="ServerOptions.add_cli_args",
    ),
    site(
        "s3", "write", CONFIG, 1059, "self.mem_fraction_static = ( round((gpu_mem - reserved_mem) / gpu_mem, 3) "
        "if gpu_mem is not None else 0.88 )",
        kind="derived", symbol="ServerOptions._handle_memory_settings", when=("self.mem_fraction_static is None",),
    ),
    site(
        "s4", "write", CONFIG, 5517, "self.mem_fraction_static = ( original_fraction * final_overall_factor )", kind="derived",
        symbol="ServerOptions.adjust_for_vision",
        when=(
            "self.mem_fraction_static is None", "model_config.is_multimodal and not self.language_only",
            "vision_config is not None",
        ),
    ),
    site(
        "s5", "write", CONFIG, 1926, "self.mem_fraction_static *= 0.85", kind="conditional",
        symbol="ServerOptions._handle_attention_backend_compatibility",
        when=('self.attention_backend == "aiter"', "model_config.context_len > 8192"),
    ),
    site("s6", "write", CONFIG, 5078, "cls(**{attr: getattr(args, attr) for attr in attrs})", kind="constructor",
         symbol="ServerOptions.from_cli_args"),
    site("s7", "write", "serving/entrypoints/engine.py", 154, "ServerOptions(**kwargs)", kind="constructor",
         symbol="Engine.__init__", confidence="medium", note="an open **kwargs entry: any caller may name the field"),
    site("s8", "read", CONFIG, 5489, "self.mem_fraction_static", symbol="ServerOptions.adjust_for_vision", kind="direct"),
    site("s9", "guard", CONFIG, 1020, "self.mem_fraction_static is None", symbol="ServerOptions._handle_memory_settings"),
    site("s10", "pass", WORKER, 332, "mem_fraction_static=self.server_options.mem_fraction_static", slot=PARAMETER,
         symbol="TensorWorker._init_runner"),
    site("s11", "pass", WORKER, 357, "mem_fraction_static=self.server_options.mem_fraction_static", slot=PARAMETER,
         symbol="TensorWorker._init_layered_draft_runners", when=("self.is_multi_layer_draft",)),
    site("s12", "store", RUNNER, 303, "self.mem_fraction_static = mem_fraction_static", slot=FIELD, kind="copy",
         symbol="Runner.__init__"),
    site("s13", "read", SIZING, 144, "self.mem_fraction_static", slot=FIELD, symbol="RunnerCacheSizingMixin.profile_max_num_token"),
    site("s14", "formula", SIZING, 143, "rest_memory = available_gpu_memory - total_gpu_memory * ( 1 - self.mem_fraction_static )",
         slot="serving.model_executor.runner_cache_sizing_mixin:RunnerCacheSizingMixin.profile_max_num_token.rest_memory",
         symbol="RunnerCacheSizingMixin.profile_max_num_token", derived=True, unit="GiB"),
    site("s15", "formula", SIZING, 149, "int(rest_memory * (1 << 30)) // cell_size",
         slot="serving.model_executor.runner_cache_sizing_mixin:RunnerCacheSizingMixin.profile_max_num_token.<return>",
         symbol="RunnerCacheSizingMixin.profile_max_num_token", derived=True, unit="tokens"),
    site("s16", "store", SIZING, 342, "self.max_total_num_tokens = self.profile_max_num_token(total_gpu_memory)", slot=TOKENS,
         symbol="RunnerCacheSizingMixin.init_memory_pool", derived=True, kind="derived"),
    site("s17", "store", SIZING, 377, "self.max_total_num_tokens = min(self.max_total_num_tokens, max_total_tokens)", slot=TOKENS,
         symbol="RunnerCacheSizingMixin.init_memory_pool", derived=True, kind="conditional",
         when=("max_total_tokens is not None",)),
    site("s18", "store", SIZING, 379, "self.max_total_num_tokens = ( self.max_total_num_tokens // self.server_options.page_size "
         "* self.server_options.page_size )", slot=TOKENS, symbol="RunnerCacheSizingMixin.init_memory_pool", derived=True,
         kind="derived"),
    site("s19", "guard", SIZING, 414, "self.max_total_num_tokens <= 0", slot=TOKENS,
         symbol="RunnerCacheSizingMixin.init_memory_pool", derived=True, note="raises RuntimeError"),
    site("s20", "sink", SIZING, 512, "size=self.max_total_num_tokens", slot="serving.memory.token_pool:TokenPool.__init__.size",
         symbol="RunnerCacheSizingMixin.init_memory_pool", derived=True, when=("self.use_mla_backend",)),
    site("s21", "event", POOL, 88, "torch.empty((size, 1, kv_dim), dtype=dtype, device=device)", slot=None,
         symbol="TokenPool._create_buffers", derived=True),
    site("s22", "read", SIZING, 418, "self.server_options.mem_fraction_static", symbol="RunnerCacheSizingMixin.init_memory_pool",
         when=("self.max_total_num_tokens <= 0",)),
    site("s23", "measurement", RUNNER, 828, "min_per_gpu_memory = get_available_gpu_memory( self.device, self.gpu_id, "
         "distributed=get_world_group().world_size > 1, cpu_group=get_world_group().cpu_group, )", slot=None,
         symbol="Runner.init_torch_distributed", unit="GiB", frame="free memory, minimum over ranks, before load_model"),
    site("s24", "pass", RUNNER, 413, "min_per_gpu_memory", slot=None, symbol="Runner.__init__"),
    site("s25", "pass", RUNNER, 590, "min_per_gpu_memory", slot=None, symbol="Runner.initialize"),
    site("s26", "measurement", SIZING, 117, "available_gpu_memory = get_available_gpu_memory( self.device, self.gpu_id, "
         "distributed=get_world_group().world_size > 1, cpu_group=get_world_group().cpu_group, )", slot=None,
         symbol="RunnerCacheSizingMixin.profile_max_num_token", unit="GiB",
         frame="free memory, minimum over ranks, after load_model"),
    site("s27", "read", "serving/managers/scheduler.py", 731, "self.max_total_num_tokens", slot=TOKENS, derived=True,
         symbol="Scheduler.init_metrics"),
    site("s28", "read", "serving/managers/scheduler.py", 1210, "self.max_total_num_tokens", slot=TOKENS, derived=True,
         symbol="Scheduler.get_stats"),
    site("s29", "formula", CONFIG, 1060, "(gpu_mem - reserved_mem) / gpu_mem", slot=None, derived=False,
         symbol="ServerOptions._handle_memory_settings", when=("self.mem_fraction_static is None", "gpu_mem is not None")),
    site("s30", "measurement", CONFIG, 905, "gpu_mem = get_device_memory_capacity(self.device)", slot=None,
         symbol="ServerOptions.__post_init__", unit="MiB"),
)  # fmt: skip

LINKS = (
    "s1 s8 load, s3 s8 load, s1 s10 load, s3 s10 load, s4 s10 load, s5 s10 load, s6 s10 load, s7 s10 load, s1 s11 load, s6 s11 load, "
    "s2 s6 keyword, s8 s4 operand, s1 s9 load, s6 s9 load, s10 s12 argument, s11 s12 argument, s12 s13 load, s13 s14 operand, "
    "s14 s15 operand, s15 s16 return, s16 s17 operand, s17 s18 operand, s16 s18 operand, s18 s19 load, s18 s20 argument, "
    "s20 s21 argument, s1 s22 load, s5 s22 load, s23 s24 return, s24 s25 argument, s25 s14 operand, s26 s14 operand, s18 s27 load, "
    "s18 s28 load, s30 s29 operand, s29 s3 assign"
)


def flows(links: str) -> tuple[Flow, ...]:
    """Read `from to kind` triples separated by commas."""
    triples = [link.split() for link in links.split(", ")]
    return tuple(Flow(source, target, kind, "high") for source, target, kind in triples)  # type: ignore[arg-type]


FORMULAS = (
    Formula(
        site="s14",
        target="rest_memory",
        text="available_gpu_memory - total_gpu_memory * (1 - self.mem_fraction_static)",
        unit="GiB",
        inputs=(
            FormulaInput("available_gpu_memory", "s26", "GiB", "free memory, minimum over ranks, after load_model"),
            FormulaInput(
                "total_gpu_memory", "s23", "GiB", "free memory, minimum over ranks, before load_model", via=("s25", "s24")
            ),
            FormulaInput("self.mem_fraction_static", "s1", "fraction", via=("s13", "s12", "s10")),
        ),
        negative=Negative(
            "yes",
            "mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory",
            "21.7 - 94 * (1 - 0.55) = -20.6 GiB with available_gpu_memory = 21.7, total_gpu_memory = 94, mem_fraction_static = 0.55",
        ),
        guard="s19",
    ),
    Formula(
        site="s29",
        target="mem_fraction_static",
        text="(gpu_mem - reserved_mem) / gpu_mem",
        unit="fraction",
        inputs=(FormulaInput("gpu_mem", "s30", "MiB"), FormulaInput("reserved_mem", None)),
        negative=Negative("yes", "gpu_mem < reserved_mem"),
    ),
    Formula("s15", "profile_max_num_token()", "int(rest_memory * (1 << 30)) // cell_size", "tokens",
            (FormulaInput("rest_memory", "s14", "GiB"), FormulaInput("cell_size", None)), Negative("unknown"), "s19"),
    Formula("s18", "self.max_total_num_tokens", "self.max_total_num_tokens // page_size * page_size", "tokens",
            (FormulaInput("self.max_total_num_tokens", "s16", "tokens"), FormulaInput("page_size", None)), Negative("no")),
)  # fmt: skip

GOLDEN = Trace(
    parameter="mem_fraction_static",
    source=SOURCE,
    sites=SITES,
    flows=flows(LINKS),
    formulas=FORMULAS,
    after_construction=(
        AfterConstruction(FIELD, "none"),
        AfterConstruction(RECORD, "some", ("s5",)),
        AfterConstruction("serving.tools.bench:Bench.mem_fraction_static", "unknown"),
    ),
    unresolved=(
        Unresolved("serving/plugins/loader.py", 41, "setattr with a name that is not literal"),
        Unresolved("serving/plugins/loader.py", 77, "setattr with a name that is not literal"),
        Unresolved("serving/managers/router.py", 9, "call through a variable: the callee is not known"),
    ),
)

EMPTY = Trace(
    parameter="nothing",
    source=SourceInfo(root="/x", version=None, files=1, analysed=0),
    sites=(),
    flows=(),
    formulas=(),
    after_construction=(),
    unresolved=(),
)

NASTY = "[red]x[/red] \"q\" 's' <b>&amp; \x1b[31m\x00 \u202e\udc80 #1; ] } end\nsecond `tick` \\n $$k$$"
"""Everything that some output format gives a meaning to, in one string."""


def hostile() -> Trace:
    """A trace in which every text that comes from the source is `NASTY`."""
    bad = [
        site("a\"1", "declaration", f"dir/{NASTY}.py", 1, NASTY, slot=f"m:{NASTY}", symbol=NASTY, when=(NASTY,), note=NASTY),
        site("b]2", "store", f"dir/{NASTY}.py", 2, NASTY, slot=f"m:{NASTY}.b", symbol=NASTY, unit=NASTY, frame=NASTY, kind=NASTY),
        site("c", "sink", "日本/文字.py", 3, "割り当て(サイズ)", slot=None),
    ]  # fmt: skip
    return Trace(
        parameter=NASTY,
        source=SourceInfo(NASTY, NASTY, 1, 1, (Unreadable(NASTY, NASTY),)),
        sites=tuple(bad),
        flows=(
            Flow('a"1', "b]2", "store", "low"),
            Flow("b]2", "c", "argument", "medium"),
            Flow("gone", "c", "load", "high"),
        ),
        formulas=(
            Formula(
                "b]2",
                NASTY,
                NASTY,
                NASTY,
                (FormulaInput(NASTY, "gone", NASTY, NASTY),),
                Negative("yes", NASTY, NASTY),
                "gone",
            ),
        ),
        after_construction=(AfterConstruction(NASTY, "some", ("gone",)),),
        unresolved=(Unresolved(NASTY, 7, NASTY),),
    )


def wide() -> Trace:
    """One declaration with 40 readers in 4 files, 20 of which hand the value on, and a chain of 30 hops."""
    top = site("d", "declaration", CONFIG, 1, "limit: int = 4", slot="m:C.limit")
    reads = [site(f"r{n}", "read", f"serving/part{n % 4}.py", n + 1, f"options.limit  # {n}", slot="m:C.limit") for n in range(40)]
    passes = [site(f"p{n}", "pass", f"serving/pass{n}.py", n + 1, f"f{n}(options.limit)", slot=f"m:f{n}.x") for n in range(20)]
    chain = [site(f"c{n}", "pass", "serving/chain.py", n + 1, f"g{n}(x)", slot=f"m:g{n}.x") for n in range(30)]
    links = [f"d {one.id} load" for one in reads + passes]
    links += ["p0 c0 argument", *(f"c{n} c{n + 1} argument" for n in range(29)), "c29 p1 argument"]
    return Trace(
        parameter="limit",
        source=SOURCE,
        sites=(top, *reads, *passes, *chain),
        flows=flows(", ".join(links)),
        formulas=(),
        after_construction=(),
        unresolved=(),
    )


FINDINGS = (
    Finding(
        rule="negative-budget",
        code="SGM201",
        message="rest_memory can be negative: nothing keeps mem_fraction_static above 1 - available_gpu_memory / total_gpu_memory",
        severity="warning",
        confidence="high",
        persona="regular",
        path=SIZING,
        uri=f"python/{SIZING}",
        line=143,
        column=9,
        end_line=145,
        end_column=10,
        symbol="RunnerCacheSizingMixin.profile_max_num_token",
        steps=(
            Step(RUNNER, 828, "total_gpu_memory is measured here, before the weights are loaded", 9,
                 "min_per_gpu_memory = get_available_gpu_memory("),
            Step(RUNNER, 590, "and handed on under another name", 31, "min_per_gpu_memory"),
            Step(SIZING, 117, "available_gpu_memory is measured here, after the weights are loaded", 9,
                 "available_gpu_memory = get_available_gpu_memory("),
            Step(SIZING, 143, "negative when mem_fraction_static < 1 - available_gpu_memory / total_gpu_memory", 9,
                 "rest_memory = available_gpu_memory - total_gpu_memory * ("),
        ),
        fingerprint="0f3a",
        fix="check rest_memory before it is converted to tokens",
    ),
    Finding(
        rule="unit-mismatch",
        code="SGM101",
        message="GiB is compared with MiB",
        severity="error",
        confidence="medium",
        persona="pedantic",
        path=CONFIG,
        uri=CONFIG,
        line=1040,
        column=12,
        end_line=1040,
        end_column=40,
        symbol="ServerOptions._handle_memory_settings",
        steps=(),
        fingerprint="77aa",
    ),
)  # fmt: skip

CHECKED = CheckResult(findings=FINDINGS, suppressed=1, baselined=2, source=SOURCE)
CLEAN = CheckResult(findings=(), suppressed=0, baselined=0, source=SOURCE)

RULES = [
    RuleInfo(
        "unit-mismatch",
        "SGM101",
        "Two units meet in one expression",
        "# unit-mismatch\n\nTwo units [meet].\n",
        "error",
        "regular",
    ),
    RuleInfo(
        "negative-budget",
        "SGM201",
        "A budget can be negative",
        "# negative-budget\n\nA budget.\n",
        "warning",
        "regular",
    ),
]
