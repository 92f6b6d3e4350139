//! APRON: its boxes, octagons and polyhedra over several number types, and PPL's domains through it.

use crate::library::{Library, LoadError, Places, Symbols, function};
use assay_lattice::{Constraint, Domain, Linear, Profile, Relation, Shape, Truth};
use std::cell::Cell;
use std::ffi::{c_char, c_int, c_long, c_uint, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

/// The domains: name, library, constructor, kind.
const DOMAINS: [(&str, &str, &str, Shape); 9] = [
    ("boxMPQ", "libboxMPQ.so", "box_manager_alloc", Shape::Intervals),
    ("boxD", "libboxD.so", "box_manager_alloc", Shape::Intervals),
    ("boxMPFR", "libboxMPFR.so", "box_manager_alloc", Shape::Intervals),
    ("octMPQ", "liboctMPQ.so", "oct_manager_alloc", Shape::Octagons),
    ("octD", "liboctD.so", "oct_manager_alloc", Shape::Octagons),
    ("polkaMPQ", "libpolkaMPQ.so", "pk_manager_alloc", Shape::Polyhedra),
    ("polkaRll", "libpolkaRll.so", "pk_manager_alloc", Shape::Polyhedra),
    ("ppl", "libap_ppl.so", "ap_ppl_poly_manager_alloc", Shape::Polyhedra),
    ("grid", "libap_ppl.so", "ap_ppl_grid_manager_alloc", Shape::Grids),
];

/// The names of APRON's domains.
pub const APRON_NAMES: [&str; 9] = {
    let mut names = [""; 9];
    let mut at = 0;
    while at < 9 {
        names[at] = DOMAINS[at].0;
        at += 1;
    }
    names
};

/// The type of the program's variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variables {
    /// Integers.
    Integers,
    /// Real numbers.
    Reals,
}

/// `ap_coeff_t`: a number, as a pointer to it.
#[repr(C)]
#[derive(Clone, Copy)]
struct Coefficient {
    kind: c_int,
    value: *mut c_void,
}

/// `ap_linexpr0_t`.
#[repr(C)]
struct Expression {
    constant: Coefficient,
    kind: c_int,
    size: usize,
    coefficients: *mut Coefficient,
}

/// `ap_lincons0_t`.
#[repr(C)]
struct Comparison {
    sum: *mut Expression,
    relation: c_int,
    modulus: *mut c_void,
}

/// `ap_lincons0_array_t`.
#[repr(C)]
struct Comparisons {
    first: *mut Comparison,
    size: usize,
}

type Manager = *mut c_void;
type Abstract = *mut c_void;
type Unary = unsafe extern "C" fn(Manager, Abstract) -> bool;
type Binary = unsafe extern "C" fn(Manager, Abstract, Abstract) -> bool;
type Combine = unsafe extern "C" fn(Manager, bool, Abstract, Abstract) -> Abstract;
type Widen = unsafe extern "C" fn(Manager, Abstract, Abstract) -> Abstract;
type Make = unsafe extern "C" fn(Manager, usize, usize) -> Abstract;

/// The APRON functions that are called.
struct Functions {
    top: Make,
    bottom: Make,
    copy: unsafe extern "C" fn(Manager, Abstract) -> Abstract,
    free: unsafe extern "C" fn(Manager, Abstract),
    is_leq: Binary,
    is_eq: Binary,
    is_bottom: Unary,
    is_top: Unary,
    join: Combine,
    meet: Combine,
    widen: Widen,
    narrow: Option<Widen>,
    canonicalize: unsafe extern "C" fn(Manager, Abstract),
    assign: unsafe extern "C" fn(
        Manager,
        bool,
        Abstract,
        c_uint,
        *mut Expression,
        Abstract,
    ) -> Abstract,
    forget: unsafe extern "C" fn(Manager, bool, Abstract, *mut c_uint, usize, bool) -> Abstract,
    guard: unsafe extern "C" fn(Manager, bool, Abstract, *mut Comparisons) -> Abstract,
    constraints: unsafe extern "C" fn(Manager, Abstract) -> Comparisons,
    print: unsafe extern "C" fn(*mut libc::FILE, *mut Comparisons, *mut *mut c_char),
    clear: unsafe extern "C" fn(*mut Comparisons),
    flag_exact: unsafe extern "C" fn(Manager) -> bool,
    flag_best: unsafe extern "C" fn(Manager) -> bool,
    new_sum: unsafe extern "C" fn(c_int, usize) -> *mut Expression,
    free_sum: unsafe extern "C" fn(*mut Expression),
    set: unsafe extern "C" fn(*mut Coefficient, c_long),
    set_double: unsafe extern "C" fn(*mut Coefficient, f64),
}

