"""What the drivers that call an API share: commands become calls of a library, not text for its parser.

Each call is a line of Python. It is executed, and shown as a comment in the answer: the comments of an
answer are a script that does the same without this driver.
"""

import re
import sys

import assay_session

sys.setrecursionlimit(6000)

# Begins the message about anything that a driver does not know how to say with its library.
BEYOND = "beyond this driver"

# Relations that more than two arguments make a chain of, and operators that they are nested for.
CHAINS = {"=", "<", "<=", ">", ">=", "fp.eq", "fp.lt", "fp.leq", "fp.gt", "fp.geq", "str.<", "str.<="}
TO_THE_LEFT = {
    "-", "/", "div", "mod", "xor", "bvadd", "bvmul", "bvand", "bvor", "bvxor", "bvsub", "bvxnor",
    "re.diff", "concat",
}

TOKEN = re.compile(r'"(?:[^"]|"")*"|\|[^|]*\||;[^\n]*|[()]|[^\s()";|]+')


class Beyond(Exception):
    """What this driver does not know how to say."""


def expressions(text):
    """The expressions of a text, as lists of lists of tokens."""
    open_lists = [[]]
    for match in TOKEN.finditer(text):
        token = match.group()
        if token == "(":
            open_lists.append([])
        elif token == ")":
            done = open_lists.pop()
            open_lists[-1].append(done)
        elif not token.startswith(";"):
            open_lists[-1].append(token)
    return open_lists[0]


def plain(symbol):
    """A symbol without bars."""
    return symbol[1:-1] if symbol.startswith("|") else symbol


def symbol(name):
    """A name as SMT-LIB writes it."""
    return name if re.fullmatch(r"[A-Za-z~!@$%^&*_+=<>.?/-][\w~!@$%^&*+=<>.?/-]*", name) else f"|{name}|"


def written(expression):
    """An expression as text."""
    if isinstance(expression, str):
        return expression
    return "(" + " ".join(map(written, expression)) + ")"


def bits(literal):
    """The width and value of a bit-vector literal, or nothing."""
    if literal.startswith("#b"):
        return len(literal) - 2, int(literal[2:], 2)
    if literal.startswith("#x"):
        return 4 * (len(literal) - 2), int(literal[2:], 16)
    return None


def fraction(expression):
    """The numerator and denominator of a literal number; nothing for other terms."""
    if isinstance(expression, str):
        whole, _, part = expression.partition(".")
        if not (whole.isdecimal() and (part or "0").isdecimal()):
            return None
        return int(whole + part), 10 ** len(part)
    parts = [fraction(it) for it in expression[1:]]
    if None in parts:
        return None
    if expression[0] == "-" and len(parts) == 1:
        return -parts[0][0], parts[0][1]
    if expression[0] == "/" and len(parts) == 2 and parts[1][0] > 0:
        return parts[0][0] * parts[1][1], parts[0][1] * parts[1][0]
    return None


