//! A unit as text, with the conventions of SV-COMP.
//!
//! Every operand except names, numbers and calls is put in parentheses, so no reader or compiler needs
//! to know precedences; only chains of one logical operator have none.

use super::float;
use super::tree::{
    Binary, Block, Expr, Function, Rounded, Stmt, Unary, Unit, called_early, each_call,
};
use super::types::{Scalar, Type};
use std::fmt::Write;

/// How compactly a program is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Layout {
    /// One line per statement.
    Full,
    /// An `if` with a single statement on one line.
    Brief,
}

/// The file.
#[must_use]
pub fn print(unit: &Unit, layout: Layout) -> String {
    let mut out = String::new();
    let mut used = [false; Scalar::ALL.len()];
    let mut recoded = [false; Scalar::ALL.len()];
    let mut rounded: Vec<Rounded> = Vec::new();
    unit.each_expr(&mut |expr| match expr {
        Expr::Input(scalar, _) => used[*scalar as usize] = true,
        Expr::Recode(scalar, _) => recoded[*scalar as usize] = true,
        Expr::Rounded(of, _) if !rounded.contains(of) => rounded.push(*of),
        _ => {}
    });
    for scalar in Scalar::ALL.into_iter().filter(|scalar| used[*scalar as usize]) {
        // The type that SV-COMP's function returns has a plain name; everywhere else the sign is explicit.
        let name = if scalar == Scalar::Char { "char" } else { scalar.name() };
        line(&mut out, 0, &format!("extern {name} {}(void);", scalar.source()));
    }
    if is_called(unit, Unit::ABORT) {
        out += ABORT;
    }
    if is_called(unit, Unit::ERROR) {
        out += ERROR;
    }
    for (number, bits) in [(Scalar::Float, Scalar::UInt), (Scalar::Double, Scalar::ULong)] {
        let is_used = |scalar: Scalar| recoded[scalar as usize];
        encodings(&mut out, (number, bits), (is_used(number), is_used(bits)));
    }
    if !rounded.is_empty() {
        line(&mut out, 0, "extern int fesetround(int);");
    }
    rounded.iter().for_each(|of| rounding(&mut out, *of));
    for structure in &unit.structs {
        line(&mut out, 0, &format!("struct {} {{", structure.name));
        for (ty, name) in &structure.fields {
            line(&mut out, 1, &format!("{};", declared(ty, name)));
        }
        line(&mut out, 0, "};");
    }
    for global in &unit.globals {
        line(&mut out, 0, &format!("static {};", declared(&global.ty, &global.name)));
    }
    for function in called_early(unit) {
        line(&mut out, 0, &format!("{};", head(function)));
    }
    for function in &unit.functions {
        line(&mut out, 0, &format!("{} {{", head(function)));
        block(&mut out, 1, &function.body, layout);
        line(&mut out, 0, "}");
    }
    out
}

/// The function that ends a run without the error.
const ABORT: &str = "extern void abort(void) __attribute__((__noreturn__));\n";

/// The function that SV-COMP calls the error.
const ERROR: &str = "extern void __assert_fail(const char *, const char *, unsigned int, \
const char *) __attribute__((__noreturn__));\n\
void reach_error(void) { __assert_fail(\"0\", \"program.c\", 1, \"reach_error\"); }\n";

/// The functions between the numbers of a floating-point type and their encodings, those that are used.
fn encodings(out: &mut String, (number, bits): (Scalar, Scalar), used: (bool, bool)) {
    let (number_name, bits_name) = (number.name(), bits.name());
    let union = format!("union {number_name}_bits");
    if used.0 || used.1 {
        line(out, 0, &format!("{union} {{ {bits_name} bits; {number_name} number; }};"));
    }
    let mut function = |to: Scalar, from: Scalar, take: &str, give: &str| {
        let (to_name, from_name, recode) = (to.name(), from.name(), recode(to));
        let body = format!("{union} both; both.{take} = {take}; return both.{give};");
        line(out, 0, &format!("static {to_name} {recode}({from_name} {take}) {{ {body} }}"));
    };
    if used.0 {
        function(number, bits, "bits", "number");
    }
    if used.1 {
        function(bits, number, "number", "bits");
    }
}

/// The name of the function that gives a number of a floating-point type, or the encoding of one.
fn recode(to: Scalar) -> &'static str {
    match to {
        Scalar::Float => "float_of_bits",
        Scalar::Double => "double_of_bits",
        Scalar::UInt => "bits_of_float",
        _ => "bits_of_double",
    }
}

