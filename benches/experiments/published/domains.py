"""Abstract domains (ASE 2018; dissertation, chapter 2): tables 2.3, 2.4 and 2.6 to 2.10."""

from .bench import Experiment, table

PAPER = "Bugariu et al., Automatically testing implementations of numerical abstract domains (ASE 2018; dissertation, chapter 2)"
BROKEN, DEAD = "violated", ("error", "timeout")


def only(*laws):
    """Flags for these laws of figure 2.3."""
    return [word for law in laws for word in ("--law", law)]


def search(bench, target, seconds, *more, shown=True):
    """What a search on one target broke: laws of the paper and others, with the seconds, and deaths."""
    name = f"{target.replace('/', '-').replace(':', '-')}-{len(list(bench.folder.iterdir()))}"
    records, _ = bench.campaign(
        name, "domains", "--target", target, "--budget", f"{seconds}s", "--timeout", "2s", *more, shown=shown
    )
    laws = {}
    for record in records:
        if record["answer"] == BROKEN:
            kind, law, _ = record["case"].split("/")
            laws[law] = {"kind": kind, "seconds": record["seconds"]}
    dead = [record["seconds"] for record in records if record["answer"] in DEAD and record["judgement"] == "finding"]
    tested = sum(record["judgement"] != "skipped" for record in records)
    return {"laws": laws, "deaths": len(dead), "died": min(dead, default=None), "tested": tested}


def numbered(bench):
    """The numbers of the laws of figure 2.3."""
    rows = bench.records("rules", "--theory", "domains", "--json", shown=False)
    return {
        row["rule"]: int(row["source"].rsplit(" ", 1)[1])
        for row in rows
        if row.get("source", "").startswith("ASE 2018, figure 2.3,")
    }


ALL = only(*range(1, 47))
# Variant, domain, target here, flags, and #Tests, [S], [P], [E].
TABLE3 = (
    (
        "Double",
        "intervals",
        "apron/boxD",
        ALL,
        (41, 0, 0, 0),
        "the same library, one search for all laws instead of a driver for each",
    ),
    (
        "Double",
        "octagons",
        "apron/octD",
        ALL,
        (46, 0, 3, 0),
        "one search for all laws; violations that the library itself calls possible are counted, as in the paper",
    ),
    (
        "Double",
        "octagons",
        "apron/octD",
        only(17, 22, 23),
        (46, 0, 3, 0),
        "the paper's three violations, searched for alone as by its drivers",
    ),
    (
        "Rll v1",
        "polyhedra",
        "apron/polkaRll",
        (*ALL, "--boundaries", "long"),
        (41, 0, 0, 41),
        "a process that hangs is replaced by another, so the search goes on",
    ),
    (
        "Rll v2",
        "polyhedra",
        "apron/polkaRll",
        (*ALL, "--boundaries", "int"),
        (41, 5, 15, 21),
        "one search for all laws instead of a driver for each",
    ),
    (
        "Rll v3",
        "polyhedra",
        "apron/polkaRll",
        (*ALL, "--boundaries", "none"),
        (41, 5, 19, 4),
        "one search for all laws instead of a driver for each",
    ),
)
PERIOD3 = 20


def table3(bench):
    numbers = numbered(bench)
    return {
        "numbers": numbers,
        "rows": [search(bench, target, PERIOD3, "--soft", *more) for _, _, target, more, *_ in TABLE3],
    }


def split(row, numbers):
    """How many laws of the paper were broken, by class, and which of them."""
    count = {"soundness": 0, "precision": 0, "convergence": 0}
    mine = sorted(numbers[law] for law in row["laws"] if law in numbers)
    for law, broken in row["laws"].items():
        if law in numbers:
            count[broken["kind"]] += 1
    return count, mine


