//! Payouts to sellers.

pub mod gateway;

pub use gateway::{client, http};
