"""Calls the API of the Python package `z3-solver` for each command."""

import sys

import assay_api
import assay_session
import z3

# Operators by what is called, with the places of the arguments.
CALLS = {
    "not": "Not({0})", "xor": "Xor({0}, {1})", "=>": "Implies({0}, {1})", "ite": "If({0}, {1}, {2})",
    "=": "{0} == {1}", "div": "{0} / {1}", "mod": "{0} % {1}",
    "/": "{0} / {1}", "abs": "Abs({0})", "<": "{0} < {1}", "<=": "{0} <= {1}", ">": "{0} > {1}",
    ">=": "{0} >= {1}", "to_real": "ToReal({0})", "to_int": "ToInt({0})", "is_int": "IsInt({0})",
    "select": "Select({0}, {1})", "store": "Store({0}, {1}, {2})", "bvnot": "~{0}", "bvneg": "-{0}",
    "bvadd": "{0} + {1}", "bvsub": "{0} - {1}", "bvmul": "{0} * {1}", "bvand": "{0} & {1}",
    "bvor": "{0} | {1}", "bvxor": "{0} ^ {1}", "bvnand": "~({0} & {1})", "bvnor": "~({0} | {1})",
    "bvxnor": "~({0} ^ {1})", "bvudiv": "UDiv({0}, {1})", "bvurem": "URem({0}, {1})",
    "bvsdiv": "{0} / {1}", "bvsrem": "SRem({0}, {1})", "bvsmod": "{0} % {1}", "bvshl": "{0} << {1}",
    "bvlshr": "LShR({0}, {1})", "bvashr": "{0} >> {1}", "bvult": "ULT({0}, {1})",
    "bvule": "ULE({0}, {1})", "bvugt": "UGT({0}, {1})", "bvuge": "UGE({0}, {1})", "bvslt": "{0} < {1}",
    "bvsle": "{0} <= {1}", "bvsgt": "{0} > {1}", "bvsge": "{0} >= {1}", "bvredor": "BVRedOr({0})",
    "bvredand": "BVRedAnd({0})", "ubv_to_int": "BV2Int({0})", "bv2nat": "BV2Int({0})",
    "sbv_to_int": "BV2Int({0}, is_signed=True)", "str.len": "Length({0})", "str.at": "{0}.at({1})",
    "str.substr": "SubString({0}, {1}, {2})", "str.prefixof": "PrefixOf({0}, {1})",
    "str.suffixof": "SuffixOf({0}, {1})", "str.contains": "Contains({0}, {1})",
    "str.replace": "Replace({0}, {1}, {2})", "str.in_re": "InRe({0}, {1})", "str.to_re": "Re({0})",
    "str.<": "{0} < {1}", "str.<=": "{0} <= {1}", "str.to_code": "StrToCode({0})",
    "str.from_code": "StrFromCode({0})", "str.to_int": "StrToInt({0})", "str.from_int": "IntToStr({0})",
    "str.indexof": "IndexOf({0}, {1}, {2})", "re.*": "Star({0})", "re.+": "Plus({0})",
    "re.opt": "Option({0})", "re.range": "Range({0}, {1})", "re.comp": "Complement({0})",
    "re.diff": "Diff({0}, {1})", "fp": "fpFP({0}, {1}, {2})", "fp.abs": "fpAbs({0})",
    "fp.neg": "fpNeg({0})", "fp.add": "fpAdd({0}, {1}, {2})", "fp.sub": "fpSub({0}, {1}, {2})",
    "fp.mul": "fpMul({0}, {1}, {2})", "fp.div": "fpDiv({0}, {1}, {2})",
    "fp.fma": "fpFMA({0}, {1}, {2}, {3})", "fp.sqrt": "fpSqrt({0}, {1})", "fp.rem": "fpRem({0}, {1})",
    "fp.min": "fpMin({0}, {1})", "fp.max": "fpMax({0}, {1})", "fp.leq": "fpLEQ({0}, {1})",
    "fp.lt": "fpLT({0}, {1})", "fp.geq": "fpGEQ({0}, {1})", "fp.gt": "fpGT({0}, {1})",
    "fp.eq": "fpEQ({0}, {1})", "fp.roundToIntegral": "fpRoundToIntegral({0}, {1})",
    "fp.isInfinite": "fpIsInf({0})", "fp.isNegative": "fpIsNegative({0})",
    "fp.isPositive": "fpIsPositive({0})", "fp.isNaN": "fpIsNaN({0})", "fp.isZero": "fpIsZero({0})",
    "fp.isNormal": "fpIsNormal({0})", "fp.isSubnormal": "fpIsSubnormal({0})",
    "fp.to_real": "fpToReal({0})", "bvnego": "Not(BVSNegNoOverflow({0}))",
    "bvuaddo": "Not(BVAddNoOverflow({0}, {1}, False))",
    "bvumulo": "Not(BVMulNoOverflow({0}, {1}, False))",
    "bvusubo": "Not(BVSubNoUnderflow({0}, {1}, False))",
    "bvsdivo": "Not(BVSDivNoOverflow({0}, {1}))",
    "bvsaddo": "Not(And(BVAddNoOverflow({0}, {1}, True), BVAddNoUnderflow({0}, {1})))",
    "bvssubo": "Not(And(BVSubNoOverflow({0}, {1}), BVSubNoUnderflow({0}, {1}, True)))",
    "bvsmulo": "Not(And(BVMulNoOverflow({0}, {1}, True), BVMulNoUnderflow({0}, {1})))",
    "bvcomp": "If({0} == {1}, BitVecVal(1, 1), BitVecVal(0, 1))",
}