/// The function of an operation in a rounding mode. Accesses to volatile variables keep their order among
/// calls, so that a compiler leaves the operation where the mode is set.
fn rounding(out: &mut String, of: Rounded) {
    let (from, to) = (of.from.name(), of.to.name());
    let set =
        |mode| float::word(mode).map_or_else(String::new, |word| format!("fesetround({word});"));
    let (params, operands, value) = match of.op {
        Some(op) => (
            format!("{from} a, {from} b"),
            format!("volatile {from} x = a, y = b;"),
            format!("x {} y", op.name()),
        ),
        None => (format!("{from} a"), format!("volatile {from} x = a;"), format!("({to})x")),
    };
    line(out, 0, &format!("static {to} {}({params}) {{", rounding_name(of)));
    line(out, 1, &operands);
    line(out, 1, &format!("volatile {to} result;"));
    line(out, 1, &set(of.mode));
    line(out, 1, &format!("result = {value};"));
    line(out, 1, &set(float::NEAREST));
    line(out, 1, "return result;");
    line(out, 0, "}");
}

/// The name of the function of an operation in a rounding mode.
fn rounding_name(of: Rounded) -> String {
    let what = match of.op {
        Some(Binary::Add) => "add".to_owned(),
        Some(Binary::Sub) => "sub".to_owned(),
        Some(Binary::Mul) => "mul".to_owned(),
        Some(_) => "div".to_owned(),
        None => format!("from_{}", of.from.name().replace(' ', "_")),
    };
    format!("{}_{what}_{}", of.mode.short_name().to_lowercase(), of.to.name())
}

fn line(out: &mut String, depth: usize, text: &str) {
    for _ in 0..depth {
        out.push_str("  ");
    }
    out.push_str(text);
    out.push('\n');
}

fn is_called(unit: &Unit, name: &str) -> bool {
    let mut called = false;
    for function in &unit.functions {
        each_call(&function.body, &mut |known, _| called |= &**known == name);
    }
    called
}

fn head(function: &Function) -> String {
    let params: Vec<String> =
        function.params.iter().map(|param| declared(&param.ty, &param.name)).collect();
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let result = function.result.map_or("void", Scalar::name);
    let hidden = if &*function.name == "main" { "" } else { "static " };
    format!("{hidden}{result} {}({params})", function.name)
}

/// A declaration without its semicolon.
fn declared(ty: &Type, name: &str) -> String {
    let (mut base, mut declarator) = (ty, name.to_owned());
    loop {
        match base {
            Type::Array(inner, size) => {
                if declarator.starts_with('*') {
                    declarator = format!("({declarator})");
                }
                let _ = write!(declarator, "[{size}]");
                base = inner;
            }
            Type::Pointer(inner) => {
                declarator.insert(0, '*');
                base = inner;
            }
            Type::Scalar(scalar) => return format!("{} {declarator}", scalar.name()),
            Type::Struct(name) => return format!("struct {name} {declarator}"),
        }
    }
}

fn block(out: &mut String, depth: usize, stmts: &Block, layout: Layout) {
    stmts.iter().for_each(|stmt| statement(out, depth, stmt, layout));
}

fn statement(out: &mut String, depth: usize, stmt: &Stmt, layout: Layout) {
    match stmt {
        Stmt::Declare(ty, name, None) => {
            line(out, depth, &format!("{};", declared(ty, name)));
        }
        Stmt::Declare(ty, name, Some(init)) => {
            line(out, depth, &format!("{} = {};", declared(ty, name), expression(init)));
        }
        Stmt::Assign(place, value) => {
            line(out, depth, &format!("{} = {};", expression(place), expression(value)));
        }
        Stmt::Call(name, args) => line(out, depth, &format!("{name}({});", list(args))),
        Stmt::If(condition, yes, no) => choice(out, depth, "", (condition, yes, no), layout),
        Stmt::While(condition, body) => {
            line(out, depth, &format!("while ({}) {{", expression(condition)));
            block(out, depth + 1, body, layout);
            line(out, depth, "}");
        }
        Stmt::Count(name, size, body) => {
            let head = format!(
                "for (unsigned int {name} = 0U; {name} < {size}U; {name} = {name} + 1U) {{"
            );
            line(out, depth, &head);
            block(out, depth + 1, body, layout);
            line(out, depth, "}");
        }
        Stmt::Switch(subject, cases) => {
            line(out, depth, &format!("switch ({}) {{", expression(subject)));
            for (value, body) in cases {
                line(out, depth, &format!("case {value}: {{"));
                block(out, depth + 1, body, layout);
                line(out, depth + 1, "break;");
                line(out, depth, "}");
            }
            line(out, depth, "default:");
            line(out, depth + 1, "break;");
            line(out, depth, "}");
        }
        Stmt::Discard(value) => line(out, depth, &format!("(void){};", expression(value))),
        Stmt::Return(None) => line(out, depth, "return;"),
        Stmt::Return(Some(value)) => line(out, depth, &format!("return {};", expression(value))),
    }
}

