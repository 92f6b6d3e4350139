"""Runs the library of the Python package `bitwuzla` as if it were the program, with its options.

The library's parser is of no use after an error. Everything up to the next `(reset)` is answered
by an error then, except `(echo …)`, so that whoever waits for an echo does not wait in vain.

It also takes options only in the first text that it is given. They are kept back until something
else comes, and what is echoed before that does not reach it.
"""

import sys

# The folder of this script comes first on the search path, and the script is called like the
# library.
sys.path.append(sys.path.pop(0))

import assay_session
import bitwuzla

BINARY = 2


def options():
    """The options of the command line."""
    chosen = bitwuzla.Options()
    for name, value in assay_session.switches(sys.argv[1:]):
        truth = {"true": True, "false": False}.get(value, value)
        chosen.set(name, int(value) if value.isdecimal() else truth)
    return chosen


class Session:
    """A parser with the solver that it owns."""

    def __init__(self):
        self.manager = bitwuzla.TermManager()
        self.parser = bitwuzla.Parser(self.manager, options(), "smt2", BINARY)
        self.options = ""
        self.begun = False
        self.failed = False

    def answer(self, command):
        """The library writes what it answers; what comes back is an error or nothing."""
        word = assay_session.head(command)
        if word == "echo" and (self.failed or not self.begun):
            return command[command.index('"') : command.rindex('"') + 1] + "\n"
        if self.failed:
            return assay_session.error("not read, because of the error before")
        if word == "set-option":
            self.options += command
            return ""
        self.begun = True
        command, self.options = self.options + command, ""
        try:
            self.parser.parse(command, False, False)
        except bitwuzla.BitwuzlaException as trouble:
            self.failed = True
            return assay_session.error(trouble)
        return ""


if assay_session.by_calls():
    import bitwuzla_api

    Session = bitwuzla_api.Session
assay_session.serve("Bitwuzla", bitwuzla.version(), Session)
