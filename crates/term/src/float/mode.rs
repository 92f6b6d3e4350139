//! Signs and rounding modes: the choices a rounding depends on, with their SMT-LIB names.

use std::fmt;

/// The sign of a number; zeros and infinities have one too, NaN has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sign {
    /// Sign bit 0.
    Positive,
    /// Sign bit 1.
    Negative,
}

impl Sign {
    /// The opposite sign.
    #[must_use]
    pub fn flipped(self) -> Sign {
        match self {
            Sign::Positive => Sign::Negative,
            Sign::Negative => Sign::Positive,
        }
    }

    /// The sign of a product (or quotient) of numbers with these signs.
    #[must_use]
    pub fn times(self, other: Sign) -> Sign {
        if self == other { Sign::Positive } else { Sign::Negative }
    }

    /// The bit that stands for this sign.
    #[must_use]
    pub fn bit(self) -> u8 {
        match self {
            Sign::Positive => 0,
            Sign::Negative => 1,
        }
    }
}

/// How a real number between two neighbours of a format is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RoundingMode {
    /// To the nearer neighbour; from the middle to the one with an even significand.
    NearestEven,
    /// To the nearer neighbour; from the middle away from zero.
    NearestAway,
    /// Upwards.
    TowardPositive,
    /// Downwards.
    TowardNegative,
    /// To the neighbour of smaller magnitude.
    TowardZero,
}

impl RoundingMode {
    /// Every mode once, in the order of the SMT-LIB theory declaration.
    pub const ALL: [RoundingMode; 5] = [
        RoundingMode::NearestEven,
        RoundingMode::NearestAway,
        RoundingMode::TowardPositive,
        RoundingMode::TowardNegative,
        RoundingMode::TowardZero,
    ];

    /// The short SMT-LIB name, such as `RNE`.
    #[must_use]
    pub fn short_name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "RNE",
            RoundingMode::NearestAway => "RNA",
            RoundingMode::TowardPositive => "RTP",
            RoundingMode::TowardNegative => "RTN",
            RoundingMode::TowardZero => "RTZ",
        }
    }

    /// The long SMT-LIB name, such as `roundNearestTiesToEven`.
    #[must_use]
    pub fn long_name(self) -> &'static str {
        match self {
            RoundingMode::NearestEven => "roundNearestTiesToEven",
            RoundingMode::NearestAway => "roundNearestTiesToAway",
            RoundingMode::TowardPositive => "roundTowardPositive",
            RoundingMode::TowardNegative => "roundTowardNegative",
            RoundingMode::TowardZero => "roundTowardZero",
        }
    }

    /// The mode that has this short or long SMT-LIB name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<RoundingMode> {
        RoundingMode::ALL
            .into_iter()
            .find(|mode| mode.short_name() == name || mode.long_name() == name)
    }
}

impl fmt::Display for RoundingMode {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.short_name())
    }
}