def print3(result):
    rows = []
    for (variant, domain, target, _, then, why), row in zip(TABLE3, result["rows"]):
        count, mine = split(row, result["numbers"])
        shown = f"{count['soundness']} [S] {count['precision']} [P] {count['convergence']} [C], {row['deaths']} kinds of death"
        rows.append(
            [
                variant,
                domain,
                target,
                "{} tests: {} [S] {} [P] {} [E]".format(*then),
                shown,
                ", ".join(map(str, mine)) or "–",
                why,
            ]
        )
    head = [
        "variant",
        "domain",
        "target",
        "published",
        "measured, laws of figure 2.3",
        "which",
        "what differs, and why",
    ]
    return [
        "[S] soundness, [P] precision, [C] convergence, [E] drivers that crashed or did not end. The violated octagon laws "
        "of the paper are 17, 22 and 23.",
        "",
        *table(head, rows, 7),
    ]


KINDS = (
    ("intervals", "interval", "boxMPQ", (5, 4)),
    ("octagons", "octagon", "octMPQ", (6, 5)),
    ("polyhedra", "polyhedron", "polkaMPQ", (6, 5)),
)
BUGS = {
    "interval": (
        "overflow",
        "join-lower",
        "join-bottom",
        "widen-side",
        "widen-both",
        "widen-join",
        "meet-bottom",
        "meet-empty",
        "meet-touch",
        "order-last",
        "equal-lower",
        "project-next",
        "project-first",
        "guard-strict",
        "guard-first",
        "assign-sign",
        "narrow-creep",
        "nearest",
    ),
    "octagon": (
        "assign-unclosed",
        "join-unclosed",
        "not-strong",
        "widen-join",
        "widen-side",
        "project-unclosed",
        "negation",
        "shift",
        "meet-last",
        "order-unclosed",
        "guard-half",
        "empty",
        "join-minimum",
        "join-caches",
        "stale-closure",
        "equal-lazy",
    ),
    "polyhedron": (
        "assign-projects",
        "join-rays",
        "meet-last",
        "project-drops",
        "order-rays",
        "widen-rays",
        "guard-half",
        "adjacency",
        "assign-constant",
    ),
}
# Bugs of machine numbers need a domain over them.
OVER = {"overflow": "interval-int", "nearest": "interval-double"}
PERIOD4 = 1.5


def seeded(domain, bug):
    return f"builtin/{OVER.get(bug, domain)}:{domain}-{bug}"


def table4(bench):
    numbers, rows = numbered(bench), []
    period = int(1000 * PERIOD4)
    for _, domain, exact, _ in KINDS:
        bench.note(
            [
                bench.assay,
                "run",
                "domains",
                "--target",
                f"builtin/{domain}:BUG",
                "--budget",
                f"{period}ms",
                "--timeout",
                "2s",
            ]
        )
        found = {}
        for bug in BUGS[domain]:
            found[bug] = one(bench, seeded(domain, bug), period)
        rows.append({"bugs": found, "exact": search(bench, f"apron/{exact}", 5)})
    return {"numbers": numbers, "rows": rows}


def one(bench, target, period, *more):
    """A short search that no document lists."""
    name = f"{target.replace('/', '-').replace(':', '-')}-{len(list(bench.folder.iterdir()))}"
    records, _ = bench.campaign(
        name, "domains", "--target", target, "--budget", f"{period}ms", "--timeout", "2s", *more, shown=False
    )
    laws = {}
    for record in records:
        if record["answer"] == BROKEN and record["judgement"] == "finding":
            kind, law, _ = record["case"].split("/")
            laws[law] = {"kind": kind, "seconds": record["seconds"]}
    dead = [record["seconds"] for record in records if record["answer"] in DEAD and record["judgement"] == "finding"]
    return {"laws": laws, "deaths": len(dead), "died": min(dead, default=None)}


def is_found(row):
    return bool(row["laws"]) or row["deaths"] > 0


