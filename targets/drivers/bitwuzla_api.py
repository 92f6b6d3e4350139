"""Calls the API of the Python package `bitwuzla` for each command."""

import sys

import assay_api
import assay_session
import bitwuzla

KINDS = {
    "not": "NOT", "and": "AND", "or": "OR", "xor": "XOR", "=>": "IMPLIES", "ite": "ITE", "=": "EQUAL",
    "distinct": "DISTINCT", "select": "ARRAY_SELECT", "store": "ARRAY_STORE", "concat": "BV_CONCAT",
    "bvlshr": "BV_SHR", "bvnego": "BV_NEG_OVERFLOW", "bvuaddo": "BV_UADD_OVERFLOW",
    "bvsaddo": "BV_SADD_OVERFLOW", "bvumulo": "BV_UMUL_OVERFLOW", "bvsmulo": "BV_SMUL_OVERFLOW",
    "bvusubo": "BV_USUB_OVERFLOW", "bvssubo": "BV_SSUB_OVERFLOW", "bvsdivo": "BV_SDIV_OVERFLOW",
    "fp": "FP_FP", "fp.eq": "FP_EQUAL", "fp.roundToIntegral": "FP_RTI", "fp.isInfinite": "FP_IS_INF",
    "fp.isNegative": "FP_IS_NEG", "fp.isPositive": "FP_IS_POS", "fp.isNaN": "FP_IS_NAN",
    "fp.isZero": "FP_IS_ZERO", "fp.isNormal": "FP_IS_NORMAL", "fp.isSubnormal": "FP_IS_SUBNORMAL",
}
for word in "not and or xor nand nor xnor comp neg udiv urem sdiv srem smod shl ashr ult ule ugt uge slt \
sle sgt sge add sub mul redor redand".split():
    KINDS["bv" + word] = "BV_" + word.upper()
for word in "abs neg add sub mul div fma sqrt rem min max leq lt geq gt".split():
    KINDS["fp." + word] = "FP_" + word.upper()

INDEXED = {
    "extract": "BV_EXTRACT", "zero_extend": "BV_ZERO_EXTEND", "sign_extend": "BV_SIGN_EXTEND",
    "repeat": "BV_REPEAT", "rotate_left": "BV_ROLI", "rotate_right": "BV_RORI",
    "fp.to_ubv": "FP_TO_UBV", "fp.to_sbv": "FP_TO_SBV", "to_fp_unsigned": "FP_TO_FP_FROM_UBV",
}

MODES = {
    "roundNearestTiesToEven": "RNE", "roundNearestTiesToAway": "RNA", "roundTowardPositive": "RTP",
    "roundTowardNegative": "RTN", "roundTowardZero": "RTZ",
}
NULLARY = {"true": "tm.mk_true()", "false": "tm.mk_false()"}
SORTS = {
    "Bool": "tm.mk_bool_sort()", "RoundingMode": "tm.mk_rm_sort()", "Float16": "tm.mk_fp_sort(5, 11)",
    "Float32": "tm.mk_fp_sort(8, 24)", "Float64": "tm.mk_fp_sort(11, 53)",
    "Float128": "tm.mk_fp_sort(15, 113)",
}
SPECIAL = {
    "+oo": "pos_inf", "-oo": "neg_inf", "+zero": "pos_zero", "-zero": "neg_zero", "NaN": "nan",
}


def listed(names):
    return ", ".join(names)