class Session:
    """Commands as calls. A subclass knows the library: see the methods that raise `Beyond` here."""

    # Lines that come first.
    prelude = ()

    def __init__(self):
        self.names = {}
        self.count = 0
        self.sorts = {}
        self.functions = {}  # variables of Python by symbol
        self.constants = {}  # the same, with the sort's variable
        self.macros = {}
        self.named = {}  # variables of assertions, by the name that `:named` gives them
        self.begun = False
        self.scopes = []

    # Calls

    def run(self, line):
        """Executes a line and shows it."""
        for part in line.split("\n"):
            sys.stdout.write("; " + part + "\n")
        exec(line, self.names)

    def value(self, expression):
        """A new variable for the value of an expression."""
        self.count += 1
        name = f"t{self.count}"
        self.run(f"{name} = {expression}")
        return name

    def get(self, name):
        """The value of a variable."""
        return self.names[name]

    def begin(self):
        if not self.begun:
            self.begun = True
            for line in self.prelude:
                self.run(line)

    def answer(self, command):
        """What the library says to a command."""
        try:
            self.begin()
            said = ""
            for expression in expressions(command):
                said += self.command(expression) or ""
            return said
        except Beyond as what:
            return assay_session.error(f"{BEYOND}: {what}")
        except RecursionError:
            return assay_session.error(f"{BEYOND}: the term is too deep")
        except Exception as trouble:
            return assay_session.error(f"{type(trouble).__name__}: {trouble}")

    def command(self, expression):
        head, rest = expression[0], expression[1:]
        if head in ("set-info", "set-logic"):
            return self.logic(rest[0]) if head == "set-logic" else None
        if head == "set-option":
            return self.option(rest[0].lstrip(":"), rest[1])
        if head == "echo":
            return rest[0] + "\n"
        if head == "get-info":
            return self.info(rest[0])
        if head == "declare-sort":
            if len(rest) > 1 and rest[1] != "0":
                raise Beyond("sorts with parameters")
            self.sorts[plain(rest[0])] = self.value(self.new_sort(plain(rest[0])))
            return None
        if head in ("declare-const", "declare-fun"):
            name, params, result = plain(rest[0]), rest[1] if head == "declare-fun" else [], rest[-1]
            params = [self.sort(it) for it in params]
            result = self.sort(result)
            if params:
                self.functions[name] = self.value(self.new_function(name, params, result))
            else:
                self.constants[name] = self.value(self.new_constant(name, result))
            return None
        if head in ("define-fun", "define-const"):
            params = rest[1] if head == "define-fun" else []
            self.macros[plain(rest[0])] = (params, rest[-1])
            return None
        if head == "assert":
            inner, name = rest[0], None
            if isinstance(inner, list) and inner and inner[0] == "!" and ":named" in inner:
                name = plain(inner[inner.index(":named") + 1])
            term = self.term(rest[0], {})
            if name is not None:
                self.named[name] = term
            self.affirm(term, name)
            return None
        if head == "check-sat":
            sys.stdout.flush()
            return self.check([]) + "\n"
        if head == "check-sat-assuming":
            assumed = [self.term(it, {}) for it in rest[0]]
            sys.stdout.flush()
            return self.check(assumed) + "\n"
        if head in ("push", "pop"):
            return self.scope(head, int(rest[0]) if rest else 1)
        if head == "get-model":
            return self.model()
        if head == "get-unsat-core":
            return "(" + " ".join(self.core()) + ")\n"
        raise Beyond(head)

    def scope(self, word, levels):
        """Declarations end with their scope, as in a script."""
        tables = ("sorts", "functions", "constants", "macros", "named")
        for _ in range(levels):
            if word == "push":
                self.scopes.append({table: dict(getattr(self, table)) for table in tables})
            elif self.scopes:
                for table, before in self.scopes.pop().items():
                    setattr(self, table, before)
        self.run(f"solver.{word}({levels})")

    # Terms

    def sort(self, expression):
        """A variable for a sort."""
        key = written(expression)
        if key in self.sorts:
            return self.sorts[key]
        if isinstance(expression, str):
            code = self.simple_sort(expression)
        elif expression[0] == "_":
            code = self.indexed_sort(expression[1], [int(it) for it in expression[2:]])
        else:
            code = self.built_sort(expression[0], [self.sort(it) for it in expression[1:]])
        self.sorts[key] = self.value(code)
        return self.sorts[key]

    def term(self, expression, scope):
        """A variable for a term."""
        if isinstance(expression, str):
            return self.atom(expression, scope)
        head, rest = expression[0], expression[1:]
        if head == "!":
            return self.term(rest[0], scope)
        if head == "let":
            inner = dict(scope)
            inner.update({plain(name): self.term(it, scope) for name, it in rest[0]})
            return self.term(rest[1], inner)
        if head in ("forall", "exists"):
            inner, variables = dict(scope), []
            for name, sort in rest[0]:
                variable = self.value(self.new_variable(plain(name), self.sort(sort)))
                inner[plain(name)] = variable
                variables.append(variable)
            return self.value(self.quantified(head, variables, self.term(rest[1], inner)))
        if head == "_":
            return self.literal(rest[0], rest[1:])
        if isinstance(head, list) and head[0] == "as" and head[1] == "const":
            return self.value(self.constant_array(self.sort(head[2]), self.term(rest[0], scope)))
        args = [self.term(it, scope) for it in rest]
        if isinstance(head, list) and head[0] == "_":
            return self.indexed(head[1], head[2:], args)
        if not isinstance(head, str):
            raise Beyond(written(head))
        name = plain(head)
        if name in self.macros:
            params, body = self.macros[name]
            return self.term(body, dict(zip((plain(it[0]) for it in params), args)))
        if name in self.functions:
            return self.value(self.called(self.functions[name], args))
        return self.applied(head, args)

    def applied(self, operator, args):
        """An operator; chains and nested applications are written out."""
        if len(args) > 2 and operator in CHAINS:
            pairs = [self.applied(operator, list(pair)) for pair in zip(args, args[1:])]
            return self.applied("and", pairs)
        if len(args) > 2 and operator in TO_THE_LEFT:
            whole = args[0]
            for arg in args[1:]:
                whole = self.applied(operator, [whole, arg])
            return whole
        if len(args) > 2 and operator == "=>":
            return self.applied("=>", [args[0], self.applied("=>", args[1:])])
        if len(args) == 1 and operator in ("and", "or", "+", "*"):
            return args[0]
        return self.value(self.operation(operator, args))

    def atom(self, token, scope):
        name = plain(token)
        if name in scope:
            return scope[name]
        if name in self.constants:
            return self.constants[name]
        if name in self.macros and not self.macros[name][0]:
            return self.term(self.macros[name][1], {})
        if name in self.named:
            return self.named[name]
        if token.startswith('"'):
            return self.value(self.string(token[1:-1].replace('""', '"')))
        if bits(token):
            return self.value(self.bit_vector(*bits(token)))
        if token.isdecimal():
            return self.value(self.integer(token))
        if re.fullmatch(r"[0-9]+\.[0-9]+", token):
            return self.value(self.real(token))
        return self.value(self.nullary(token))

    def literal(self, name, indices):
        if name.startswith("bv") and name[2:].isdecimal():
            return self.value(self.bit_vector(int(indices[0]), int(name[2:])))
        if name in ("+oo", "-oo", "+zero", "-zero", "NaN"):
            return self.value(self.special_float(name, int(indices[0]), int(indices[1])))
        if name == "char":
            return self.value(self.string("\\u{" + indices[0][2:] + "}"))
        return self.indexed(name, indices, [])

    def sort_of(self, name):
        """The sort of a term, as the library describes it."""
        raise NotImplementedError

    def missing(self, *what):
        raise Beyond(" ".join(map(str, what)))

    new_sort = new_function = simple_sort = indexed_sort = built_sort = missing
    quantified = constant_array = called = operation = indexed = missing
    string = integer = real = nullary = special_float = missing
    info = core = missing