def print4(result):
    rows = []
    for (name, domain, exact, (was, found)), row in zip(KINDS, result["rows"]):
        bugs = row["bugs"]
        missed = [bug for bug, its in bugs.items() if not is_found(its)]
        kinds = [
            broken["kind"] for its in bugs.values() for law, broken in its["laws"].items() if law in result["numbers"]
        ]
        shown = f"{kinds.count('soundness')} [S] {kinds.count('precision')} [P] {kinds.count('convergence')} [C]"
        rows.append(
            [
                name,
                f"{found} of {was}",
                f"{len(bugs) - len(missed)} of {len(bugs)}",
                shown,
                ", ".join(missed) or "–",
                len(row["exact"]["laws"]) + row["exact"]["deaths"],
                "the experts' APRON is unpublished; bugs of the built-in domains",
            ]
        )
    head = [
        "domain",
        "bugs found",
        "found here",
        "laws of figure 2.3 broken",
        "missed",
        "broken in APRON MPQ without a bug",
        "what differs, and why",
    ]
    return table(head, rows, 2)


CONFIGURATIONS = ("C1", "C2", "C3", "C4", "C5", "C6")
# One bug of each table of an expert and domain that is like the published one.
CHOSEN = (
    ("interval", "join-bottom"),
    ("interval", "widen-side"),
    ("interval", "meet-touch"),
    ("octagon", "not-strong"),
    ("octagon", "assign-unclosed"),
    ("octagon", "empty"),
    ("polyhedron", "meet-last"),
    ("polyhedron", "assign-projects"),
    ("polyhedron", "join-rays"),
)
# Violations found and bugs found by C1 to C6, for the experts 1 to 3.
SENSITIVITY = (
    ("2.7", "expert 1", 13, (5, 13, 8, 12, 13, 13), 3, (1, 3, 3, 3, 3, 3)),
    ("2.8", "expert 2", 24, (23, 24, 12, 23, 24, 24), 5, (4, 5, 5, 5, 5, 5)),
    ("2.9", "expert 3", 21, (15, 21, 17, 17, 21, 21), 4, (3, 4, 3, 3, 4, 4)),
)
PERIOD7 = 1500


def table7(bench):
    rows = []
    bench.note(
        [
            bench.assay,
            "run",
            "domains",
            "--target",
            "builtin/DOMAIN:BUG",
            "--configuration",
            "C1..C6",
            "--budget",
            f"{PERIOD7}ms",
            "--timeout",
            "2s",
        ]
    )
    for domain, bug in CHOSEN:
        rows.append([one(bench, seeded(domain, bug), PERIOD7, "--configuration", name) for name in CONFIGURATIONS])
    return {"numbers": numbered(bench), "rows": rows}


def print7(result):
    lines, rows = [], []
    for number, expert, most, tests, bugs, found in SENSITIVITY:
        rows.append([number, f"{expert}: violations (at most {most})", *tests, "the experts' APRON is unpublished"])
        rows.append([number, f"{expert}: bugs (of {bugs})", *found, "the experts' APRON is unpublished"])
    total, caught = [], []
    laws = {
        (at, law)
        for at, row in enumerate(result["rows"])
        for its in row
        for law in its["laws"]
        if law in result["numbers"]
    }
    for column in range(len(CONFIGURATIONS)):
        its = [row[column] for row in result["rows"]]
        total.append(sum(law in result["numbers"] for one in its for law in one["laws"]))
        caught.append(sum(is_found(one) for one in its))
    why = "other bugs, seconds; every search begins with small cases"
    rows.append(["here", f"violations of figure 2.3 (at most {len(laws)})", *total, why])
    rows.append(["here", f"bugs (of {len(CHOSEN)})", *caught, why])
    lines += table(["table", "count", *CONFIGURATIONS, "what differs, and why"], rows, 2)
    return [*lines, "", "Seconds for each law are in [domains-seeded.md](../benches/domains-seeded.md)."]


# Violations found by C2 and by libFuzzer, and bugs, of the three experts: the text of 2.5.5, and table 2.10.
ENGINES = (
    ("C2, guided", ()),
    ("constraints from bytes, guided", ("--configuration", "fuzzing")),
    ("C2, random", ("--engine", "random")),
    ("C2, systematic", ("--engine", "systematic")),
)


