"""Regular expressions (bachelor thesis, 2022): tables 6.1 to 6.6."""

from .bench import Experiment, compared, counts, meant, table

PAPER = "Testing SMT solvers for regular expressions (bachelor thesis, 2022)"
SAMPLE, LIMIT = 80, "400ms"
# Theory, expected answer, transformation of the thesis, our suite and category.
ROWS = (
    ("sat", "operation", "regex", "operation"),
    ("sat", "constant assignment", "regex", "constant-assignment"),
    ("sat", "term synthesis", "regex", "term-synthesis"),
    ("unsat", "const", "regex", "different-result"),
    ("unsat", "constComplexResult", "regex", "complex-different-result"),
    ("unsat", "larger unsat core", "regex", "larger-core"),
    ("sat", "term synthesis, combined", "combined", "term-synthesis"),
    ("unsat", "constComplexResult, combined", "combined", "complex-different-result"),
)
# IM IC S U K T E for each row; 6.4 has no combined ones.
TABLES = {
    "6.1": (
        "Z3-seq 4.8.14",
        "z3@4.8.14:seq",
        "our pool, sampled",
        (
            (0, 0, 11, 0, 0, 0, 0),
            (0, 0, 618, 11, 132, 53, 0),
            (0, 0, 523, 0, 1543, 544, 79),
            (0, 0, 0, 993, 0, 0, 0),
            (0, 0, 0, 1533, 1, 0, 0),
            (0, 0, 0, 0, 1, 80, 0),
            (0, 0, 15, 0, 136, 127, 0),
            (0, 0, 0, 857, 0, 8, 0),
        ),
    ),
    "6.2": (
        "CVC5 0.0.7",
        "cvc5@1.0.3",
        "release 1.0.3, without equations of languages",
        (
            (0, 0, 0, 0, 0, 0, 11),
            (0, 0, 210, 0, 0, 0, 604),
            (0, 0, 53, 0, 0, 0, 2636),
            (0, 0, 0, 35, 0, 0, 958),
            (0, 0, 0, 53, 0, 0, 1481),
            (0, 0, 0, 0, 0, 0, 81),
            (0, 0, 0, 0, 0, 0, 278),
            (0, 0, 0, 24, 0, 0, 841),
        ),
    ),
    "6.3": (
        "Z3str3 4.8.14",
        "z3@4.8.14:z3str3",
        "our pool, sampled",
        (
            (0, 0, 11, 0, 0, 0, 0),
            (190, 0, 615, 1, 8, 0, 0),
            (1797, 0, 556, 0, 320, 16, 0),
            (0, 0, 613, 380, 0, 0, 0),
            (0, 0, 986, 548, 0, 0, 0),
            (0, 0, 13, 68, 0, 0, 0),
            (184, 0, 51, 0, 33, 10, 0),
            (0, 0, 162, 703, 0, 0, 0),
        ),
    ),
    "6.4": (
        "Z3-seq 4.8.9",
        "z3@4.8.9:seq",
        "our pool, sampled",
        (
            (0, 0, 11, 0, 0, 0, 0),
            (44, 0, 566, 5, 49, 150, 0),
            (0, 0, 516, 0, 1188, 960, 25),
            (0, 0, 0, 969, 0, 24, 0),
            (0, 0, 0, 1530, 0, 4, 0),
            (0, 0, 0, 0, 0, 81, 0),
        ),
    ),
}
# Tables 6.5 and 6.6: term synthesis without variables that stand for languages.
WITHOUT = {
    "6.5": ("Z3-seq 4.8.14", "z3@4.8.14:seq", (0, 0, 523, 0, 1543, 544, 79), (1, 0, 1096, 0, 4, 2, 0)),
    "6.6": ("Z3-seq 4.8.9", "z3@4.8.9:seq", (0, 0, 516, 0, 1188, 960, 25), (0, 0, 783, 0, 0, 320, 0)),
}
HEAD = ["transformation", "tests", "published", "tests here", "measured", "what differs, and why"]


def sampled(bench, suite, category, targets):
    """Counts of a category, by target."""
    line = [suite, "--preset", "thesis22", "--category", category, "--sample", SAMPLE, "--timeout", LIMIT]
    named = [word for target in targets for word in ("--target", target)]
    _, summary = bench.campaign(f"{suite}-{category}", *line, *named)
    return {target: counts(summary[meant(target, summary)]["categories"][category]) for target in targets}


def measure(bench):
    targets = [target for _, target, *_ in TABLES.values()]
    return {"rows": [sampled(bench, suite, category, targets) for _, _, suite, category in ROWS]}


def show(result):
    lines = []
    for number, (name, target, why, published) in TABLES.items():
        rows = []
        for (expected, title, *_), measured, then in zip(ROWS, result["rows"], published):
            rows.append([title, *compared(expected, then, measured[target], why)])
        lines += [f"Table {number}: {name}, here {target}", "", *table(HEAD, rows), ""]
    return lines[:-1]


def measure_without(bench):
    targets = [target for _, target, *_ in WITHOUT.values()]
    return {
        "rows": [
            sampled(bench, "regex", category, targets)
            for category in ("term-synthesis", "term-synthesis-no-regex-variables")
        ]
    }


def show_without(result):
    rows = []
    for number, (name, target, *published) in WITHOUT.items():
        for title, then, measured in zip(("with", "without"), published, result["rows"]):
            why = "our pool, sampled"
            rows.append(
                [f"{number}, {name}", f"{title} language variables", *compared("sat", then, measured[target], why)]
            )
    return table(["table", *HEAD], rows, 2)


EXPERIMENTS = (
    Experiment(
        "regex-tables6.1-6.4",
        PAPER,
        "Tables 6.1 to 6.4: answers by transformation",
        f"{SAMPLE} cases of each transformation, sampled uniformly; 0.4 s instead of 15 s a case",
        measure,
        show,
    ),
    Experiment(
        "regex-tables6.5-6.6",
        PAPER,
        "Tables 6.5 and 6.6: variables that stand for languages",
        f"{SAMPLE} cases of each transformation, sampled uniformly; 0.4 s instead of 15 s a case",
        measure_without,
        show_without,
    ),
)
