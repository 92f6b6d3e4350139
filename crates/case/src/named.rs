/// Defines an enum whose values have stable names in flags, files and reports; one row per value.
#[macro_export]
macro_rules! named {
    ($(#[$meta:meta])* pub enum $type:ident {
        $($(#[$about:meta])* $value:ident = $name:literal,)*
    }) => {
        $(#[$meta])*
        pub enum $type {
            $($(#[$about])* $value,)*
        }

        impl $type {
            /// Every value, in order.
            pub const ALL: &[$type] = &[$($type::$value),*];

            /// Its stable name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$value => $name,)*
                }
            }

            /// All names, for messages.
            #[must_use]
            pub fn names() -> String {
                $type::ALL.iter().map(|value| value.name()).collect::<Vec<_>>().join(", ")
            }

            /// The value with this name.
            #[must_use]
            pub fn by_name(name: &str) -> Option<$type> {
                $type::ALL.iter().copied().find(|value| value.name() == name)
            }
        }
    };
}
