//! An append-only log in segment files.

mod config;
mod index;
mod segment;

pub use config::SegmentConfig;
pub use segment::Segment;
