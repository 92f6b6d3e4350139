"""Calls the API of the Python package `cvc5` for each command."""

import sys

import assay_api
import assay_session
import cvc5

KINDS = {
    "not": "NOT", "and": "AND", "or": "OR", "xor": "XOR", "=>": "IMPLIES", "ite": "ITE", "=": "EQUAL",
    "distinct": "DISTINCT", "+": "ADD", "*": "MULT", "div": "INTS_DIVISION", "mod": "INTS_MODULUS",
    "/": "DIVISION", "abs": "ABS", "<": "LT", "<=": "LEQ", ">": "GT", ">=": "GEQ", "to_real": "TO_REAL",
    "to_int": "TO_INTEGER", "is_int": "IS_INTEGER", "select": "SELECT", "store": "STORE",
    "bvredor": "BITVECTOR_REDOR", "bvredand": "BITVECTOR_REDAND", "concat": "BITVECTOR_CONCAT",
    "ubv_to_int": "BITVECTOR_UBV_TO_INT", "sbv_to_int": "BITVECTOR_SBV_TO_INT",
    "bv2nat": "BITVECTOR_UBV_TO_INT", "str.++": "STRING_CONCAT", "str.len": "STRING_LENGTH",
    "str.at": "STRING_CHARAT", "str.substr": "STRING_SUBSTR", "str.prefixof": "STRING_PREFIX",
    "str.suffixof": "STRING_SUFFIX", "str.contains": "STRING_CONTAINS", "str.indexof": "STRING_INDEXOF",
    "str.replace": "STRING_REPLACE", "str.replace_all": "STRING_REPLACE_ALL",
    "str.replace_re": "STRING_REPLACE_RE", "str.replace_re_all": "STRING_REPLACE_RE_ALL",
    "str.in_re": "STRING_IN_REGEXP", "str.to_re": "STRING_TO_REGEXP", "str.<": "STRING_LT",
    "str.<=": "STRING_LEQ", "str.is_digit": "STRING_IS_DIGIT", "str.to_code": "STRING_TO_CODE",
    "str.from_code": "STRING_FROM_CODE", "str.to_int": "STRING_TO_INT", "str.from_int": "STRING_FROM_INT",
    "re.++": "REGEXP_CONCAT", "re.union": "REGEXP_UNION", "re.inter": "REGEXP_INTER",
    "re.*": "REGEXP_STAR", "re.+": "REGEXP_PLUS", "re.opt": "REGEXP_OPT", "re.range": "REGEXP_RANGE",
    "re.comp": "REGEXP_COMPLEMENT", "re.diff": "REGEXP_DIFF", "fp": "FLOATINGPOINT_FP",
    "fp.eq": "FLOATINGPOINT_EQ", "fp.roundToIntegral": "FLOATINGPOINT_RTI",
    "fp.isInfinite": "FLOATINGPOINT_IS_INF", "fp.isNegative": "FLOATINGPOINT_IS_NEG",
    "fp.isPositive": "FLOATINGPOINT_IS_POS", "fp.isNaN": "FLOATINGPOINT_IS_NAN",
    "fp.isZero": "FLOATINGPOINT_IS_ZERO", "fp.isNormal": "FLOATINGPOINT_IS_NORMAL",
    "fp.isSubnormal": "FLOATINGPOINT_IS_SUBNORMAL", "fp.mul": "FLOATINGPOINT_MULT",
    "fp.to_real": "FLOATINGPOINT_TO_REAL",
}
for word in "not and or xor nand nor xnor comp neg udiv urem sdiv srem smod shl lshr ashr ult ule ugt uge \
slt sle sgt sge add sub nego uaddo saddo umulo smulo usubo ssubo sdivo".split():
    KINDS["bv" + word] = "BITVECTOR_" + word.upper()
KINDS["bvmul"] = "BITVECTOR_MULT"
for word in "abs neg add sub div fma sqrt rem min max leq lt geq gt".split():
    KINDS["fp." + word] = "FLOATINGPOINT_" + word.upper()