# The same with libFuzzer, which is a program of its own (fuzz/engine).
LIBFUZZER = (
    ("C2, libFuzzer", ("--engine", "libfuzzer")),
    ("constraints from bytes, libFuzzer", ("--configuration", "fuzzing", "--engine", "libfuzzer")),
)


def table10(bench, engines=ENGINES):
    rows = []
    for _, more in engines:
        bench.note(
            [
                bench.assay,
                "run",
                "domains",
                "--target",
                "builtin/DOMAIN:BUG",
                *more,
                "--budget",
                f"{PERIOD7}ms",
                "--timeout",
                "2s",
            ]
        )
        rows.append([one(bench, seeded(domain, bug), PERIOD7, *more) for domain, bug in CHOSEN])
    return {"numbers": numbered(bench), "rows": rows}


def print10(result, engines=ENGINES):
    published = {"C2, guided": ("21 of 21", "4 of 4"), "constraints from bytes, guided": ("10 of 21", "3 of 4")}
    published |= {name.replace("guided", "libFuzzer"): row for name, row in published.items()}
    why = {
        "C2, guided": "bugs of the built-in domains instead of expert 3's; our guided engine instead of libFuzzer",
        "constraints from bytes, guided": "the same; up to 50 constraints for each operand, as in the paper's baseline",
        "C2, random": "not in the paper",
        "C2, systematic": "not in the paper",
        "C2, libFuzzer": "bugs of the built-in domains instead of expert 3's; the paper's engine, which sees the coverage of the domain",
        "constraints from bytes, libFuzzer": "the paper's baseline on other bugs",
    }
    laws = {
        (at, law)
        for row in result["rows"]
        for at, its in enumerate(row)
        for law in its["laws"]
        if law in result["numbers"]
    }
    rows = []
    for (name, _), row in zip(engines, result["rows"]):
        broken = sum(law in result["numbers"] for its in row for law in its["laws"])
        times = [
            min([b["seconds"] for b in its["laws"].values()] + ([its["died"]] if its["died"] is not None else []))
            for its in row
            if is_found(its)
        ]
        mean = f"{sum(times) / len(times):.2f}" if times else "–"
        rows.append(
            [
                name,
                *published.get(name, ("–", "–")),
                f"{broken} of {len(laws)}",
                f"{len(times)} of {len(CHOSEN)}",
                mean,
                why[name],
            ]
        )
    head = [
        "technique",
        "violations",
        "bugs",
        "violations here",
        "bugs here",
        "mean s to the first",
        "what differs, and why",
    ]
    return table(head, rows, 3)


EXPERIMENTS = (
    Experiment(
        "domains-table2.3",
        PAPER,
        "Table 2.3: APRON with doubles and 64-bit rationals",
        f"{PERIOD3} s for each variant instead of 750 to 17,700 s for each law",
        table3,
        print3,
    ),
    Experiment(
        "domains-table2.4",
        PAPER,
        "Table 2.4: seeded bugs, and APRON with exact rationals",
        f"{PERIOD4} s for each bug, 5 s for each domain of APRON",
        table4,
        print4,
    ),
    Experiment(
        "domains-tables2.7-2.9",
        PAPER,
        "Tables 2.7 to 2.9: configurations C1 to C6 (table 2.6)",
        f"{len(CHOSEN)} bugs, {PERIOD7 / 1000} s for each configuration",
        table7,
        print7,
    ),
    Experiment(
        "domains-table2.10",
        PAPER,
        "Table 2.10: compared with constraints directly from bytes",
        f"{len(CHOSEN)} bugs, {PERIOD7 / 1000} s for each technique",
        table10,
        print10,
    ),
    Experiment(
        "domains-table2.10-libfuzzer",
        PAPER,
        "Table 2.10 with libFuzzer",
        f"{len(CHOSEN)} bugs, {PERIOD7 / 1000} s for each technique",
        lambda bench: table10(bench, LIBFUZZER),
        lambda result: print10(result, LIBFUZZER),
    ),
)
