#!/usr/bin/env python3
"""Answers a script with z3 after replacing applications of some string functions by fresh constants.

Each replaced term may have any value, and assertions with quantifiers are dropped, so every model of the
script is one of what z3 sees: `unsat` is right, `sat` may be imprecise.
"""

import re
import subprocess
import sys

UNKNOWN = {"str.replace": "String", "str.from_int": "String", "str.indexof": "Int", "str.to_int": "Int"}
TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[()]|[^\s()";|]+')


def commands(text):
    """The commands of a script as nested lists."""
    stack = [[]]
    for token in TOKEN.findall(text):
        if token.startswith(";"):
            continue
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token)
    return stack[0]


def shown(tree):
    return tree if isinstance(tree, str) else "(" + " ".join(map(shown, tree)) + ")"


def quantified(tree):
    return tree in ("forall", "exists") if isinstance(tree, str) else any(map(quantified, tree))


def abstracted(tree, fresh):
    if isinstance(tree, str) or not tree:
        return tree
    if isinstance(tree[0], str) and tree[0] in UNKNOWN:
        fresh.append((f"unknown!{len(fresh)}", UNKNOWN[tree[0]]))
        return fresh[-1][0]
    return [abstracted(part, fresh) for part in tree]


def main():
    if "--version" in sys.argv:
        print("abstraction 1.0")
        return
    fresh, lines = [], []
    for command in commands(sys.stdin.read()):
        if command[0] == "assert":
            if quantified(command):
                continue
            command = abstracted(command, fresh)
        lines.append(shown(command))
    declared = [f"(declare-const {name} {sort})" for name, sort in fresh]
    at = next((at for at, line in enumerate(lines) if line.startswith(("(declare", "(assert"))), len(lines))
    script = "\n".join([*lines[:at], *declared, *lines[at:]])
    subprocess.run(["z3", "-in"], input=script, text=True, check=False)


if __name__ == "__main__":
    main()
