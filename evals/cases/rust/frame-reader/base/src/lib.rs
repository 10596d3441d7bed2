//! Frames on a byte stream.

mod frame;

pub use frame::{Frame, FrameReader, WireError, MAX_BODY};