INDEXED = {
    "extract": "BITVECTOR_EXTRACT", "zero_extend": "BITVECTOR_ZERO_EXTEND",
    "sign_extend": "BITVECTOR_SIGN_EXTEND", "repeat": "BITVECTOR_REPEAT",
    "rotate_left": "BITVECTOR_ROTATE_LEFT", "rotate_right": "BITVECTOR_ROTATE_RIGHT",
    "int_to_bv": "INT_TO_BITVECTOR", "int2bv": "INT_TO_BITVECTOR", "divisible": "DIVISIBLE",
    "re.^": "REGEXP_REPEAT", "re.loop": "REGEXP_LOOP", "fp.to_ubv": "FLOATINGPOINT_TO_UBV",
    "fp.to_sbv": "FLOATINGPOINT_TO_SBV", "to_fp_unsigned": "FLOATINGPOINT_TO_FP_FROM_UBV",
}

MODES = {
    "RNE": "ROUND_NEAREST_TIES_TO_EVEN", "RNA": "ROUND_NEAREST_TIES_TO_AWAY",
    "RTP": "ROUND_TOWARD_POSITIVE", "RTN": "ROUND_TOWARD_NEGATIVE", "RTZ": "ROUND_TOWARD_ZERO",
}
LONG_MODES = {
    "roundNearestTiesToEven": "RNE", "roundNearestTiesToAway": "RNA", "roundTowardPositive": "RTP",
    "roundTowardNegative": "RTN", "roundTowardZero": "RTZ",
}
NULLARY = {
    "true": "tm.mkTrue()", "false": "tm.mkFalse()", "re.none": "tm.mkRegexpNone()",
    "re.all": "tm.mkRegexpAll()", "re.allchar": "tm.mkRegexpAllchar()",
}
SORTS = {
    "Bool": "tm.getBooleanSort()", "Int": "tm.getIntegerSort()", "Real": "tm.getRealSort()",
    "String": "tm.getStringSort()", "RegLan": "tm.getRegExpSort()",
    "RoundingMode": "tm.getRoundingModeSort()", "Float16": "tm.mkFloatingPointSort(5, 11)",
    "Float32": "tm.mkFloatingPointSort(8, 24)", "Float64": "tm.mkFloatingPointSort(11, 53)",
    "Float128": "tm.mkFloatingPointSort(15, 113)",
}
SPECIAL = {
    "+oo": "PosInf", "-oo": "NegInf", "+zero": "PosZero", "-zero": "NegZero", "NaN": "NaN",
}


def listed(names):
    return ", ".join(names)


