"""What all drivers share: a library is run as if it were a program that speaks SMT-LIB.

Commands are read from standard input as they come; each is answered at once. After an error the
driver reads on, and whoever reads the answers takes what follows for no answer.
"""

import sys

CHUNK = 1 << 16


def commands(stream):
    """The expressions of a stream, each as soon as it is complete."""
    begun = []  # what has been read of the expression
    depth = 0
    inside = None  # a string, a quoted symbol or a comment, by the letter that ends it
    while True:
        text = stream.readline(CHUNK)
        if not text:
            return
        start = 0
        for at, letter in enumerate(text):
            if inside:
                if letter == inside:
                    inside = None
            elif letter in '"|':
                inside = letter
            elif letter == ";":
                inside = "\n"
            elif letter == "(":
                depth += 1
            elif letter == ")":
                depth -= 1
                if depth <= 0:
                    depth = 0
                    yield "".join(begun) + text[start : at + 1]
                    begun, start = [], at + 1
        begun.append(text[start:])


def head(command):
    """The first word of a command, past comments before it."""
    lines = (line.split(";", 1)[0] for line in command.split("\n"))
    words = " ".join(lines).replace("(", " ( ").replace(")", " ) ").split()
    return words[1] if len(words) > 1 else ""


def error(words):
    """An error line; SMT-LIB doubles a quote inside a string."""
    line = " ".join(str(words).split()).replace('"', '""')
    return f'(error "{line}")\n'


def switches(arguments):
    """The options of a command line: `--name=value`, `--name` for true, `--no-name` for false."""
    for argument in arguments:
        name, given, value = argument.lstrip("-").partition("=")
        if given:
            yield name, value
        elif name.startswith("no-"):
            yield name[3:], "false"
        else:
            yield name, "true"


def by_calls():
    """Whether the command line asks for calls of the library's API, not for its parser."""
    if "--api" not in sys.argv:
        return False
    sys.argv.remove("--api")
    return True


def say(answer):
    sys.stdout.write(answer)
    sys.stdout.flush()


def converse(begin):
    """Answers commands until there are none; `(reset)` begins again."""
    session = begin()
    for command in commands(sys.stdin):
        word = head(command)
        if word == "exit":
            return
        if word == "reset":
            session = begin()
        else:
            say(session.answer(command))


def serve(title, version, begin):
    """Runs a driver. `begin` makes a session with a method `answer`, from text to text."""
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape", newline="\n")
    try:
        if "--version" in sys.argv[1:]:
            say(f"This is {title} version {version}\n")
            return
        try:
            begin()
        except Exception as trouble:
            sys.exit(f"{title}: {trouble}")
        converse(begin)
    except (KeyboardInterrupt, BrokenPipeError):
        # Nobody is there to hear more; the flush at the end must not complain either.
        sys.stderr.close()