/// A domain of APRON.
pub struct Apron {
    profile: Profile,
    shared: Rc<Shared>,
    variables: Variables,
    approximated: Cell<bool>,
}

struct Shared {
    functions: Functions,
    manager: Manager,
}

/// An element, freed when it is dropped.
pub struct Element {
    shared: Rc<Shared>,
    address: Abstract,
    /// The flag that the library set for the operation that made it: 1 for exact, 2 for best.
    flags: u8,
}

impl Clone for Element {
    fn clone(&self) -> Element {
        // SAFETY: the element is alive and belongs to the manager.
        let address = unsafe { (self.shared.functions.copy)(self.shared.manager, self.address) };
        Element { shared: Rc::clone(&self.shared), address, flags: self.flags }
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        // SAFETY: the element is alive, belongs to the manager, and is not used afterwards.
        unsafe { (self.shared.functions.free)(self.shared.manager, self.address) }
    }
}

/// A linear expression in APRON's representation, freed when it is dropped.
struct Sum<'f> {
    functions: &'f Functions,
    address: *mut Expression,
}

impl<'f> Sum<'f> {
    fn new(functions: &'f Functions, sum: &Linear) -> Sum<'f> {
        // SAFETY: zero requests the dense form, whose array has as many entries as requested; they
        // are initialised, and each is set through a pointer into the array.
        let address = unsafe {
            let address = (functions.new_sum)(0, sum.coefficients.len());
            for (at, coefficient) in sum.coefficients.iter().enumerate() {
                (functions.set)((*address).coefficients.add(at), *coefficient);
            }
            match c_long::try_from(sum.constant) {
                Ok(constant) => (functions.set)(&raw mut (*address).constant, constant),
                // The one constant that has more bits is a power of two, which is a double.
                Err(_) => (functions.set_double)(&raw mut (*address).constant, 2f64.powi(63)),
            }
            address
        };
        Sum { functions, address }
    }
}

impl Drop for Sum<'_> {
    fn drop(&mut self) {
        // SAFETY: it came from `ap_linexpr0_alloc` and is not used afterwards.
        unsafe { (self.functions.free_sum)(self.address) }
    }
}

impl Apron {
    /// Loads a domain from a folder, or from the system's libraries.
    ///
    /// # Errors
    /// If there is no such domain or no such library.
    pub fn load(
        folder: Option<&Path>,
        name: &str,
        variables: Variables,
    ) -> Result<Apron, LoadError> {
        let known = || APRON_NAMES.join(", ");
        let row = DOMAINS.iter().find(|row| row.0 == name);
        let (_, file, constructor, shape) =
            *row.ok_or_else(|| LoadError::Unknown { name: name.to_owned(), known: known() })?;
        let places = Places(folder);
        // Debian's libapron does not list its dependencies, so they must be loaded first.
        places.open(&["libm.so.6"], Symbols::Shared)?;
        places.open(&["libgmp.so.10"], Symbols::Shared)?;
        places.open(&["libmpfr.so.6"], Symbols::Shared)?;
        let base = places.open(&["libapron.so.0", "libapron.so"], Symbols::Shared)?;
        if name == "ppl" || name == "grid" {
            places.open(&["libgmpxx.so.4"], Symbols::Shared)?;
            places.open(&["libppl.so.14"], Symbols::Shared)?;
        }
        let own = places.open(&[&format!("{file}.0"), file], Symbols::Own)?;
        let rounding = function!(base, "ap_fpu_init", unsafe extern "C" fn() -> bool);
        // SAFETY: it takes nothing and sets the rounding mode of this thread.
        unsafe { rounding() };
        let functions = functions(&base, &own, shape)?;
        let constructor = function!(own, constructor, unsafe extern "C" fn(bool) -> Manager);
        // SAFETY: some constructors take a flag (whether strict constraints are wanted), the others
        // nothing; an argument too many is ignored by the calling convention.
        let manager = unsafe { constructor(false) };
        let mut profile = Profile::new(format!("apron/{name}"), shape);
        profile.narrowing = functions.narrow.is_some();
        profile.closure = true;
        // APRON's manual: the first operand of a widening must be included in the second.
        profile.monotone_widening = true;
        let shared = Rc::new(Shared { functions, manager });
        Ok(Apron { profile, shared, variables, approximated: Cell::new(false) })
    }

    fn element(&self, address: Abstract) -> Element {
        let flags = self.note();
        Element { shared: Rc::clone(&self.shared), address, flags }
    }