class Session(assay_api.Session):
    def __init__(self):
        super().__init__()
        has_manager = hasattr(cvc5, "TermManager")
        self.prelude = [
            "import cvc5",
            "from cvc5 import Kind, RoundingMode",
            "tm = cvc5.TermManager()" if has_manager else "tm = solver = cvc5.Solver()",
            *(["solver = cvc5.Solver(tm)"] if has_manager else []),
            "solver.setOption('incremental', 'false')",
        ]
        for name, value in assay_session.switches(sys.argv[1:]):
            if name not in ("q", "quiet", "lang"):
                self.prelude.append(f"solver.setOption({name!r}, {value!r})")

    def logic(self, name):
        self.run(f"solver.setLogic({name!r})")

    def option(self, name, value):
        self.run(f"solver.setOption({name!r}, {value!r})")

    def new_sort(self, name):
        return f"tm.mkUninterpretedSort({name!r})"

    def new_constant(self, name, sort):
        return f"tm.mkConst({sort}, {name!r})"

    def new_function(self, name, params, result):
        return f"tm.mkConst(tm.mkFunctionSort([{listed(params)}], {result}), {name!r})"

    def new_variable(self, name, sort):
        return f"tm.mkVar({sort}, {name!r})"

    def simple_sort(self, name):
        return SORTS[name] if name in SORTS else self.missing("sort", name)

    def indexed_sort(self, name, indices):
        makers = {"BitVec": "mkBitVectorSort", "FloatingPoint": "mkFloatingPointSort"}
        if name not in makers:
            self.missing("sort", name)
        return f"tm.{makers[name]}({listed(map(str, indices))})"

    def built_sort(self, name, args):
        makers = {"Array": "mkArraySort", "Seq": "mkSequenceSort", "Set": "mkSetSort"}
        if name not in makers:
            self.missing("sort", name)
        return f"tm.{makers[name]}({listed(args)})"

    def quantified(self, kind, variables, body):
        variables = f"tm.mkTerm(Kind.VARIABLE_LIST, {listed(variables)})"
        return f"tm.mkTerm(Kind.{kind.upper()}, {variables}, {body})"

    def constant_array(self, sort, value):
        return f"tm.mkConstArray({sort}, {value})"

    def called(self, function, args):
        return f"tm.mkTerm(Kind.APPLY_UF, {listed([function, *args])})"

    def operation(self, operator, args):
        kind = KINDS.get(operator)
        if operator == "-":
            kind = "NEG" if len(args) == 1 else "SUB"
        if kind is None or not hasattr(cvc5.Kind, kind):
            self.missing("operator", operator)
        if operator in ("re.union", "re.inter", "re.++", "str.++") and len(args) == 1:
            return args[0]
        return f"tm.mkTerm(Kind.{kind}, {listed(args)})"

    def indexed(self, operator, indices, args):
        kind = INDEXED.get(operator)
        if operator == "to_fp":
            sort = self.get(args[-1]).getSort()
            kind = "FLOATINGPOINT_TO_FP_FROM_" + (
                "IEEE_BV" if len(args) == 1
                else "FP" if sort.isFloatingPoint()
                else "SBV" if sort.isBitVector()
                else "REAL"
            )
        if kind is None or not hasattr(cvc5.Kind, kind):
            self.missing("operator", operator)
        indices = indices if operator != "divisible" else [repr(indices[0])]
        operation = f"tm.mkOp(Kind.{kind}, {listed(indices)})"
        return self.value(f"tm.mkTerm({operation}, {listed(args)})")

    def string(self, text):
        return f"tm.mkString({text!r}, True)"

    def integer(self, text):
        return f"tm.mkInteger({text!r})"

    def real(self, text):
        return f"tm.mkReal({text!r})"

    def bit_vector(self, width, value):
        return f"tm.mkBitVector({width}, {str(value)!r}, 10)"

    def special_float(self, name, exponent, significand):
        return f"tm.mkFloatingPoint{SPECIAL[name]}({exponent}, {significand})"

    def nullary(self, token):
        mode = LONG_MODES.get(token, token)
        if mode in MODES:
            return f"tm.mkRoundingMode(RoundingMode.{MODES[mode]})"
        return NULLARY[token] if token in NULLARY else self.missing(token)

    def affirm(self, term, name):
        self.run(f"solver.assertFormula({term})")

    def check(self, assumed):
        call = f"solver.checkSatAssuming({listed(assumed)})" if assumed else "solver.checkSat()"
        self.run(f"result = {call}; print(result)")
        result = self.get("result")
        return "sat" if result.isSat() else "unsat" if result.isUnsat() else "unknown"

    def model(self):
        symbols = listed([*self.constants.values(), *self.functions.values()])
        sorts = [name for name in self.sorts.values() if self.get(name).isUninterpretedSort()]
        self.run(f"model = solver.getModel([{listed(sorts)}], [{symbols}]); print(model)")
        model = self.get("model")
        return (model.decode() if isinstance(model, bytes) else model) + "\n"

    def core(self):
        self.run("core = solver.getUnsatCore(); print(core)")
        core = self.get("core")
        return [assay_api.symbol(name) for name, term in self.named.items() if self.get(term) in core]

    def info(self, what):
        return self.missing(what)

    def run(self, line):
        # What the script prints, the answer says in its own way.
        self.names["print"] = lambda *_: None
        super().run(line)