# Operators that take any number of arguments.
MANY = {
    "and": "And", "or": "Or", "distinct": "Distinct", "+": "Sum", "*": "Product", "concat": "Concat",
    "str.++": "Concat", "re.++": "Concat", "re.union": "Union", "re.inter": "Intersect",
}

INDEXED = {
    "extract": "Extract({i0}, {i1}, {0})", "zero_extend": "ZeroExt({i0}, {0})",
    "sign_extend": "SignExt({i0}, {0})", "repeat": "RepeatBitVec({i0}, {0})",
    "rotate_left": "RotateLeft({0}, {i0})", "rotate_right": "RotateRight({0}, {i0})",
    "int_to_bv": "Int2BV({0}, {i0})", "int2bv": "Int2BV({0}, {i0})",
    "re.^": "Loop({0}, {i0}, {i0})", "re.loop": "Loop({0}, {i0}, {i1})",
    "fp.to_ubv": "fpToUBV({0}, {1}, BitVecSort({i0}))",
    "fp.to_sbv": "fpToSBV({0}, {1}, BitVecSort({i0}))",
    "to_fp_unsigned": "fpUnsignedToFP({0}, {1}, FPSort({i0}, {i1}))",
}

SORTS = {
    "Bool": "BoolSort()", "Int": "IntSort()", "Real": "RealSort()", "String": "StringSort()",
    "RegLan": "ReSort(StringSort())", "RoundingMode": "RNE().sort()", "Float16": "FPSort(5, 11)",
    "Float32": "FPSort(8, 24)", "Float64": "FPSort(11, 53)", "Float128": "FPSort(15, 113)",
}
NULLARY = {
    "true": "BoolVal(True)", "false": "BoolVal(False)", "re.none": "Empty(ReSort(StringSort()))",
    "re.all": "Full(ReSort(StringSort()))", "re.allchar": "AllChar(ReSort(StringSort()))",
}
MODES = {
    "roundNearestTiesToEven": "RNE", "roundNearestTiesToAway": "RNA", "roundTowardPositive": "RTP",
    "roundTowardNegative": "RTN", "roundTowardZero": "RTZ",
}
SPECIAL = {
    "+oo": "fpPlusInfinity", "-oo": "fpMinusInfinity", "+zero": "fpPlusZero", "-zero": "fpMinusZero",
    "NaN": "fpNaN",
}


def listed(names):
    return ", ".join(names)