/// A chain of `if`s, without nesting after `else`.
fn choice(
    out: &mut String,
    depth: usize,
    lead: &str,
    parts: (&Expr, &Block, &Block),
    layout: Layout,
) {
    let (condition, yes, no) = parts;
    let head = format!("{lead}if ({}) {{", expression(condition));
    if let ([only], [], Layout::Brief) = (yes.as_slice(), no.as_slice(), layout) {
        if only.blocks().is_empty() {
            let mut inner = String::new();
            statement(&mut inner, 0, only, layout);
            return line(out, depth, &format!("{head} {} }}", inner.trim_end()));
        }
    }
    line(out, depth, &head);
    block(out, depth + 1, yes, layout);
    match no.as_slice() {
        [] => line(out, depth, "}"),
        [Stmt::If(condition, yes, no)] => {
            choice(out, depth, "} else ", (condition, yes, no), layout)
        }
        _ => {
            line(out, depth, "} else {");
            block(out, depth + 1, no, layout);
            line(out, depth, "}");
        }
    }
}

fn list(args: &[Expr]) -> String {
    args.iter().map(expression).collect::<Vec<_>>().join(", ")
}

/// An expression as text.
fn expression(expr: &Expr) -> String {
    let mut out = String::new();
    write(&mut out, expr);
    out
}

fn write(out: &mut String, expr: &Expr) {
    match expr {
        Expr::Number(value, scalar) => number(out, *value, *scalar),
        Expr::Var(name) => out.push_str(name),
        Expr::Input(scalar, _) => {
            out.push_str(scalar.source());
            out.push_str("()");
        }
        Expr::Unary(op, a) => {
            out.push(match op {
                Unary::Minus => '-',
                Unary::Complement => '~',
                Unary::Not => '!',
            });
            // Two minus signs would be another operator.
            operand(out, a, matches!(**a, Expr::Unary(..)) || is_negative(a));
        }
        Expr::Binary(op, a, b) => {
            let is_logical = matches!(op, Binary::Both | Binary::Either);
            match &**a {
                // Compilers limit the nesting depth of parentheses.
                Expr::Binary(same, ..) if is_logical && same == op => write(out, a),
                // Compilers warn about a negation before another operator.
                Expr::Unary(Unary::Not, _) => operand(out, a, !is_logical),
                _ => operand(out, a, false),
            }
            out.push(' ');
            out.push_str(op.name());
            out.push(' ');
            operand(out, b, false);
        }
        Expr::Cond(a, b, c) => {
            operand(out, a, false);
            out.push_str(" ? ");
            operand(out, b, false);
            out.push_str(" : ");
            operand(out, c, false);
        }
        Expr::Cast(scalar, a) => {
            out.push('(');
            out.push_str(scalar.name());
            out.push(')');
            operand(out, a, false);
        }
        Expr::Recode(scalar, a) => {
            out.push_str(recode(*scalar));
            out.push('(');
            write(out, a);
            out.push(')');
        }
        Expr::Call(name, args) => called(out, name, args),
        Expr::Rounded(of, args) => called(out, &rounding_name(*of), args),
        Expr::Index(a, at) => {
            operand(out, a, matches!(**a, Expr::Deref(_) | Expr::Cast(..)));
            out.push('[');
            write(out, at);
            out.push(']');
        }
        Expr::Field(a, name) | Expr::Arrow(a, name) => {
            operand(out, a, matches!(**a, Expr::Deref(_) | Expr::Address(_) | Expr::Cast(..)));
            out.push_str(if matches!(expr, Expr::Field(..)) { "." } else { "->" });
            out.push_str(name);
        }
        Expr::Address(a) => {
            out.push('&');
            operand(out, a, false);
        }
        Expr::Deref(a) => {
            out.push('*');
            operand(out, a, false);
        }
    }
}

fn called(out: &mut String, name: &str, args: &[Expr]) {
    out.push_str(name);
    out.push('(');
    out.push_str(&list(args));
    out.push(')');
}

