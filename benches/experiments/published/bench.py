"""Running `assay`, storing what came of it, and printing tables."""

import datetime
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import Callable


@dataclass(frozen=True)
class Experiment:
    """A table or figure: how it is measured, and how its stored result is printed."""

    name: str
    paper: str
    title: str
    fraction: str
    run: Callable
    tables: Callable


class Bench:
    def __init__(self, assay, data, out):
        self.assay, self.data, self.out = assay, data, out
        self.commands = []

    def measure(self, experiment):
        """Runs an experiment and stores its result."""
        print(f"{experiment.name} …", file=sys.stderr, flush=True)
        self.folder = self.out / experiment.name
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self.commands = []
        begun = time.monotonic()
        result = experiment.run(self)
        record = {
            "date": datetime.date.today().isoformat(),
            "seconds": round(time.monotonic() - begun),
            "load": round(os.getloadavg()[0], 1),
            "fraction": experiment.fraction,
            "commands": self.commands,
            "result": result,
        }
        (self.out / f"{experiment.name}.json").write_text(json.dumps(record, indent=1) + "\n")

    def stored(self, name):
        """The stored result of an experiment, if it has one."""
        file = self.out / f"{name}.json"
        return json.loads(file.read_text()) if file.exists() else None

    def heading(self, experiment, record):
        """Date, cost, fraction and command of a measurement."""
        return (
            f"{record['date']}, {record['seconds']} s on one core (load {record['load']}); "
            f"{record.get('fraction', experiment.fraction)}. `benches/experiments/papers {experiment.name}`, which runs:"
        )

    def note(self, line):
        """Shows a command in the document, once, with names for the folders of this machine."""
        words = [str(word) for word in line]
        here = os.path.dirname(os.path.abspath(__file__))
        folders = (
            (here, "benches/experiments/published"),
            (str(self.assay), "assay"),
            (str(self.folder), "OUT"),
            (str(self.data), "DATA"),
        )
        for folder, word in folders:
            words = [word + w[len(folder) :] if w == folder or w.startswith(folder + "/") else w for w in words]
        text = shlex.join(words)
        if text not in self.commands:
            self.commands.append(text)

    def records(self, *arguments, shown=True):
        """The JSON records of a command of assay, each with the seconds after which it was printed."""
        line = [self.assay, *map(str, arguments)]
        if shown:
            self.note(line)
        begun, records = time.monotonic(), []
        process = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for text in process.stdout:
            if text.startswith("{"):
                records.append(json.loads(text) | {"after": time.monotonic() - begun})
        trouble = process.stderr.read()
        if process.wait() not in (0, 1):
            sys.exit(f"{shlex.join(line)}\n{trouble}")
        return records

    def first(self, line, wanted):
        """The seconds until a campaign prints a wanted record, with which it is stopped; none without one."""
        begun, found = time.monotonic(), None
        process = subprocess.Popen(
            [str(self.assay), *map(str, line)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for text in process.stdout:
            if found is None and text.startswith("{") and wanted(json.loads(text)):
                found = time.monotonic() - begun
                process.send_signal(signal.SIGINT)
        trouble = process.stderr.read()
        if process.wait() not in (0, 1, 130):
            sys.exit(f"{shlex.join(map(str, line))}\n{trouble}")
        return found

    def campaign(self, name, suite, *arguments, shown=True):
        """The records of a campaign, and its summary by target and category."""
        line = ["run", suite, *arguments, "--json", "--out", self.folder / name]
        if suite != "domains":
            line += ["--jobs", 1]
        records = self.records(*line, shown=shown)
        summary = next(record["summary"] for record in records if "summary" in record)
        return [record for record in records if "answer" in record], summary["targets"]

    def program(self, target):
        """The executable of an installed target."""
        rows = self.records("targets", "list", "--installed", "--json", shown=False)
        found = [row["program"] for row in rows if row["target"] == target or row["target"].startswith(f"{target}.")]
        if not found:
            sys.exit(f"install it first: assay targets install {target}")
        return found[0]


def shortened(command):
    """A command without the flags of all; those given several times are written once, as bash expands them."""
    for flag, folder in (("--seeds", "DATA/seeds/"), ("--category", ""), ("--target", ""), ("--law", "")):
        one = rf" {flag} {folder}(\S+)"

        def joined(found):
            values = re.findall(one, found.group())
            if all(value.isdigit() for value in values) and len(values) > 3:
                values = [f"{values[0]}..{values[-1]}"]
            return f" {flag}={folder}{{{','.join(values)}}}"

        command = re.sub(rf"(?: {flag} {folder}\S+){{2,}}", joined, command)
    return re.sub(r" --json| --out OUT\S*| --jobs \w+", "", command)


def meant(target, names):
    """The full name of a target, whose version may be longer than what it was called."""
    base, _, variant = target.partition(":")

    def fits(name):
        begin, _, its = name.partition(":")
        rest = begin.removeprefix(base)
        return its == variant and begin.startswith(base) and not rest[:1].isdigit()

    return next(name for name in names if fits(name))


def table(head, rows, left=1):
    """A Markdown table; the first columns are text, the others numbers."""
    rule = ["---" if at < left or name == "what differs, and why" else "--:" for at, name in enumerate(head)]
    lines = ["| " + " | ".join(head) + " |", "|" + "|".join(rule) + "|"]
    return lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]


COUNTS = ("IM", "IC", "S", "U", "K", "T", "E")
NAMES = ("incorrect-model", "incorrect-core", "sat", "unsat", "unknown", "timeout", "error")


def counts(summary):
    """The columns of the papers' tables, from a category of a summary."""
    row = [summary[name] for name in NAMES]
    row[-1] += summary["unreadable"]
    return {"tests": sum(row), "row": row, "skipped": summary["skipped"]}


def failed(row, expected):
    """How many of a row of counts are not the right answer."""
    return sum(row) - row[2 if expected == "sat" else 3]


def unsound(row, expected):
    """How many of a row of counts are wrong models or wrong verdicts."""
    return row[0] + row[3 if expected == "sat" else 2]


def percent(part, whole):
    return f"{100 * part / whole:.0f} %" if whole else "none run"


def verdicts(row):
    return " ".join(f"{name} {count}" for name, count in zip(COUNTS, row) if count) or "–"


def compared(expected, published, measured, why):
    """The cells of a row: tests and counts, published and measured, and what differs."""
    if not measured or not measured["tests"]:
        skipped = measured["skipped"] if measured else 0
        return [sum(published), verdicts(published), 0, f"{skipped} not expressible", why]
    mine = measured["row"]
    was = percent(failed(published, expected), sum(published))
    now = percent(failed(mine, expected), sum(mine))
    wrong = unsound(published, expected), unsound(mine, expected)
    text = f"{was} / {now} fail; "
    if any(wrong):
        text += f"{wrong[0]} / {wrong[1]} wrong; "
    text += why
    if mine[5]:
        text += "; shorter limit"
    if measured["skipped"]:
        text += f"; {measured['skipped']} not expressible"
    return [sum(published), verdicts(published), measured["tests"], verdicts(mine), text]
