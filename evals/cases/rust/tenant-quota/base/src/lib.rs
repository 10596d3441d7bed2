//! Blobs of tenants.

pub mod quota;
pub mod report;
