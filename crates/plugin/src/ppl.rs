//! The Parma Polyhedra Library through its C interface: polyhedra, octagons, boxes, differences, grids.

use crate::library::{Library, LoadError, Places, Symbols, function};
use assay_lattice::{Constraint, Domain, Linear, Profile, Relation, Shape, Truth};
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::path::Path;
use std::ptr::null_mut;
use std::rc::Rc;

/// The domains: name, prefix of its constructors, prefix of its operations, kind.
const DOMAINS: [(&str, &str, &str, Shape); 8] = [
    ("polyhedron", "C_Polyhedron", "Polyhedron", Shape::Polyhedra),
    ("octMPQ", "Octagonal_Shape_mpq_class", "Octagonal_Shape_mpq_class", Shape::Octagons),
    ("octD", "Octagonal_Shape_double", "Octagonal_Shape_double", Shape::Octagons),
    ("boxMPQ", "Rational_Box", "Rational_Box", Shape::Intervals),
    ("boxD", "Double_Box", "Double_Box", Shape::Intervals),
    ("bdsMPQ", "BD_Shape_mpq_class", "BD_Shape_mpq_class", Shape::Intervals),
    ("bdsD", "BD_Shape_double", "BD_Shape_double", Shape::Intervals),
    ("grid", "Grid", "Grid", Shape::Grids),
];

/// The names of PPL's domains.
pub const PPL_NAMES: [&str; 8] = {
    let mut names = [""; 8];
    let mut at = 0;
    while at < names.len() {
        names[at] = DOMAINS[at].0;
        at += 1;
    }
    names
};

type Address = *mut c_void;
type Unary = unsafe extern "C" fn(Address) -> c_int;
type Binary = unsafe extern "C" fn(Address, Address) -> c_int;
type Out = unsafe extern "C" fn(*mut Address, Address) -> c_int;

/// `mpz_t`.
#[repr(C)]
struct Integer {
    allocated: c_int,
    size: c_int,
    limbs: *mut c_void,
}

struct Functions {
    new: unsafe extern "C" fn(*mut Address, usize, c_int) -> c_int,
    copy: Out,
    delete: Unary,
    contains: Binary,
    equals: Binary,
    is_empty: Unary,
    is_universe: Unary,
    meet: Binary,
    join: Binary,
    widen: unsafe extern "C" fn(Address, Address, *mut c_uint) -> c_int,
    assign: unsafe extern "C" fn(Address, usize, Address, Address) -> c_int,
    project: unsafe extern "C" fn(Address, usize) -> c_int,
    guard: Binary,
    print: unsafe extern "C" fn(*mut *mut c_char, Address) -> c_int,
    new_number: unsafe extern "C" fn(*mut Address, *mut Integer) -> c_int,
    delete_number: Unary,
    new_sum: unsafe extern "C" fn(*mut Address, usize) -> c_int,
    add_term: unsafe extern "C" fn(Address, usize, Address) -> c_int,
    add_constant: Binary,
    delete_sum: Unary,
    new_constraint: unsafe extern "C" fn(*mut Address, Address, c_int) -> c_int,
    delete_constraint: Unary,
    set_integer: unsafe extern "C" fn(*mut Integer, c_long),
    clear_integer: unsafe extern "C" fn(*mut Integer),
}

/// A domain of PPL.
pub struct Ppl {
    profile: Profile,
    functions: Rc<Functions>,
}

/// An element, deleted when it is dropped.
pub struct Element {
    functions: Rc<Functions>,
    address: Address,
}

impl Clone for Element {
    fn clone(&self) -> Element {
        let mut address = null_mut();
        // SAFETY: the element is alive; the address of a copy is written where it is wanted.
        expected(unsafe { (self.functions.copy)(&raw mut address, self.address) });
        Element { functions: Rc::clone(&self.functions), address }
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        // SAFETY: the element is alive and not used afterwards.
        unsafe { (self.functions.delete)(self.address) };
    }
}

/// A negative result is an exception inside the library; it ends the worker like a crash.
fn expected(result: c_int) -> c_int {
    assert!(result >= 0, "PPL reports error {result}");
    result
}

/// An object of the library that is deleted when it is dropped.
struct Owned {
    address: Address,
    delete: Unary,
}

impl Drop for Owned {
    fn drop(&mut self) {
        // SAFETY: the address came from the constructor that belongs to this destructor.
        unsafe { (self.delete)(self.address) };
    }
}

impl Functions {
    fn number(&self, value: i64) -> Owned {
        let mut address = null_mut();
        let mut integer = Integer { allocated: 0, size: 0, limbs: null_mut() };
        // SAFETY: the integer is initialised before it is used, copied by PPL, and cleared once.
        unsafe {
            (self.set_integer)(&raw mut integer, value);
            expected((self.new_number)(&raw mut address, &raw mut integer));
            (self.clear_integer)(&raw mut integer);
        }
        Owned { address, delete: self.delete_number }
    }

