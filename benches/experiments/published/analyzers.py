"""C analyzers (constraint-based oracles, ASE 2024): table 3."""

from .bench import Experiment, table

PAPER = "Constraint-based oracles for program analyzers (Minotaur, ASE 2024)"
LOGICS = ("QF_BV", "QF_ABV", "QF_AUFBV")
PERIOD, RUNS = 6, 3
# Target, what is looked for, and which programs.
TARGETS = (
    ("goto-analyzer:vsd-intervals", "missed error", "soundness", "reached"),
    ("cbmc@5.12", "missed error", "soundness", "reached"),
    ("goto-analyzer:vsd-intervals", "false alarm", "imprecision", "safe"),
    ("eva", "false alarm", "imprecision", "safe"),
)
TECHNIQUES = ("Fuzzle", "Fuzzle + SMT", "Minotaur")
# Issue, then minutes and random seeds (of 5) for each technique; none where it cannot be used.
PUBLISHED = (
    (4, "CPAchecker", (None, 0), (6.5, 5), (14.0, 5)),
    (5, "CPAchecker", (None, 0), (7.4, 5), (4.4, 5)),
    (6, "CPAchecker", (None, 0), (1.8, 5), (1.4, 5)),
    (8, "CPAchecker", None, None, (297.1, 5)),
    (10, "ESBMC", (None, 0), (None, 0), (116.2, 5)),
    (11, "ESBMC", (None, 0), (None, 0), (61.4, 5)),
    (12, "ESBMC", (None, 0), (None, 0), (1.1, 5)),
    (13, "ESBMC", (0.9, 5), (None, 0), (1.1, 5)),
    (19, "MOPSA", (None, 0), (None, 0), (5.4, 3)),
    (21, "MOPSA", (None, 0), (None, 0), (6.5, 3)),
    (28, "Ultimate", (None, 0), (None, 0), (None, 0)),
    (29, "Ultimate", (None, 0), (None, 0), (13.1, 5)),
    (31, "Ultimate", (None, 0), (None, 0), (213.2, 2)),
)


def technique(bench, name, truth):
    """How programs are made. Fuzzle's are all unsafe, so it says nothing about precision."""
    seeds = [word for logic in LOGICS for word in ("--seeds", bench.data / "seeds" / logic)]
    if name == "Fuzzle":
        return None if truth == "safe" else ["--unguarded"]
    return [*seeds, "--category", "seed" if name == "Fuzzle + SMT" else "recombine", "--expect", truth]


def table3(bench):
    rows = []
    for target, _, severity, truth in TARGETS:
        cells = []
        for name in TECHNIQUES:
            how = technique(bench, name, truth)
            if how is None:
                cells.append(None)
                continue
            times = [first(bench, target, how, severity, rng) for rng in range(1, RUNS + 1)]
            cells.append([time for time in times if time is not None])
        rows.append(cells)
    return {"rows": rows}


def first(bench, target, how, severity, rng):
    """The seconds until the first confirmed finding of a severity; the search ends with it."""
    name = f"{target}-{severity}-{rng}-{len(list(bench.folder.iterdir()))}".replace(":", "-").replace("@", "-")
    line = [
        "run",
        "programs",
        "--shape",
        "maze",
        "--maze",
        "4x5",
        *how,
        "--target",
        target,
        "--timeout",
        "3s",
        "--budget",
        f"{PERIOD}s",
        "--rng",
        rng,
        "--json",
        "--out",
        bench.folder / name,
        "--jobs",
        1,
    ]
    names = {target: "TARGET", bench.folder / name: "OUT"}
    shown = [names.get(word, word) for word in line]
    shown[line.index("--rng") + 1] = "N"
    bench.note([bench.assay, *shown])
    return bench.first(
        line,
        lambda record: (record.get("finding") or {}).get("severity") == severity
        and record["finding"]["stability"] in ("confirmed", "single"),
    )


def cell(value, unit, runs):
    if value is None:
        return "n/a"
    time, found = value
    return f"{'–' if time is None else f'{time:.1f} {unit}'}, {found}/{runs}"


def print3(result):
    why = "in no registry"
    rows = [
        [f"issue {issue}, {analyzer}", *(cell(value, "min", 5) for value in cells), why]
        for issue, analyzer, *cells in PUBLISHED
    ]
    for (target, what, *_), cells in zip(TARGETS, result["rows"]):
        mine = [
            None if times is None else (sum(times) / len(times) if times else None, len(times)) for times in cells
        ]
        rows.append(
            [
                f"{what}, {target}",
                *(cell(value, "s", RUNS) for value in mine),
                f"an analyzer instead of an issue; {PERIOD} s a run",
            ]
        )
    return [
        "Mean time to the first finding and the runs that had one. Here, an analyzer that installs stands for an issue, with "
        "the seeds of three logics instead of the one seed, and its first finding counts, whatever the cause.",
        "",
        *table(["issue or analyzer", *TECHNIQUES, "what differs, and why"], rows),
    ]


EXPERIMENTS = (
    Experiment(
        "minotaur-table3",
        PAPER,
        "Table 3: time to find an issue, by technique",
        f"{RUNS} runs of at most {PERIOD} s instead of 5 runs of 1000 programs",
        table3,
        print3,
    ),
)
