//! Amounts of money.

mod amount;
mod rounding;

pub use amount::Cents;
pub use rounding::{divide_half_even, percent};