    fn sum(&self, sum: &Linear) -> Owned {
        let mut address = null_mut();
        // SAFETY: the sum has as many dimensions as there are coefficients; numbers are alive while
        // they are added, and copied.
        unsafe {
            expected((self.new_sum)(&raw mut address, sum.coefficients.len()));
            for (variable, coefficient) in sum.terms() {
                let number = self.number(coefficient);
                expected((self.add_term)(address, variable, number.address));
            }
            // The one constant that has more than 64 bits is added in two parts.
            let most = i64::try_from(sum.constant).unwrap_or(i64::MAX);
            let rest = i64::try_from(sum.constant - i128::from(most)).expect("it is one or none");
            for part in [most, rest] {
                let number = self.number(part);
                expected((self.add_constant)(address, number.address));
            }
        }
        Owned { address, delete: self.delete_sum }
    }
}

impl Ppl {
    /// Loads a domain from a folder, or from the system's libraries.
    ///
    /// # Errors
    /// If there is no such domain or no such library.
    pub fn load(folder: Option<&Path>, name: &str) -> Result<Ppl, LoadError> {
        let row = DOMAINS.iter().find(|row| row.0 == name);
        let (_, constructed, operated, shape) = *row.ok_or_else(|| LoadError::Unknown {
            name: name.to_owned(),
            known: PPL_NAMES.join(", "),
        })?;
        let places = Places(folder);
        let gmp = places.open(&["libgmp.so.10"], Symbols::Shared)?;
        places.open(&["libgmpxx.so.4"], Symbols::Shared)?;
        places.open(&["libppl.so.14"], Symbols::Shared)?;
        let ppl = places.open(&["libppl_c.so.4"], Symbols::Shared)?;
        let functions = Rc::new(functions(&ppl, &gmp, constructed, operated)?);
        let initialize = function!(ppl, "ppl_initialize", unsafe extern "C" fn() -> c_int);
        // SAFETY: it takes nothing and must be called once before everything else.
        expected(unsafe { initialize() });
        let mut profile = Profile::new(format!("ppl/{name}"), shape);
        // In PPL the second operand of a widening must contain the first, for every domain.
        profile.monotone_widening = true;
        if shape == Shape::Octagons || name.starts_with("bds") {
            // According to the manual, refinement by a constraint of another form may do nothing.
            profile.waive("best-test").expect("it is a law");
        }
        if name.starts_with("bds") {
            // Differences of two variables are more precise than intervals: bounds follow from them.
            profile.keeps_bounds = false;
        }
        Ok(Ppl { profile, functions })
    }

    fn make(&self, dimensions: usize, empty: bool) -> Element {
        let mut address = null_mut();
        // SAFETY: the address of a new element is written where it is wanted.
        expected(unsafe { (self.functions.new)(&raw mut address, dimensions, c_int::from(empty)) });
        Element { functions: Rc::clone(&self.functions), address }
    }

    /// A copy of the first, changed by the second.
    fn combined(&self, operation: Binary, left: &Element, right: &Element) -> Element {
        let copy = left.clone();
        // SAFETY: both are alive, and the copy is ours alone.
        expected(unsafe { operation(copy.address, right.address) });
        copy
    }

    fn ask(&self, question: Unary, element: &Element) -> Truth {
        // SAFETY: the element is alive.
        (expected(unsafe { question(element.address) }) > 0).into()
    }

    fn compare(&self, question: Binary, left: &Element, right: &Element) -> Truth {
        // SAFETY: both are alive.
        (expected(unsafe { question(left.address, right.address) }) > 0).into()
    }
}

