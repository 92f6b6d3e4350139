"""Runs the library of the Python package `cvc5` as if it were the program, with its options.

What only the program has (`-q`) is accepted and does nothing here. `(reset)` begins
with a new solver, because the library refuses a second `set-logic` otherwise.
"""

import sys

# The folder of this script comes first on the search path, and the script is called like the
# library.
sys.path.append(sys.path.pop(0))

import assay_session
import cvc5

OF_THE_PROGRAM = ("q", "quiet")

# The languages by the names that the program gives them; SyGuS needs an option as well.
SYGUS = ("sygus", "sygus2")


def terms():
    """What a solver needs to begin; up to 1.1 nothing."""
    return [cvc5.TermManager()] if hasattr(cvc5, "TermManager") else []


class Session:
    """A solver with the parser that feeds it."""

    def __init__(self):
        self.solver = cvc5.Solver(*terms())
        # The library is incremental unless told otherwise, the program is not.
        self.solver.setOption("incremental", "false")
        self.language = cvc5.InputLanguage.SMT_LIB_2_6
        for name, value in assay_session.switches(sys.argv[1:]):
            if name == "lang":
                if value in SYGUS:
                    self.language = cvc5.InputLanguage.SYGUS_2_1
                    self.solver.setOption("sygus", "true")
            elif name not in OF_THE_PROGRAM:
                self.solver.setOption(name, value)
        self.symbols = cvc5.SymbolManager(self.solver)
        self.parser = cvc5.InputParser(self.solver, self.symbols)

    def answer(self, command):
        """What the library says to a command."""
        said = []
        try:
            # `appendIncrementalStringInput` would be made for this, but does not work from Python.
            self.parser.setStringInput(self.language, command, "stdin")
            while True:
                parsed = self.parser.nextCommand()
                if parsed.isNull():
                    break
                said.append(text(parsed.invoke(self.solver, self.symbols)))
                said.append(self.instances(said[-1]))
        except RuntimeError as trouble:
            said.append(assay_session.error(trouble))
        return plain("".join(said))

    def instances(self, answer):
        """The instances of a refutation, which only the program prints by itself."""
        if answer.strip() != "unsat" or text(self.solver.getOption("dump-instantiations")) != "true":
            return ""
        return text(self.solver.getInstantiations())


def text(answer):
    """Some releases answer in bytes."""
    return answer.decode("utf-8", "surrogateescape") if isinstance(answer, bytes) else answer


def plain(answer):
    """The library says `unknown (INCOMPLETE)` where the program says `unknown`."""
    return "unknown\n" if answer.startswith("unknown (") else answer


def version():
    """As the library reports it, without what builders append."""
    return text(cvc5.Solver(*terms()).getVersion()).split("-")[0]


if assay_session.by_calls():
    import cvc5_api

    Session = cvc5_api.Session
assay_session.serve("cvc5", version(), Session)
