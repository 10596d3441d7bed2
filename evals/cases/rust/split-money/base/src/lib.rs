//! Sums for tills.

pub mod money;
pub mod receipt;
