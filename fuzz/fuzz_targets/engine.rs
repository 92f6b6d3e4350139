//! The worker of `assay run domains --engine libfuzzer`: it answers the same requests as every worker,
//! and libFuzzer chooses its inputs.
//!
//! usage: assay-libfuzzer TARGET HEARTBEAT [--folder FOLDER]
//!
//! libFuzzer calls and wants to be called back; a search asks for the next input. So libFuzzer runs on a
//! thread of its own, and its callback hands each input over and waits until the search has tried it.
//! Only one of the two threads ever runs, and counters of coverage belong to the process: libFuzzer sees
//! the code that an input ran. Built-in domains are instrumented, and so is a plug-in that clang
//! compiled with `-fsanitize=fuzzer-no-link`; of other libraries, the features of results guide it.

use assay_lattice::protocol::{Plan, serve};
use assay_lattice::{Engine, FirstCases, Inputs};
use std::collections::BTreeSet;
use std::error::Error;
use std::ffi::{CString, OsString, c_char, c_int};
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

// For its libFuzzer alone.
use libfuzzer_sys as _;

/// What libFuzzer takes for coverage beside that of instrumented code.
const COUNTERS: usize = 1 << 16;

#[unsafe(link_section = "__libfuzzer_extra_counters")]
static mut EXTRA: [u8; COUNTERS] = [0; COUNTERS];

/// Where libFuzzer keeps inputs with new coverage, in the worker's own folder.
const CORPUS: &str = "corpus";

/// The stack of libFuzzer's thread, which runs no domain.
const STACK: usize = 16 << 20;

unsafe extern "C" {
    fn LLVMFuzzerTestOneInput(data: *const u8, size: usize) -> c_int;
    fn LLVMFuzzerRunDriver(
        count: *mut c_int,
        words: *mut *mut *mut c_char,
        callback: unsafe extern "C" fn(*const u8, usize) -> c_int,
    ) -> c_int;
}

/// The callback's ends of the two channels.
struct Ends {
    inputs: SyncSender<Vec<u8>>,
    tried: Receiver<()>,
}

static ENDS: Mutex<Option<Ends>> = Mutex::new(None);

/// Hands an input to the search, and waits until it was tried. libfuzzer-sys calls it by this name.
#[unsafe(no_mangle)]
#[allow(improper_ctypes_definitions, reason = "Rust calls it")]
extern "C" fn rust_fuzzer_test_input(input: &[u8]) -> c_int {
    if let Some(Ends { inputs, tried }) = &*ENDS.lock().expect("only this thread takes it") {
        // The search may be over; then the process ends.
        let _ = inputs.send(input.to_vec()).map(|()| tried.recv());
    }
    0
}

/// The inputs that libFuzzer chooses.
struct Chosen {
    /// What libFuzzer is told when the first input is asked for.
    words: Option<Vec<String>>,
    inputs: Receiver<Vec<u8>>,
    tried: SyncSender<()>,
    /// Whether libFuzzer waits for an input to be tried.
    waits: bool,
    /// The inputs that were passed on or came from earlier workers.
    told: BTreeSet<OsString>,
}

impl Chosen {
    fn new(plan: &Plan) -> io::Result<Chosen> {
        std::fs::create_dir_all(CORPUS)?;
        let (inputs, handed) = sync_channel(0);
        let (tried, was_tried) = sync_channel(0);
        *ENDS.lock().expect("libFuzzer does not run yet") = Some(Ends { inputs, tried: was_tried });
        // Zero would mean any seed. Crashes, hangs and memory are the matter of whoever started us.
        let words = [
            "assay-libfuzzer".to_owned(),
            format!("-seed={}", plan.seed % u64::from(u32::MAX) + 1),
            format!("-max_len={}", plan.config.length()),
            "-len_control=0".to_owned(),
            "-timeout=0".to_owned(),
            "-rss_limit_mb=0".to_owned(),
            "-detect_leaks=0".to_owned(),
            "-reload=0".to_owned(),
            "-verbosity=0".to_owned(),
        ];
        let signals = ["segv", "bus", "abrt", "ill", "fpe", "int", "term", "xfsz", "usr1", "usr2"];
        let signals = signals.iter().map(|signal| format!("-handle_{signal}=0"));
        let words = words.into_iter().chain(signals).chain([CORPUS.to_owned()]).collect();
        let told = BTreeSet::new();
        Ok(Chosen { words: Some(words), inputs: handed, tried, waits: false, told })
    }

