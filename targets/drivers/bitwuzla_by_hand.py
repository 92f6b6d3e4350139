import bitwuzla

ARGUMENTS = []

options = bitwuzla.Options()
options.set_args(*ARGUMENTS)
parser = bitwuzla.Parser(bitwuzla.TermManager(), options, "smt2", 2)
# Executes the commands of the file; the library prints the answers.
parser.parse("input.smt2", False, True)