    /// Records whether the last operation was exact or best.
    fn note(&self) -> u8 {
        let Shared { functions, manager } = &*self.shared;
        // SAFETY: both only read flags of the manager, which lives as long as the process.
        let (exact, best) =
            unsafe { ((functions.flag_exact)(*manager), (functions.flag_best)(*manager)) };
        if !exact && !best {
            self.approximated.set(true);
        }
        u8::from(exact) | u8::from(best) << 1
    }

    /// The answer to a query: "no" counts only if the library claims to be exact.
    fn truth(&self, holds: bool) -> Truth {
        let Shared { functions, manager } = &*self.shared;
        // SAFETY: it only reads a flag of the manager.
        let exact = unsafe { (functions.flag_exact)(*manager) };
        match (holds, exact) {
            (true, _) => Truth::Yes,
            (false, true) => Truth::No,
            (false, false) => Truth::Unsure,
        }
    }

    fn make(&self, make: Make, dimensions: usize) -> Element {
        let (integers, reals) = match self.variables {
            Variables::Integers => (dimensions, 0),
            Variables::Reals => (0, dimensions),
        };
        // SAFETY: the manager is alive; the numbers are numbers of dimensions.
        self.element(unsafe { make(self.shared.manager, integers, reals) })
    }

    fn ask(&self, question: Unary, element: &Element) -> Truth {
        // SAFETY: manager and element are alive and belong together.
        let holds = unsafe { question(self.shared.manager, element.address) };
        self.truth(holds)
    }

    fn compare(&self, question: Binary, left: &Element, right: &Element) -> Truth {
        // SAFETY: manager and elements are alive and belong together.
        let holds = unsafe { question(self.shared.manager, left.address, right.address) };
        self.truth(holds)
    }

    fn combine(&self, operation: Combine, left: &Element, right: &Element) -> Element {
        // SAFETY: manager and elements are alive and belong together; nothing is destroyed.
        let address = unsafe { operation(self.shared.manager, false, left.address, right.address) };
        self.element(address)
    }

    fn iterate(&self, operation: Widen, left: &Element, right: &Element) -> Element {
        // SAFETY: manager and elements are alive and belong together.
        let address = unsafe { operation(self.shared.manager, left.address, right.address) };
        self.element(address)
    }
}

fn functions(base: &Library, own: &Library, shape: Shape) -> Result<Functions, LoadError> {
    let narrow = match shape {
        Shape::Octagons => Some(function!(own, "ap_abstract0_oct_narrowing", Widen)),
        _ => None,
    };
    Ok(Functions {
        top: function!(base, "ap_abstract0_top", Make),
        bottom: function!(base, "ap_abstract0_bottom", Make),
        copy: function!(
            base,
            "ap_abstract0_copy",
            unsafe extern "C" fn(Manager, Abstract) -> Abstract
        ),
        free: function!(base, "ap_abstract0_free", unsafe extern "C" fn(Manager, Abstract)),
        is_leq: function!(base, "ap_abstract0_is_leq", Binary),
        is_eq: function!(base, "ap_abstract0_is_eq", Binary),
        is_bottom: function!(base, "ap_abstract0_is_bottom", Unary),
        is_top: function!(base, "ap_abstract0_is_top", Unary),
        join: function!(base, "ap_abstract0_join", Combine),
        meet: function!(base, "ap_abstract0_meet", Combine),
        widen: function!(base, "ap_abstract0_widening", Widen),
        narrow,
        canonicalize: function!(
            base,
            "ap_abstract0_canonicalize",
            unsafe extern "C" fn(Manager, Abstract)
        ),
        assign: function!(
            base,
            "ap_abstract0_assign_linexpr",
            unsafe extern "C" fn(
                Manager,
                bool,
                Abstract,
                c_uint,
                *mut Expression,
                Abstract,
            ) -> Abstract
        ),
        forget: function!(
            base,
            "ap_abstract0_forget_array",
            unsafe extern "C" fn(Manager, bool, Abstract, *mut c_uint, usize, bool) -> Abstract
        ),
        guard: function!(
            base,
            "ap_abstract0_meet_lincons_array",
            unsafe extern "C" fn(Manager, bool, Abstract, *mut Comparisons) -> Abstract
        ),
        constraints: function!(
            base,
            "ap_abstract0_to_lincons_array",
            unsafe extern "C" fn(Manager, Abstract) -> Comparisons
        ),
        print: function!(
            base,
            "ap_lincons0_array_fprint",
            unsafe extern "C" fn(*mut libc::FILE, *mut Comparisons, *mut *mut c_char)
        ),
        clear: function!(base, "ap_lincons0_array_clear", unsafe extern "C" fn(*mut Comparisons)),
        flag_exact: function!(
            base,
            "ap_manager_get_flag_exact",
            unsafe extern "C" fn(Manager) -> bool
        ),
        flag_best: function!(
            base,
            "ap_manager_get_flag_best",
            unsafe extern "C" fn(Manager) -> bool
        ),
        new_sum: function!(
            base,
            "ap_linexpr0_alloc",
            unsafe extern "C" fn(c_int, usize) -> *mut Expression
        ),
        free_sum: function!(base, "ap_linexpr0_free", unsafe extern "C" fn(*mut Expression)),
        set: function!(
            base,
            "ap_coeff_set_scalar_int",
            unsafe extern "C" fn(*mut Coefficient, c_long)
        ),
        set_double: function!(
            base,
            "ap_coeff_set_scalar_double",
            unsafe extern "C" fn(*mut Coefficient, f64)
        ),
    })
}

