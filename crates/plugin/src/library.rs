//! Shared libraries and the functions in them.

use std::ffi::{CStr, CString, c_void};
use std::path::{Path, PathBuf};

/// Why a library cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum LoadError {
    /// It cannot be loaded.
    #[error("{library}: {why}")]
    Library {
        /// The library.
        library: String,
        /// The loader's message.
        why: String,
    },
    /// It lacks a function.
    #[error("{library} has no function `{function}`")]
    Function {
        /// The library.
        library: String,
        /// The function.
        function: String,
    },
    /// It is not a valid library of its kind.
    #[error("{library}: {why}")]
    Contents {
        /// The library.
        library: String,
        /// What is wrong.
        why: String,
    },
    /// There is no such domain.
    #[error("unknown domain `{name}`; known domains are {known}")]
    Unknown {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
}

/// Whether libraries that are loaded later can use a library's symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbols {
    Shared,
    Own,
}

/// Where to search for libraries: in a folder, if one is given, then in the system's folders.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'p>(pub(crate) Option<&'p Path>);

impl Places<'_> {
    /// Opens the first of these names that exists.
    pub(crate) fn open(self, names: &[&str], symbols: Symbols) -> Result<Library, LoadError> {
        let machine = format!("{}-linux-gnu", std::env::consts::ARCH);
        let folders = self.0.into_iter().flat_map(|folder| [folder.into(), folder.join(&machine)]);
        let folders: Vec<PathBuf> = folders.collect();
        let here = |name: &&str| folders.iter().map(|at| at.join(name)).find(|file| file.exists());
        if let Some(file) = names.iter().find_map(here) {
            return Library::open(&file, symbols);
        }
        let (last, before) = names.split_last().expect("a library has a name");
        let open = |name: &str| Library::open(Path::new(name), symbols);
        before.iter().find_map(|name| open(name).ok()).map_or_else(|| open(last), Ok)
    }
}

/// A library that stays loaded until the process ends: elements and managers point into it.
#[derive(Clone, Debug)]
pub(crate) struct Library {
    path: PathBuf,
    handle: *mut c_void,
}

impl Library {
    pub(crate) fn open(path: &Path, symbols: Symbols) -> Result<Library, LoadError> {
        let library = || path.display().to_string();
        let name = CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| {
            LoadError::Library { library: library(), why: "the name has a zero byte".into() }
        })?;
        let scope = match symbols {
            Symbols::Shared => libc::RTLD_GLOBAL,
            Symbols::Own => libc::RTLD_LOCAL,
        };
        // SAFETY: the name is a C string that outlives the call. What the library does when it is
        // loaded is its own affair; whoever loads it runs in a process of its own.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | scope) };
        if handle.is_null() {
            return Err(LoadError::Library { library: library(), why: last_error() });
        }
        Ok(Library { path: path.to_owned(), handle })
    }

    /// The address of a function.
    pub(crate) fn address(&self, function: &str) -> Result<*mut c_void, LoadError> {
        let lacking = || LoadError::Function {
            library: self.path.display().to_string(),
            function: function.to_owned(),
        };
        let name = CString::new(function).map_err(|_| lacking())?;
        // SAFETY: the handle came from `dlopen` and is never closed; the name is a C string.
        let address = unsafe { libc::dlsym(self.handle, name.as_ptr()) };
        if address.is_null() { Err(lacking()) } else { Ok(address) }
    }
}

/// The loader's last error message.
fn last_error() -> String {
    // SAFETY: `dlerror` has no arguments; its result is null or a C string that is valid until the
    // next call of the loader on this thread.
    let words = unsafe { libc::dlerror() };
    if words.is_null() {
        return "it cannot be loaded".to_owned();
    }
    // SAFETY: see above; it is copied before anything else happens.
    unsafe { CStr::from_ptr(words) }.to_string_lossy().into_owned()
}

/// Looks up a function of a library and casts it to a function pointer type.
macro_rules! function {
    ($library:expr, $name:expr, $type:ty) => {{
        let address = $library.address($name)?;
        // SAFETY: the address is that of the function of this name, and the type is what the
        // library's header declares for it.
        unsafe { std::mem::transmute::<*mut std::ffi::c_void, $type>(address) }
    }};
}
pub(crate) use function;
