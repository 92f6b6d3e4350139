"""Triggering terms (FM 2021; dissertation, chapter 4): tables 4.1 to 4.3."""

import re
import subprocess
from pathlib import Path

from .bench import Experiment, table

PAPER = "Bugariu et al., Identifying overly restrictive matching patterns (FM 2021; dissertation, chapter 4)"
SOLVER = "z3@4.8.10"
CONFIGURATIONS = ("C0", "C1", "C2", "C3", "C4")
LIMIT, LIMIT_ALL, LIMIT_CVC4 = 2.5, 8, 3
# Source, its files, files solved by C0 to C4, by any of them, and refuted by MBQI, CVC4 and Vampire.
TABLE1 = (
    ("Dafny", 4, (1, 1, 1, 1, 0), 1, 1, 0, 2),
    ("F*", 2, (1, 1, 1, 1, 2), 2, 1, 0, 2),
    ("Gobra", 11, (5, 10, 1, 7, 10), 11, 6, 0, 11),
    ("Viper", 15, (7, 5, 3, 5, 5), 7, 11, 0, 15),
)
TABLE2 = (
    ("Spec#", 33, (16, 16, 14, 16, 15), 16, 16, 0, 29),
    ("VCC/Havoc", 14, (11, 9, 5, 11, 9), 11, 12, 0, 14),
    ("Simplify", 1, (0, 0, 0, 0, 0), 0, 1, 0, 0),
    ("BWI", 13, (1, 1, 2, 1, 1), 2, 12, 0, 12),
)
FOLDERS = {"Dafny": "dafny", "F*": "fstar", "Gobra": "gobra", "Viper": "viper"}


def verifiers(bench):
    """The files of each verifier, every second one of the largest families."""
    files = {
        name: sorted((bench.data / "triggers" / "verifiers" / folder).glob("*.smt2"))
        for name, folder in FOLDERS.items()
    }
    return {name: its[::2] if len(its) > 4 else its for name, its in files.items()}


def examples(bench):
    """The chapter's examples, and one file of each verifier."""
    files = sorted((bench.data / "triggers" / "paper").glob("*.smt2"))
    return {"examples of the chapter": files[::3]} | {name: its[:1] for name, its in verifiers(bench).items()}


def competition(bench):
    """Some of SMT-COMP's files, by the sets of the paper as far as their names tell."""
    files = sorted((bench.data / "triggers" / "smt-comp").glob("*.smt2"))
    of = lambda *words: [file for file in files if any(word in file.name for word in words)]
    return {
        "Spec#": of("specsharp-WindowsCard.4", "textbook"),
        "VCC/Havoc": of("havoc", "verisoft-memvirt"),
        "Simplify": of("javafe"),
        "others": of("Quantifiers_Q", "x2015_09_10_17"),
    }


def refuted(bench, files, config, seconds):
    """Which files a configuration refutes by terms, and in how many seconds."""
    bench.note(
        [
            bench.assay,
            "trigger",
            "--target",
            SOLVER,
            *(["--config", config] if config else []),
            "--timeout",
            f"{seconds}s",
            "FILE",
        ]
    )
    outcomes = []
    for file in files:
        more = ["--config", config] if config else []
        line = [
            "trigger",
            "--json",
            "--jobs",
            1,
            "--target",
            SOLVER,
            *more,
            "--timeout",
            f"{round(1000 * seconds)}ms",
            file,
        ]
        records = bench.records(*line, shown=False)
        outcomes.append(
            {"file": Path(file).stem, "outcome": records[-1]["outcome"], "seconds": records[-1]["seconds"]}
        )
    return outcomes


def with_configurations(bench, families):
    result = {}
    for name, files in families.items():
        rows = {config: refuted(bench, files, config, LIMIT) for config in CONFIGURATIONS}
        rows["all"] = refuted(bench, files, None, LIMIT_ALL)
        result[name] = {"files": len(files), "rows": rows}
    return {"families": result}


def solved(outcomes):
    return sum(outcome["outcome"] in ("refuted", "already-refuted") for outcome in outcomes)


def print_configurations(published):
    def show(result):
        rows, then = [], {row[0]: row for row in published}
        for name, family in result["families"].items():
            _, files, configs, best, *_ = then.get(name, (name, "–", ("–",) * 5, "–"))
            mine = [solved(family["rows"][config]) for config in CONFIGURATIONS]
            any_of = len(
                {
                    o["file"]
                    for config in CONFIGURATIONS
                    for o in family["rows"][config]
                    if o["outcome"] in ("refuted", "already-refuted")
                }
            )
            why = f"{family['files']} files, {LIMIT} s, too short for most"
            if name not in then:
                why = "not in the paper; " + why
            rows.append(
                [name, files, *configs, best, family["files"], *mine, any_of, solved(family["rows"]["all"]), why]
            )
        here = [f"{name} here" for name in CONFIGURATIONS]
        return table(
            [
                "source",
                "files",
                *CONFIGURATIONS,
                "any",
                "files here",
                *here,
                "any here",
                "default here",
                "what differs, and why",
            ],
            rows,
        )

    return show


