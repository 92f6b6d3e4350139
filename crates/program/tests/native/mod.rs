//! Programs compiled and run by gcc.

use assay_program::ProgramTree;
use assay_program::c::{Layout, Scalar, print};
use std::path::Path;
use std::process::Command;

/// Whether there is a compiler; required where targets are.
#[allow(clippy::print_stderr, reason = "a test that is skipped says so")]
pub fn is_here() -> bool {
    let here = Command::new("gcc").arg("--version").output().is_ok();
    if !here {
        assert!(std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none(), "there is no gcc");
        eprintln!("skipped: there is no gcc");
    }
    here
}

/// Compiles a program without warnings and runs it on its witness under the sanitizers.
pub fn compiled(folder: &Path, name: &str, program: &ProgramTree) {
    let text = print(&program.unit, Layout::Full);
    let mut all = String::from("#include <stdio.h>\n#include <stdlib.h>\n");
    let mut tape = String::new();
    for (_, value) in &program.inputs {
        tape += &format!("{}UL, ", *value as u64);
    }
    all += &format!("static unsigned long tape[] = {{ {tape} 0UL }};\nstatic int at;\n");
    for scalar in Scalar::ALL {
        let result = if scalar == Scalar::Char { "char" } else { scalar.name() };
        let source = scalar.source();
        // Floating-point numbers are on the tape as their encodings.
        let value = match scalar.is_float() {
            true => format!("{result} x; __builtin_memcpy(&x, &tape[at++], sizeof x); return x;"),
            false => format!("return ({result})tape[at++];"),
        };
        all += &format!("{result} {source}(void);\n{result} {source}(void) {{ {value} }}\n");
    }
    all += "void __assert_fail(const char *a, const char *b, unsigned int c, const char *d) \
            { (void)a; (void)b; (void)c; (void)d; puts(\"reached\"); exit(0); }\n";
    let (main, frame) = (folder.join(format!("{name}.c")), folder.join("frame.c"));
    std::fs::write(&main, &text).expect("a file");
    std::fs::write(&frame, all).expect("a file");
    let binary = folder.join(name);
    let flags = ["-std=c11", "-Wall", "-Wextra", "-Werror"];
    let object = folder.join("program.o");
    let said = Command::new("gcc")
        .args(flags)
        .args(["-fsanitize=undefined,float-cast-overflow", "-fno-sanitize-recover=all"])
        .arg("-ffp-contract=off")
        .arg("-c")
        .arg("-o")
        .arg(&object)
        .arg(&main)
        .output()
        .expect("there is gcc");
    assert!(said.status.success(), "{}\n{text}", String::from_utf8_lossy(&said.stderr));
    let said = Command::new("gcc")
        .args(["-w", "-fsanitize=undefined,float-cast-overflow", "-o"])
        .arg(&binary)
        .arg(&object)
        .arg(&frame)
        .arg("-lm")
        .output()
        .expect("there is gcc");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let ran = Command::new(&binary).output().expect("it runs");
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(out.trim(), "reached", "{err}\n{text}");
}