impl Domain for Apron {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        self.make(self.shared.functions.top, dimensions)
    }

    fn bottom(&self, dimensions: usize) -> Element {
        self.make(self.shared.functions.bottom, dimensions)
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        self.compare(self.shared.functions.is_leq, left, right)
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        self.compare(self.shared.functions.is_eq, left, right)
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        self.ask(self.shared.functions.is_bottom, element)
    }

    fn is_top(&self, element: &Element) -> Truth {
        self.ask(self.shared.functions.is_top, element)
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        self.combine(self.shared.functions.join, left, right)
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        self.combine(self.shared.functions.meet, left, right)
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        self.iterate(self.shared.functions.widen, left, right)
    }

    fn narrow(&self, left: &Element, right: &Element) -> Element {
        match self.shared.functions.narrow {
            Some(narrow) => self.iterate(narrow, left, right),
            None => self.meet(left, right),
        }
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let Shared { functions, manager } = &*self.shared;
        let sum = Sum::new(functions, sum);
        // SAFETY: all are alive; the variable is below the number of dimensions, as programs are
        // checked for; a null destination means none.
        let address = unsafe {
            (functions.assign)(
                *manager,
                false,
                element.address,
                variable as c_uint,
                sum.address,
                null_mut(),
            )
        };
        self.element(address)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let Shared { functions, manager } = &*self.shared;
        let mut dimension = variable as c_uint;
        // SAFETY: the array has one entry, which is below the number of dimensions; false means
        // that any value is possible afterwards.
        let address = unsafe {
            (functions.forget)(*manager, false, element.address, &raw mut dimension, 1, false)
        };
        self.element(address)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let Shared { functions, manager } = &*self.shared;
        let sum = Sum::new(functions, &constraint.sum);
        let relation = match constraint.relation {
            Relation::Equal => 0,
            Relation::AtLeast => 1,
        };
        let mut comparison = Comparison { sum: sum.address, relation, modulus: null_mut() };
        let mut list = Comparisons { first: &raw mut comparison, size: 1 };
        // SAFETY: the list has one entry, whose sum is alive; the library copies what it keeps.
        let address = unsafe { (functions.guard)(*manager, false, element.address, &raw mut list) };
        self.element(address)
    }

    fn close(&self, element: &Element) -> Element {
        let copy = element.clone();
        // SAFETY: the copy is alive and ours alone.
        unsafe { (self.shared.functions.canonicalize)(self.shared.manager, copy.address) };
        let _ = self.note();
        copy
    }

    fn approximated(&self) -> bool {
        self.approximated.replace(false)
    }

    fn features(&self, element: &Element) -> u64 {
        u64::from(element.flags)
    }

    fn remembers(&self) -> bool {
        true
    }

    fn show(&self, element: &Element) -> String {
        let Shared { functions, manager } = &*self.shared;
        let copy = element.clone();
        let mut buffer: *mut c_char = null_mut();
        let mut length = 0;
        // SAFETY: the stream writes into a buffer that it allocates; buffer and length are valid
        // after it is closed, and the buffer is ours to free. The list is cleared once.
        let text = unsafe {
            let stream = libc::open_memstream(&raw mut buffer, &raw mut length);
            if stream.is_null() {
                return String::new();
            }
            let mut list = (functions.constraints)(*manager, copy.address);
            (functions.print)(stream, &raw mut list, null_mut());
            (functions.clear)(&raw mut list);
            libc::fclose(stream);
            let bytes = std::slice::from_raw_parts(buffer.cast::<u8>(), length);
            let text = String::from_utf8_lossy(bytes).into_owned();
            libc::free(buffer.cast());
            text
        };
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let lines: Vec<&str> = lines.collect();
        lines.join(" and ").replace("array of constraints of size", "constraints:")
    }
}
