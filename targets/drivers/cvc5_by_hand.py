import cvc5

OPTIONS = []

if ("api", "true") in OPTIONS:
    # The calls that were made are the comments of the answer.
    exec("".join(line[2:] for line in open("stdout.txt") if line.startswith("; ")))
    raise SystemExit

# Up to 1.1 there is no TermManager.
solver = cvc5.Solver(*([cvc5.TermManager()] if hasattr(cvc5, "TermManager") else []))
# As the program: not incremental unless asked.
solver.setOption("incremental", "false")
language = cvc5.InputLanguage.SMT_LIB_2_6
for name, value in OPTIONS:
    if (name, value) == ("lang", "sygus2"):
        language = cvc5.InputLanguage.SYGUS_2_1
        name, value = "sygus", "true"
    solver.setOption(name, value)
symbols = cvc5.SymbolManager(solver)
parser = cvc5.InputParser(solver, symbols)
parser.setFileInput(language, "input.smt2")
while True:
    command = parser.nextCommand()
    if command.isNull():
        break
    answer = command.invoke(solver, symbols)
    # Some releases answer in bytes.
    print(answer.decode() if isinstance(answer, bytes) else answer, end="")
