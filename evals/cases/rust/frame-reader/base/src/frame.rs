//! Takes frames out of what arrives.

use std::fmt;

/// The most bytes that a body may have.
pub const MAX_BODY: usize = 1 << 20;

#[derive(Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: u8,
    pub body: Vec<u8>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum WireError {
    TooLarge(usize),
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self::TooLarge(length) = self;
        write!(f, "a frame of {length} bytes")
    }
}

impl std::error::Error for WireError {}

/// Collects bytes until there is a frame.
#[derive(Debug, Default)]
pub struct FrameReader {
    pending: Vec<u8>,
}

impl FrameReader {
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame, `None` where more bytes are needed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        if self.pending.len() < 5 {
            return Ok(None);
        }
        let mut length = 0;
        for byte in &self.pending[1..5] {
            length = length << 8 | usize::from(*byte);
        }
        if length > MAX_BODY {
            return Err(WireError::TooLarge(length));
        }
        if self.pending.len() < 5 + length {
            return Ok(None);
        }
        let kind = self.pending[0];
        let body = self.pending[5..5 + length].to_vec();
        self.pending.drain(..5 + length);
        Ok(Some(Frame { kind, body }))
    }
}