def runs(bench, target, flags, files, seconds):
    """How many files a solver refutes."""
    bench.note([target, *flags, "FILE"])
    program, found = bench.program(target), 0
    for file in files:
        # The files turn model-based instantiation off.
        text = re.sub(r"\(set-option :smt\.[^)]*\)", "", file.read_text())
        if "(check-sat)" not in re.sub(r";[^\n]*", "", text):
            text += "\n(check-sat)\n"
        copy = bench.folder / file.name
        copy.write_text(text)
        try:
            line = [program, *flags, str(copy)]
            done = subprocess.run(line, capture_output=True, text=True, timeout=seconds + 2)
            found += "unsat" in done.stdout.splitlines()
        except subprocess.TimeoutExpired:
            pass
    return found


def provers(bench):
    """All strategies together, and the provers that ignore patterns or add to them."""
    mbqi = ["smt.auto_config=false", "smt.mbqi=true", f"-T:{LIMIT_ALL}"]
    enumeration = ["--lang=smt2.6", "--full-saturate-quant", f"--tlimit={1000 * LIMIT_CVC4}"]
    return {
        "families": {
            name: {
                "files": len(files),
                "all": solved(refuted(bench, files, None, LIMIT_ALL)),
                "mbqi": runs(bench, SOLVER, mbqi, files, LIMIT_ALL),
                "cvc4": runs(bench, "cvc4@1.8", enumeration, files, LIMIT_CVC4),
                "first-order": solved(refuted(bench, files, "first-order", LIMIT_ALL)),
            }
            for name, files in verifiers(bench).items()
        }
    }


def print_provers(result):
    rows, then = [], {row[0]: row for row in TABLE1}
    for name, family in result["families"].items():
        _, files, _, best, mbqi, cvc4, vampire = then[name]
        pair = lambda was, now: f"{was} of {files} / {now} of {family['files']}"
        rows.append(
            [
                name,
                pair(best, family["all"]),
                pair(mbqi, family["mbqi"]),
                pair(cvc4, family["cvc4"]),
                pair(vampire, family["first-order"]),
                f"{LIMIT_ALL} s (CVC4 1.8: {LIMIT_CVC4} s); E must yield terms",
            ]
        )
    return [
        "Published / measured. Ours are all strategies instead of C0 to C4; the first-order prover is E instead of Vampire, "
        "and its proof must be replayed by z3 and yield terms.",
        "",
        *table(
            [
                "source",
                "our terms",
                "Z3 with MBQI",
                "CVC4, enumeration",
                "first-order prover",
                "what differs, and why",
            ],
            rows,
        ),
    ]


# Source, files, proofs by the command line, proofs by the API, examples, terms.
TABLE3 = (("Dafny", 4, 1, 1, 1, 1), ("F*", 2, 1, 1, 0, 0), ("Gobra", 11, 6, 6, 6, 6), ("Viper", 15, 11, 7, 7, 7))


def from_proofs(bench):
    """Terms from the instances of proofs by MBQI."""
    return {
        "families": {
            name: {"files": len(files), "rows": refuted(bench, files, "proof", LIMIT_ALL)}
            for name, files in verifiers(bench).items()
        }
    }


def print_proofs(result):
    rows = []
    for name, files, proofs, api, examples, terms in TABLE3:
        family = result["families"][name]
        rows.append(
            [
                name,
                files,
                proofs,
                api,
                examples,
                terms,
                family["files"],
                solved(family["rows"]),
                f"{LIMIT_ALL} s; a second version of z3 where the first finds no proof",
            ]
        )
    return table(
        [
            "source",
            "files",
            "proofs",
            "proofs by API",
            "examples",
            "terms",
            "files here",
            "terms here",
            "what differs, and why",
        ],
        rows,
    )


# Configuration and published seconds for figure 4.17.
FIGURE17 = (("C0", 59), ("C3", 30))


def figure17(bench):
    return {
        "rows": [
            refuted(bench, [bench.data / "triggers" / "paper" / "figure9.smt2"], config, 60)[0]
            for config, _ in FIGURE17
        ]
    }


def print17(result):
    rows = []
    for (config, then), row in zip(FIGURE17, result["rows"]):
        rows.append(
            [
                config,
                then,
                f"{row['seconds']:.1f}",
                row["outcome"],
                "another machine; nearly all of it in z3, in many small questions",
            ]
        )
    return table(["configuration", "s", "s here", "outcome", "what differs, and why"], rows)


EXPERIMENTS = (
    Experiment(
        "triggers-table4.1",
        PAPER,
        "Table 4.1: configurations on verifiers' files",
        f"one file of each verifier and a third of the examples; {LIMIT} s a file instead of 600 s",
        lambda bench: with_configurations(bench, examples(bench)),
        print_configurations(TABLE1),
    ),
    Experiment(
        "triggers-table4.1-provers",
        PAPER,
        "Table 4.1: our terms and other provers",
        f"every second file of the large families; {LIMIT_ALL} s a file instead of 600 s",
        provers,
        print_provers,
    ),
    Experiment(
        "triggers-table4.2",
        PAPER,
        "Table 4.2: configurations on SMT-COMP files",
        f"7 files; {LIMIT} s a file instead of 600 s",
        lambda bench: with_configurations(bench, competition(bench)),
        print_configurations(TABLE2),
    ),
    Experiment(
        "triggers-table4.3",
        PAPER,
        "Table 4.3: terms from proofs",
        f"every second file of the large families; {LIMIT_ALL} s a file instead of 600 s",
        from_proofs,
        print_proofs,
    ),
    Experiment(
        "triggers-figure4.17",
        PAPER,
        "Figure 4.17: synonym functions as patterns",
        "the whole file; 60 s instead of 600 s",
        figure17,
        print17,
    ),
)
