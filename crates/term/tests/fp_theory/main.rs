//! The operator table of FloatingPoint, through terms and the evaluator, against definitions that
//! share nothing with the code under test.

mod conversions;
mod hardware;
mod limits;
mod literals;
mod operators;
mod reference;
mod session;
mod typing;