class Session(assay_api.Session):
    def __init__(self):
        super().__init__()
        # A context of its own would have to be named in every call.
        self.prelude = ["from z3 import *", "solver = Solver()"]
        for name, value in assay_session.switches(sys.argv[1:]):
            self.prelude.insert(1, f"set_param({name!r}, {value!r})")

    def logic(self, name):
        return None

    def option(self, name, value):
        if name == "produce-unsat-cores":
            self.run(f"solver.set(unsat_core={value == 'true'})")

    def new_sort(self, name):
        return f"DeclareSort({name!r})"

    def new_constant(self, name, sort):
        return f"Const({name!r}, {sort})"

    def new_function(self, name, params, result):
        return f"Function({listed([repr(name), *params, result])})"

    def new_variable(self, name, sort):
        return f"Const({name + '!' + str(self.count)!r}, {sort})"

    def simple_sort(self, name):
        return SORTS[name] if name in SORTS else self.missing("sort", name)

    def indexed_sort(self, name, indices):
        makers = {"BitVec": "BitVecSort", "FloatingPoint": "FPSort"}
        if name not in makers:
            self.missing("sort", name)
        return f"{makers[name]}({listed(map(str, indices))})"

    def built_sort(self, name, args):
        makers = {"Array": "ArraySort", "Seq": "SeqSort"}
        if name not in makers:
            self.missing("sort", name)
        return f"{makers[name]}({listed(args)})"

    def quantified(self, kind, variables, body):
        return f"{'ForAll' if kind == 'forall' else 'Exists'}([{listed(variables)}], {body})"

    def constant_array(self, sort, value):
        return f"K({sort}.domain(), {value})"

    def called(self, function, args):
        return f"{function}({listed(args)})"

    def operation(self, operator, args):
        if operator == "-":
            return f"-{args[0]}" if len(args) == 1 else f"{args[0]} - {args[1]}"
        if operator in MANY:
            return args[0] if len(args) == 1 else f"{MANY[operator]}({listed(args)})"
        if operator not in CALLS:
            self.missing("operator", operator)
        return CALLS[operator].format(*args)

    def indexed(self, operator, indices, args):
        places = {f"i{at}": index for at, index in enumerate(indices)}
        if operator == "to_fp":
            sort = f"FPSort({listed(indices)})"
            if len(args) == 1:
                return self.value(f"fpBVToFP({args[0]}, {sort})")
            value = self.get(args[1])
            call = (
                "fpFPToFP" if z3.is_fp(value)
                else "fpSignedToFP" if z3.is_bv(value)
                else "fpRealToFP"
            )
            return self.value(f"{call}({listed(args)}, {sort})")
        if operator not in INDEXED:
            self.missing("operator", operator)
        return self.value(INDEXED[operator].format(*args, **places))

    def string(self, text):
        return f"StringVal({text!r})"

    def integer(self, text):
        return f"IntVal({text!r})"

    def real(self, text):
        return f"RealVal({text!r})"

    def bit_vector(self, width, value):
        return f"BitVecVal({value}, {width})"

    def special_float(self, name, exponent, significand):
        return f"{SPECIAL[name]}(FPSort({exponent}, {significand}))"

    def nullary(self, token):
        mode = MODES.get(token, token)
        if mode in MODES.values():
            return f"{mode}()"
        return NULLARY[token] if token in NULLARY else self.missing(token)

    def affirm(self, term, name):
        if name is None:
            self.run(f"solver.add({term})")
        else:
            self.run(f"solver.assert_and_track({term}, {name!r})")

    def scope(self, word, levels):
        for _ in range(levels):
            super().scope(word, 1)

    def check(self, assumed):
        self.run(f"result = solver.check({listed(assumed)}); print(result)")
        return str(self.get("result"))

    def model(self):
        self.run("model = solver.model(); print(model.sexpr())")
        return "(\n" + self.get("model").sexpr() + "\n)\n"

    def core(self):
        self.run("core = solver.unsat_core(); print(core)")
        return [assay_api.symbol(str(it).strip("|")) for it in self.get("core")]

    def info(self, what):
        return self.missing(what)

    def run(self, line):
        # What the script prints, the answer says in its own way.
        self.names["print"] = lambda *_: None
        if line.startswith("solver.push(") or line.startswith("solver.pop("):
            line = line.replace("push(1)", "push()").replace("pop(1)", "pop()")
        super().run(line)


assay_session.serve("Z3", z3.get_version_string(), Session)
