# The options are among the calls.
OPTIONS = []

# The calls that were made are the comments of the answer.
exec("".join(line[2:] for line in open("stdout.txt") if line.startswith("; ")))
