//! Plug-ins that implement `include/assay_domain.h`.

use crate::library::{Library, LoadError, Symbols, function};
use assay_lattice::{Constraint, Domain, Linear, Profile, Relation, Shape, Truth};
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;
use std::rc::Rc;

const VERSION: u32 = 2;
const NO_LEAST_JOIN: u32 = 1;
const NO_EXACT_MEET: u32 = 2;
const MONOTONE_WIDENING: u32 = 4;
const NO_BEST_TRANSFORMERS: u32 = 8;

/// Maximum length of a printed element, in bytes.
const SHOWN: usize = 1 << 12;

#[repr(C)]
struct Sum {
    coefficients: *const i64,
    dimensions: usize,
    constant: i64,
}

#[repr(C)]
struct Comparison {
    sum: Sum,
    is_equation: i32,
}

type Address = *mut c_void;
type Make = unsafe extern "C" fn(usize) -> Address;
type Unary = unsafe extern "C" fn(Address) -> i32;
type Binary = unsafe extern "C" fn(Address, Address) -> i32;
type Combine = unsafe extern "C" fn(Address, Address) -> Address;

type Copy = unsafe extern "C" fn(*const c_void) -> Address;
type Discard = unsafe extern "C" fn(Address);
type Assign = unsafe extern "C" fn(Address, usize, *const Sum) -> Address;
type Project = unsafe extern "C" fn(Address, usize) -> Address;
type Guard = unsafe extern "C" fn(Address, *const Comparison) -> Address;
type Close = unsafe extern "C" fn(Address) -> Address;
type Hinted = unsafe extern "C" fn(Address, Address, Address, Address) -> Address;
type Show = unsafe extern "C" fn(Address, *mut c_char, usize);

/// Declares `struct assay_domain`, whose entries may be null, and the struct with the same entries
/// after the required ones have been checked.
macro_rules! table {
    (needed { $($needed:ident: $type:ty,)* } optional { $($optional:ident: $other:ty,)* }) => {
        #[repr(C)]
        struct Table {
            version: u32,
            name: *const c_char,
            shape: *const c_char,
            lacks: u32,
            $($needed: Option<$type>,)*
            $($optional: Option<$other>,)*
            without: *const *const c_char,
            steps: u32,
        }

        struct Operations {
            $($needed: $type,)*
            $($optional: Option<$other>,)*
        }

        impl Operations {
            /// The entries of a table, or the name of a required entry that is missing.
            fn of(table: &Table) -> Result<Operations, &'static str> {
                Ok(Operations {
                    $($needed: table.$needed.ok_or(stringify!($needed))?,)*
                    $($optional: table.$optional,)*
                })
            }
        }
    };
}

table! {
    needed {
        top: Make,
        bottom: Make,
        copy: Copy,
        drop: Discard,
        leq: Binary,
        eq: Binary,
        is_bottom: Unary,
        is_top: Unary,
        join: Combine,
        meet: Combine,
        widen: Combine,
        assign: Assign,
        project: Project,
        guard: Guard,
    }
    optional {
        narrow: Combine,
        close: Close,
        join_hinted: Hinted,
        show: Show,
    }
}

/// A domain in a plug-in.
pub struct PlugIn {
    profile: Profile,
    operations: Rc<Operations>,
}

/// An element, dropped by the plug-in.
pub struct Element {
    operations: Rc<Operations>,
    address: Address,
}

impl Clone for Element {
    fn clone(&self) -> Element {
        // SAFETY: the element is alive; the header says that `copy` makes a new one.
        let address = unsafe { (self.operations.copy)(self.address) };
        Element { operations: Rc::clone(&self.operations), address: there("copy", address) }
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        // SAFETY: the element is alive and not used afterwards.
        unsafe { (self.operations.drop)(self.address) }
    }
}

impl PlugIn {
    /// Loads a plug-in.
    ///
    /// # Errors
    /// If it cannot be loaded, or is not a plug-in of this version.
    pub fn load(path: &Path) -> Result<PlugIn, LoadError> {
        let library = Library::open(path, Symbols::Own)?;
        let entry = function!(library, "assay_domain", unsafe extern "C" fn() -> *const Table);
        let wrong = |why: &str| LoadError::Contents {
            library: path.display().to_string(),
            why: why.to_owned(),
        };
        // SAFETY: the function takes nothing; the header says that it returns a table that lives as
        // long as the library, which is never unloaded.
        let table = unsafe { entry().as_ref() }.ok_or_else(|| wrong("it returns no table"))?;
        if table.version != VERSION {
            return Err(wrong(&format!("it is of version {}, not {VERSION}", table.version)));
        }
        let operations =
            Operations::of(table).map_err(|entry| wrong(&format!("it lacks `{entry}`")))?;
        let name = text(table.name).ok_or_else(|| wrong("it has no name"))?;
        let shape = text(table.shape).and_then(|shape| Shape::by_name(&shape));
        let known = || Shape::ALL.map(|row| row.1).join(", ");
        let shape = shape.ok_or_else(|| wrong(&format!("its shape is none of {}", known())))?;
        let mut profile = Profile::new(name, shape);
        let lacks = |what: u32| table.lacks & what != 0;
        profile.least_join &= !lacks(NO_LEAST_JOIN);
        profile.exact_meet &= !lacks(NO_EXACT_MEET);
        profile.best_transformers &= !lacks(NO_BEST_TRANSFORMERS);
        profile.monotone_widening = lacks(MONOTONE_WIDENING);
        profile.narrowing = table.narrow.is_some();
        profile.closure = table.close.is_some();
        profile.hinted = table.join_hinted.is_some();
        if table.steps > 0 {
            profile.steps = table.steps as usize;
        }
        for law in texts(table.without) {
            profile.waive(&law).map_err(|why| wrong(&why))?;
        }
        Ok(PlugIn { profile, operations: Rc::new(operations) })
    }

