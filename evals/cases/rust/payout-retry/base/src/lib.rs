//! Payouts to sellers.

pub mod client;
pub mod http;
