//! Takes frames out of what arrives.

use std::fmt;

/// The kind and the length.
const HEADER: usize = 5;
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

/// Collects bytes until there is a frame. Taking many small frames out of one read must not move the rest each time:
/// those before `start` are taken, and only dropped when the next bytes come.
#[derive(Debug, Default)]
pub struct FrameReader {
    pending: Vec<u8>,
    start: usize,
}

impl FrameReader {
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.drain(..self.start);
        self.start = 0;
        self.pending.extend_from_slice(bytes);
    }

    /// The next frame, `None` where more bytes are needed.
    pub fn next_frame(&mut self) -> Result<Option<Frame>, WireError> {
        let rest = &self.pending[self.start..];
        if rest.len() < HEADER {
            return Ok(None);
        }
        let (header, rest) = rest.split_at(HEADER);
        let length = u32::from_be_bytes(header[1..].try_into().unwrap()) as usize;
        if length > MAX_BODY {
            return Err(WireError::TooLarge(length));
        }
        if rest.len() < length {
            return Ok(None);
        }
        let frame = Frame { kind: header[0], body: rest[..length].to_vec() };
        self.start += HEADER + length;
        Ok(Some(frame))
    }
}