fn functions(
    ppl: &Library,
    gmp: &Library,
    constructed: &str,
    operated: &str,
) -> Result<Functions, LoadError> {
    let of = |rest: &str| format!("ppl_{operated}_{rest}");
    let number = "ppl_new_Coefficient_from_mpz_t";
    let term = "ppl_Linear_Expression_add_to_coefficient";
    Ok(Functions {
        new: function!(
            ppl,
            &format!("ppl_new_{constructed}_from_space_dimension"),
            unsafe extern "C" fn(*mut Address, usize, c_int) -> c_int
        ),
        copy: function!(ppl, &format!("ppl_new_{constructed}_from_{constructed}"), Out),
        delete: function!(ppl, &format!("ppl_delete_{operated}"), Unary),
        contains: function!(ppl, &of(&format!("contains_{operated}")), Binary),
        equals: function!(ppl, &of(&format!("equals_{operated}")), Binary),
        is_empty: function!(ppl, &of("is_empty"), Unary),
        is_universe: function!(ppl, &of("is_universe"), Unary),
        meet: function!(ppl, &of("intersection_assign"), Binary),
        join: function!(ppl, &of("upper_bound_assign"), Binary),
        widen: function!(
            ppl,
            &of("widening_assign"),
            unsafe extern "C" fn(Address, Address, *mut c_uint) -> c_int
        ),
        assign: function!(
            ppl,
            &of("affine_image"),
            unsafe extern "C" fn(Address, usize, Address, Address) -> c_int
        ),
        project: function!(
            ppl,
            &of("unconstrain_space_dimension"),
            unsafe extern "C" fn(Address, usize) -> c_int
        ),
        guard: function!(ppl, &of("refine_with_constraint"), Binary),
        print: function!(
            ppl,
            &format!("ppl_io_asprint_{operated}"),
            unsafe extern "C" fn(*mut *mut c_char, Address) -> c_int
        ),
        new_number: function!(
            ppl,
            number,
            unsafe extern "C" fn(*mut Address, *mut Integer) -> c_int
        ),
        delete_number: function!(ppl, "ppl_delete_Coefficient", Unary),
        new_sum: function!(
            ppl,
            "ppl_new_Linear_Expression_with_dimension",
            unsafe extern "C" fn(*mut Address, usize) -> c_int
        ),
        add_term: function!(ppl, term, unsafe extern "C" fn(Address, usize, Address) -> c_int),
        add_constant: function!(ppl, "ppl_Linear_Expression_add_to_inhomogeneous", Binary),
        delete_sum: function!(ppl, "ppl_delete_Linear_Expression", Unary),
        new_constraint: function!(
            ppl,
            "ppl_new_Constraint",
            unsafe extern "C" fn(*mut Address, Address, c_int) -> c_int
        ),
        delete_constraint: function!(ppl, "ppl_delete_Constraint", Unary),
        set_integer: function!(
            gmp,
            "__gmpz_init_set_si",
            unsafe extern "C" fn(*mut Integer, c_long)
        ),
        clear_integer: function!(gmp, "__gmpz_clear", unsafe extern "C" fn(*mut Integer)),
    })
}

impl Domain for Ppl {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        self.make(dimensions, false)
    }

    fn bottom(&self, dimensions: usize) -> Element {
        self.make(dimensions, true)
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        self.compare(self.functions.contains, right, left)
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        self.compare(self.functions.equals, left, right)
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        self.ask(self.functions.is_empty, element)
    }

    fn is_top(&self, element: &Element) -> Truth {
        self.ask(self.functions.is_universe, element)
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        self.combined(self.functions.join, left, right)
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        self.combined(self.functions.meet, left, right)
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        let copy = right.clone();
        // SAFETY: both are alive, the copy is ours alone and contains the other, as the profile
        // demands; null means that no tokens delay the widening.
        expected(unsafe { (self.functions.widen)(copy.address, left.address, null_mut()) });
        copy
    }

    fn assign(&self, element: &Element, variable: usize, sum: &Linear) -> Element {
        let copy = element.clone();
        let (sum, one) = (self.functions.sum(sum), self.functions.number(1));
        // SAFETY: all are alive; the variable is one of the element's; the denominator is 1.
        expected(unsafe {
            (self.functions.assign)(copy.address, variable, sum.address, one.address)
        });
        copy
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        let copy = element.clone();
        // SAFETY: the copy is alive and has the variable.
        expected(unsafe { (self.functions.project)(copy.address, variable) });
        copy
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let copy = element.clone();
        let sum = self.functions.sum(&constraint.sum);
        let relation = match constraint.relation {
            Relation::Equal => 2,
            Relation::AtLeast => 3,
        };
        let mut address = null_mut();
        // SAFETY: the sum is alive; the numbers are those of the header for `=` and `>=`.
        expected(unsafe {
            (self.functions.new_constraint)(&raw mut address, sum.address, relation)
        });
        let made = Owned { address, delete: self.functions.delete_constraint };
        // SAFETY: both are alive, and the copy is ours alone.
        expected(unsafe { (self.functions.guard)(copy.address, made.address) });
        copy
    }

    fn remembers(&self) -> bool {
        true
    }

    fn show(&self, element: &Element) -> String {
        let mut text: *mut c_char = null_mut();
        // SAFETY: the library allocates a C string with `malloc`, which is ours to free.
        unsafe {
            if (self.functions.print)(&raw mut text, element.address) < 0 || text.is_null() {
                return String::new();
            }
            let words = CStr::from_ptr(text).to_string_lossy().into_owned();
            libc::free(text.cast());
            words.replace('\n', " ").trim().to_owned()
        }
    }
}
