//! Plug-ins by `include/assay_domain.h`.

use crate::library::{Library, LoadError, Symbols, function};
use assay_lattice::{Constraint, Domain, Linear, Profile, Relation, Shape, Truth};
use std::ffi::{CStr, c_char, c_void};
use std::path::Path;

const VERSION: u32 = 1;
const NO_LEAST_JOIN: u32 = 1;
const NO_EXACT_MEET: u32 = 2;
const MONOTONE_WIDENING: u32 = 4;
const NO_BEST_TRANSFORMERS: u32 = 8;

/// How much of an element is shown.
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

/// `struct assay_domain`.
#[repr(C)]
struct Table {
    version: u32,
    name: *const c_char,
    shape: *const c_char,
    lacks: u32,
    top: Make,
    bottom: Make,
    copy: unsafe extern "C" fn(*const c_void) -> Address,
    drop: unsafe extern "C" fn(Address),
    leq: Binary,
    eq: Binary,
    is_bottom: Unary,
    is_top: Unary,
    join: Combine,
    meet: Combine,
    widen: Combine,
    assign: unsafe extern "C" fn(Address, usize, *const Sum) -> Address,
    project: unsafe extern "C" fn(Address, usize) -> Address,
    guard: unsafe extern "C" fn(Address, *const Comparison) -> Address,
    narrow: Option<Combine>,
    close: Option<unsafe extern "C" fn(Address) -> Address>,
    join_hinted: Option<unsafe extern "C" fn(Address, Address, Address, Address) -> Address>,
    show: Option<unsafe extern "C" fn(Address, *mut c_char, usize)>,
}

/// A domain in a plug-in.
pub struct PlugIn {
    profile: Profile,
    table: &'static Table,
}

/// An element, dropped by the plug-in.
pub struct Element {
    table: &'static Table,
    address: Address,
}

impl Clone for Element {
    fn clone(&self) -> Element {
        // SAFETY: the element is alive; the header says that `copy` makes a new one.
        let address = unsafe { (self.table.copy)(self.address) };
        Element { table: self.table, address }
    }
}

impl Drop for Element {
    fn drop(&mut self) {
        // SAFETY: the element is alive and not used afterwards.
        unsafe { (self.table.drop)(self.address) }
    }
}

impl PlugIn {
    /// Loads a plug-in.
    ///
    /// # Errors
    /// Where it cannot be loaded, or is no plug-in of this version.
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
        Ok(PlugIn { profile, table })
    }

    fn element(&self, address: Address) -> Element {
        Element { table: self.table, address }
    }

    fn combine(&self, operation: Combine, left: &Element, right: &Element) -> Element {
        // SAFETY: both elements are alive and stay so.
        self.element(unsafe { operation(left.address, right.address) })
    }
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
        constant: sum.constant,
    }
}

impl Domain for PlugIn {
    type Element = Element;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, dimensions: usize) -> Element {
        // SAFETY: any number of dimensions is allowed.
        self.element(unsafe { (self.table.top)(dimensions) })
    }

    fn bottom(&self, dimensions: usize) -> Element {
        // SAFETY: any number of dimensions is allowed.
        self.element(unsafe { (self.table.bottom)(dimensions) })
    }

    fn leq(&self, left: &Element, right: &Element) -> Truth {
        // SAFETY: both elements are alive.
        truth(unsafe { (self.table.leq)(left.address, right.address) })
    }

    fn eq(&self, left: &Element, right: &Element) -> Truth {
        // SAFETY: both elements are alive.
        truth(unsafe { (self.table.eq)(left.address, right.address) })
    }

    fn is_bottom(&self, element: &Element) -> Truth {
        // SAFETY: the element is alive.
        truth(unsafe { (self.table.is_bottom)(element.address) })
    }

    fn is_top(&self, element: &Element) -> Truth {
        // SAFETY: the element is alive.
        truth(unsafe { (self.table.is_top)(element.address) })
    }

    fn join(&self, left: &Element, right: &Element) -> Element {
        let precise = self.combine(self.table.join, left, right);
        let Some(hinted) = self.table.join_hinted else { return precise };
        // SAFETY: all elements are alive; the loop head is the left operand, as the header says.
        self.element(unsafe { hinted(left.address, right.address, left.address, precise.address) })
    }

    fn meet(&self, left: &Element, right: &Element) -> Element {
        self.combine(self.table.meet, left, right)
    }

    fn widen(&self, left: &Element, right: &Element) -> Element {
        self.combine(self.table.widen, left, right)
    }

    fn narrow(&self, left: &Element, right: &Element) -> Element {
        self.combine(self.table.narrow.unwrap_or(self.table.meet), left, right)
    }

    fn assign(&self, element: &Element, variable: usize, to: &Linear) -> Element {
        let to = sum(to);
        // SAFETY: the element is alive, and so is the sum while the call lasts.
        self.element(unsafe { (self.table.assign)(element.address, variable, &raw const to) })
    }

    fn project(&self, element: &Element, variable: usize) -> Element {
        // SAFETY: the element is alive and has the variable.
        self.element(unsafe { (self.table.project)(element.address, variable) })
    }

    fn guard(&self, element: &Element, constraint: &Constraint) -> Element {
        let is_equation = i32::from(constraint.relation == Relation::Equal);
        let comparison = Comparison { sum: sum(&constraint.sum), is_equation };
        // SAFETY: the element is alive, and so is the constraint while the call lasts.
        self.element(unsafe { (self.table.guard)(element.address, &raw const comparison) })
    }

    fn close(&self, element: &Element) -> Element {
        match self.table.close {
            // SAFETY: the element is alive.
            Some(close) => self.element(unsafe { close(element.address) }),
            None => element.clone(),
        }
    }

    fn remembers(&self) -> bool {
        true
    }

    fn show(&self, element: &Element) -> String {
        let Some(show) = self.table.show else { return String::new() };
        let mut buffer = vec![0u8; SHOWN];
        // SAFETY: the buffer has as many bytes as it is told.
        unsafe { show(element.address, buffer.as_mut_ptr().cast(), buffer.len()) };
        let end = buffer.iter().position(|byte| *byte == 0).unwrap_or(buffer.len());
        String::from_utf8_lossy(&buffer[..end]).into_owned()
    }
}
