"""What cannot be rerun here, and why."""

ROWS = (
    ("ICSE 2020, table 7, MT-ABC", "in no registry; an abstraction of ours stands for it"),
    (
        "ICSE 2020, section 4.2",
        "StringFuzz's files, which `assay run files` runs, are no table",
    ),
    (
        "ICSE 2020, tables 4 to 6, the versions 4.7.1 of z3 and 1.6 and 1.7 of CVC4",
        "in no registry; the nearest releases stand for them",
    ),
    ("Regular expressions, version 0.0.7 of cvc5", "in no registry; 1.0.3 stands for it"),
    ("FSE 2021, figure 1", "the theories of reported bugs: nothing is reported to anybody here"),
    (
        "FSE 2021, table 7",
        "line coverage of z3 and CVC4 needs instrumented builds of both: hours on this machine",
    ),
    (
        "Minotaur, tables 1 and 2",
        "seeds, and ten months of testing CPAchecker, ESBMC, MOPSA, SeaHorn, Symbiotic, Ultimate and 2LS, which are in no registry",
    ),
    (
        "Minotaur, figure 5",
        "branch coverage: ESBMC and SeaHorn are in no registry, and a build of CBMC for gcov takes hours on this machine",
    ),
    ("Dissertation, table 2.2", "the time limits of the drivers, which are input, not a result"),
    (
        "Dissertation, table 2.5",
        "ELINA is in no registry; `examples/domain-c/elina.c` makes a plug-in of it where it is installed",
    ),
    ("Dissertation, table 2.11", "ELINA's learned joins: as table 2.5, and their Python classifiers"),
    ("Dissertation, section 2.5.1, zonotopes", "the packages of APRON come without them"),
    ("Dissertation, section 2.5.5, KLEE", "in no registry"),
    ("Dissertation, tables 4.1 and 4.2, the other halves of the files", "not at hand here"),
    ("Dissertation, tables 4.1 and 4.2, Vampire", "in no registry as a program; E stands for it"),
)


def lines():
    """The list as a section of the document."""
    rows = [f"| {what} | {why} |" for what, why in ROWS]
    return ["## What cannot be rerun here", "", "| what | why |", "|---|---|", *rows]