    /// Lets libFuzzer see what the last input ran.
    fn release(&mut self) {
        if std::mem::take(&mut self.waits) {
            self.tried.send(()).expect("libFuzzer does not end by itself");
        }
    }
}

/// Runs libFuzzer for ever.
fn drive(words: Vec<String>) {
    let words: Vec<CString> =
        words.into_iter().map(|word| CString::new(word).expect("no word has a zero")).collect();
    let mut pointers: Vec<*mut c_char> =
        words.iter().map(|word| word.as_ptr().cast_mut()).collect();
    pointers.push(std::ptr::null_mut());
    let mut count = c_int::try_from(words.len()).expect("they are few");
    let mut start = pointers.as_mut_ptr();
    // SAFETY: the words end with zeros, their list with a null pointer, and both outlive the call.
    unsafe { LLVMFuzzerRunDriver(&raw mut count, &raw mut start, LLVMFuzzerTestOneInput) };
}

impl Inputs for Chosen {
    fn next(&mut self) -> Vec<u8> {
        if let Some(words) = self.words.take() {
            let thread = std::thread::Builder::new().stack_size(STACK);
            thread.spawn(|| drive(words)).expect("there is room for a thread");
        }
        self.release();
        let input = self.inputs.recv().expect("libFuzzer does not end by itself");
        self.waits = true;
        input
    }

    fn first_cases(&self) -> FirstCases {
        FirstCases::Before
    }

    fn learn(&mut self, features: &[u64]) {
        for feature in features {
            let place = (*feature as usize) % COUNTERS;
            // SAFETY: libFuzzer's thread waits in its callback.
            unsafe { EXTRA[place] = 1 };
        }
    }

    fn learns(&self) -> bool {
        true
    }

    fn recall(&mut self, corpus: Vec<Vec<u8>>) {
        for (number, input) in corpus.into_iter().enumerate() {
            let name = format!("recalled-{number}");
            // Without them, the search only begins with less.
            if std::fs::write(Path::new(CORPUS).join(&name), input).is_ok() {
                self.told.insert(name.into());
            }
        }
    }

    fn learnt(&mut self) -> Vec<Vec<u8>> {
        let Ok(entries) = std::fs::read_dir(CORPUS) else { return Vec::new() };
        let files = entries.filter_map(Result::ok);
        let new = files.filter(|file| self.told.insert(file.file_name()));
        new.filter_map(|file| std::fs::read(file.path()).ok()).collect()
    }
}

fn source(plan: &Plan) -> Result<Box<dyn Inputs>, String> {
    if plan.engine != Engine::Libfuzzer {
        return Err(format!("this worker has no engine `{}`", plan.engine.name()));
    }
    Ok(Box::new(Chosen::new(plan).map_err(|error| format!("{CORPUS}: {error}"))?))
}

fn work() -> Result<(), Box<dyn Error>> {
    let channel = assay_plugin::private_channel()?;
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (target, heartbeat, folder) = match &words[..] {
        [target, heartbeat] => (target, heartbeat, None),
        [target, heartbeat, flag, folder] if flag == "--folder" => {
            (target, heartbeat, Some(PathBuf::from(folder)))
        }
        _ => return Err("usage: assay-libfuzzer TARGET HEARTBEAT [--folder FOLDER]".into()),
    };
    let heartbeat = OpenOptions::new().read(true).write(true).open(heartbeat)?;
    let name: assay_target::TargetName = target.parse()?;
    if name.name == "command" {
        return Err("libFuzzer does not see what another program runs; use --engine guided".into());
    }
    let tester = assay_plugin::load(&name.name, name.variant.as_deref(), folder.as_deref())?;
    serve(&*tester, &source, &heartbeat, io::stdin().lock(), channel)?;
    Ok(())
}

fn main() {
    let code = match work() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            2
        }
    };
    // libFuzzer takes an exit from within its callback for a crash.
    // SAFETY: it takes a plain number; nothing is left to be written.
    unsafe { libc::_exit(code) };
}
