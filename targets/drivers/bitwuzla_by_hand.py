import bitwuzla

ARGUMENTS = []

if "--api" in ARGUMENTS:
    # The calls that were made are the comments of the answer.
    exec("".join(line[2:] for line in open("stdout.txt") if line.startswith("; ")))
    raise SystemExit

options = bitwuzla.Options()
options.set_args(*ARGUMENTS)
parser = bitwuzla.Parser(bitwuzla.TermManager(), options, "smt2", 2)
# Executes the commands of the file; the library prints the answers.
parser.parse("input.smt2", False, True)