class Session(assay_api.Session):
    prelude = (
        "import bitwuzla",
        "from bitwuzla import Kind, Option, RoundingMode",
        "tm = bitwuzla.TermManager()",
        "options = bitwuzla.Options()",
    )

    def __init__(self):
        super().__init__()
        self.solver = False

    def option(self, name, value):
        if name not in ("produce-models", "produce-unsat-cores"):
            self.missing("option", name)
        self.run(f"options.set({name!r}, {value == 'true'})")

    def ready(self):
        """The options are fixed when the solver is made."""
        if self.solver:
            return
        self.solver = True
        for name, value in assay_session.switches(sys.argv[1:]):
            truth = {"true": True, "false": False}.get(value, value)
            self.run(f"options.set({name!r}, {int(value) if value.isdecimal() else truth!r})")
        self.run("solver = bitwuzla.Bitwuzla(tm, options)")

    def command(self, expression):
        if expression[0] in ("assert", "check-sat", "check-sat-assuming", "push", "pop"):
            self.ready()
        return super().command(expression)

    def logic(self, name):
        return None

    def new_sort(self, name):
        return f"tm.mk_uninterpreted_sort({name!r})"

    def new_constant(self, name, sort):
        return f"tm.mk_const({sort}, {name!r})"

    def new_function(self, name, params, result):
        return f"tm.mk_const(tm.mk_fun_sort([{listed(params)}], {result}), {name!r})"

    def new_variable(self, name, sort):
        return f"tm.mk_var({sort}, {name!r})"

    def simple_sort(self, name):
        return SORTS[name] if name in SORTS else self.missing("sort", name)

    def indexed_sort(self, name, indices):
        makers = {"BitVec": "mk_bv_sort", "FloatingPoint": "mk_fp_sort"}
        if name not in makers:
            self.missing("sort", name)
        return f"tm.{makers[name]}({listed(map(str, indices))})"

    def built_sort(self, name, args):
        if name != "Array":
            self.missing("sort", name)
        return f"tm.mk_array_sort({listed(args)})"

    def quantified(self, kind, variables, body):
        return f"tm.mk_term(Kind.{kind.upper()}, [{listed([*variables, body])}])"

    def constant_array(self, sort, value):
        return f"tm.mk_const_array({sort}, {value})"

    def called(self, function, args):
        return f"tm.mk_term(Kind.APPLY, [{listed([function, *args])}])"

    def operation(self, operator, args):
        kind = KINDS.get(operator)
        if kind is None or not hasattr(bitwuzla.Kind, kind):
            self.missing("operator", operator)
        return f"tm.mk_term(Kind.{kind}, [{listed(args)}])"

    def indexed(self, operator, indices, args):
        kind = INDEXED.get(operator)
        if operator == "to_fp":
            sort = self.get(args[-1]).sort()
            source = "BV" if len(args) == 1 else "FP" if sort.is_fp() else "SBV"
            kind = "FP_TO_FP_FROM_" + source
        if kind is None:
            self.missing("operator", operator)
        return self.value(f"tm.mk_term(Kind.{kind}, [{listed(args)}], [{listed(indices)}])")

    def term(self, expression, scope):
        if isinstance(expression, list) and len(expression) == 3 and expression[0][:2] == ["_", "to_fp"]:
            number = assay_api.fraction(expression[2])
            if number is not None:
                sort = self.sort(["_", "FloatingPoint", *expression[0][2:]])
                mode = self.term(expression[1], scope)
                over, under = number
                return self.value(f"tm.mk_fp_value({sort}, {mode}, '{over}', '{under}')")
        return super().term(expression, scope)

    def bit_vector(self, width, value):
        sort = self.sort(["_", "BitVec", str(width)])
        return f"tm.mk_bv_value({sort}, {value})"

    def special_float(self, name, exponent, significand):
        sort = self.sort(["_", "FloatingPoint", str(exponent), str(significand)])
        return f"tm.mk_fp_{SPECIAL[name]}({sort})"

    def nullary(self, token):
        mode = MODES.get(token, token)
        if mode in MODES.values():
            return f"tm.mk_rm_value(RoundingMode.{mode})"
        return NULLARY[token] if token in NULLARY else self.missing(token)

    def affirm(self, term, name):
        self.run(f"solver.assert_formula({term})")

    def check(self, assumed):
        self.run(f"result = solver.check_sat({listed(assumed)}); print(result)")
        return {bitwuzla.Result.SAT: "sat", bitwuzla.Result.UNSAT: "unsat"}.get(
            self.get("result"), "unknown"
        )

    def model(self):
        lines = []
        for name, term in [*self.constants.items(), *self.functions.items()]:
            self.run(f"print({term}, solver.get_value({term}))")
            sort, params = self.get(term).sort(), []
            value = assay_api.expressions(str(self.get("solver").get_value(self.get(term))))[0]
            if sort.is_fun():
                sort = sort.fun_codomain()
                while value[0] == "lambda":
                    params, value = params + value[1], value[2]
            name, params, value = assay_api.symbol(name), *map(assay_api.written, (params, value))
            lines.append(f"(define-fun {name} {params} {sort} {value})")
        return "(\n" + "\n".join(lines) + "\n)\n"

    def core(self):
        self.run("core = solver.get_unsat_core(); print(core)")
        core = self.get("core")
        return [assay_api.symbol(name) for name, term in self.named.items() if self.get(term) in core]

    def info(self, what):
        return self.missing(what)

    def run(self, line):
        # What the script prints, the answer says in its own way.
        self.names["print"] = lambda *_: None
        super().run(line)