fn is_negative(expr: &Expr) -> bool {
    matches!(expr, Expr::Number(value, _) if *value < 0)
}

fn operand(out: &mut String, expr: &Expr, apart: bool) {
    if apart || matches!(expr, Expr::Binary(..) | Expr::Cond(..)) {
        out.push('(');
        write(out, expr);
        out.push(')');
    } else {
        write(out, expr);
    }
}

/// A number of a type; narrow types have no literals, and the least values are written as sums.
fn number(out: &mut String, value: i128, scalar: Scalar) {
    let suffix = match scalar.promoted() {
        Scalar::UInt => "U",
        Scalar::Long => "L",
        Scalar::ULong => "UL",
        _ => "",
    };
    if scalar == Scalar::U128 {
        return wide_number(out, value as u128);
    }
    if scalar.is_float() {
        return out.push_str(&float::literal(value, scalar));
    }
    let (least, _) = scalar.promoted().range();
    let _ = match value {
        _ if value == least && value < 0 => write!(out, "(-{}{suffix} - 1{suffix})", -(value + 1)),
        _ if value < 0 => write!(out, "(-{}{suffix})", -value),
        _ => write!(out, "{value}{suffix}"),
    };
}

/// A number of 128 bits, which has no literals: its two halves.
fn wide_number(out: &mut String, value: u128) {
    let name = Scalar::U128.name();
    let (high, low) = (value >> 64, value & u128::from(u64::MAX));
    let _ = match high {
        0 => write!(out, "(({name}){low}UL)"),
        _ => write!(out, "((({name}){high}UL << 64) | {low}UL)"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::tree::Name;

    fn text(expr: &Expr) -> String {
        expression(expr)
    }

    #[test]
    fn numbers_are_written_in_their_types() {
        let number = |value: i128, scalar| text(&Expr::number(value, scalar));
        assert_eq!(number(5, Scalar::Int), "5");
        assert_eq!(number(-5, Scalar::Long), "(-5L)");
        assert_eq!(number(i128::from(i64::MIN), Scalar::Long), "(-9223372036854775807L - 1L)");
        assert_eq!(number(i128::from(i32::MIN), Scalar::Int), "(-2147483647 - 1)");
        assert_eq!(number(i128::from(u64::MAX), Scalar::ULong), "18446744073709551615UL");
        assert_eq!(number(255, Scalar::UChar), "255");
        assert_eq!(number(7, Scalar::U128), "((unsigned __int128)7UL)");
        let most = "(((unsigned __int128)18446744073709551615UL << 64) | 18446744073709551615UL)";
        assert_eq!(number(-1, Scalar::U128), most);
    }

    #[test]
    fn only_operands_are_parenthesized() {
        let (x, y) = (Expr::var(&Name::from("x")), Expr::var(&Name::from("y")));
        let sum = Expr::binary(Binary::Add, x.clone(), y.clone());
        let product = Expr::binary(Binary::Mul, sum, Expr::unary(Unary::Minus, y.clone()));
        assert_eq!(text(&product), "(x + y) * -y");
        assert_eq!(text(&product.cast(Scalar::UChar)), "(unsigned char)((x + y) * -y)");
        let minus = Expr::unary(Unary::Minus, Expr::unary(Unary::Minus, x.clone()));
        assert_eq!(text(&minus), "-(-x)");
        let element = Expr::Index(Box::new(Expr::Deref(Box::new(x))), Box::new(y));
        assert_eq!(text(&element), "(*x)[y]");
        let not = || Expr::unary(Unary::Not, Expr::var(&Name::from("x")));
        assert_eq!(text(&Expr::binary(Binary::Ne, not(), not())), "(!x) != !x");
        let both = |a, b| Expr::binary(Binary::Both, a, b);
        assert_eq!(text(&both(both(not(), not()), both(not(), not()))), "!x && !x && (!x && !x)");
    }

    #[test]
    fn declarations_follow_c_declarator_syntax() {
        let array = |inner: Type, size| Type::Array(Box::new(inner), size);
        let matrix = array(array(Scalar::UInt.into(), 3), 2);
        assert_eq!(declared(&matrix, "m"), "unsigned int m[2][3]");
        let row = Type::Pointer(Box::new(array(Scalar::UChar.into(), 3)));
        assert_eq!(declared(&row, "r"), "unsigned char (*r)[3]");
        let pointer = Type::Pointer(Box::new(Type::Struct("s".into())));
        assert_eq!(declared(&pointer, "p"), "struct s *p");
    }
}