    fn element(&self, operation: &str, address: Address) -> Element {
        let operations = Rc::clone(&self.operations);
        Element { operations, address: there(operation, address) }
    }
}

/// The result of an operation, which must not be null: the worker ends with a message if it is.
fn there(operation: &str, address: Address) -> Address {
    assert!(!address.is_null(), "the plug-in's `{operation}` returned a null pointer");
    address
}

/// The strings of a list that ends with a null pointer.
fn texts(list: *const *const c_char) -> Vec<String> {
    let mut known = Vec::new();
    while !list.is_null() {
        // SAFETY: the header says that the list ends with a null pointer, which was not met so far.
        match text(unsafe { *list.add(known.len()) }) {
            Some(words) => known.push(words),
            None => break,
        }
    }
    known
}

fn text(words: *const c_char) -> Option<String> {
    // SAFETY: the header says that it is null or a C string that lives as long as the library.
    (!words.is_null()).then(|| unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned())
}

fn truth(answer: i32) -> Truth {
    match answer {
        1 => Truth::Yes,
        0 => Truth::No,
        _ => Truth::Unsure,
    }
}

fn sum(sum: &Linear) -> Sum {
    let coefficients = &sum.coefficients;
    Sum {
        coefficients: coefficients.as_ptr(),
        dimensions: coefficients.len(),
        constant: i64::try_from(sum.constant).expect("the domain takes the sum"),
    }
}

impl Domain for PlugIn {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        // SAFETY: any number of dimensions is allowed.
        self.element("top", unsafe { (self.operations.top)(dimensions) })
    }

    fn bottom(&self, dimensions: usize) -> Element {
        // SAFETY: any number of dimensions is allowed.
        self.element("bottom", unsafe { (self.operations.bottom)(dimensions) })
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        // SAFETY: both elements are alive.
        truth(unsafe { (self.operations.leq)(left.address, right.address) })
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        // SAFETY: both elements are alive.
        truth(unsafe { (self.operations.eq)(left.address, right.address) })
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        // SAFETY: the element is alive.
        truth(unsafe { (self.operations.is_bottom)(element.address) })
    }

    fn is_top(&self, element: &Element) -> Truth {
        // SAFETY: the element is alive.
        truth(unsafe { (self.operations.is_top)(element.address) })
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        // SAFETY: both elements are alive and stay so.
        let precise = unsafe { (self.operations.join)(left.address, right.address) };
        self.element("join", precise)
    }

    fn join_hinted(&self, left: &Element, right: &Element, head: &Element) -> Element {
        let precise = self.join(left, right);
        let Some(hinted) = self.operations.join_hinted else { return precise };
        // SAFETY: all elements are alive and stay so.
        let joined = unsafe { hinted(left.address, right.address, head.address, precise.address) };
        self.element("join_hinted", joined)
    }

    fn takes(&self, sum: &Linear) -> bool {
        i64::try_from(sum.constant).is_ok()
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        // SAFETY: both elements are alive and stay so.
        let address = unsafe { (self.operations.meet)(left.address, right.address) };
        self.element("meet", address)
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        // SAFETY: both elements are alive and stay so.
        let address = unsafe { (self.operations.widen)(left.address, right.address) };
        self.element("widen", address)
    }

    fn narrow(&self, left: &Element, right: &Element) -> Element {
        // Laws of narrowing are tested only if there is one.
        let narrow = self.operations.narrow.unwrap_or(self.operations.meet);
        // SAFETY: both elements are alive and stay so.
        self.element("narrow", unsafe { narrow(left.address, right.address) })
    }

    fn assign(&self, element: &Element, variable: usize, to: &Linear) -> Element {
        let to = sum(to);
        // SAFETY: the element is alive, and so is the sum while the call lasts.
        let address = unsafe { (self.operations.assign)(element.address, variable, &raw const to) };
        self.element("assign", address)
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        // SAFETY: the element is alive and has the variable.
        let address = unsafe { (self.operations.project)(element.address, variable) };
        self.element("project", address)
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let is_equation = i32::from(constraint.relation == Relation::Equal);
        let comparison = Comparison { sum: sum(&constraint.sum), is_equation };
        // SAFETY: the element is alive, and so is the constraint while the call lasts.
        let address = unsafe { (self.operations.guard)(element.address, &raw const comparison) };
        self.element("guard", address)
    }

    fn close(&self, element: &Element) -> Element {
        match self.operations.close {
            // SAFETY: the element is alive.
            Some(close) => self.element("close", unsafe { close(element.address) }),
            None => element.clone(),
        }
    }

    fn remembers(&self) -> bool {
        true
    }

    fn show(&self, element: &Element) -> String {
        let Some(show) = self.operations.show else { return String::new() };
        let mut buffer = vec![0u8; SHOWN];
        // SAFETY: the buffer has as many bytes as the length says.
        unsafe { show(element.address, buffer.as_mut_ptr().cast(), buffer.len()) };
        let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len());
        String::from_utf8_lossy(&buffer[..end]).into_owned()
    }
}
