//! The bank's gateway.

pub mod client;
pub mod http;
