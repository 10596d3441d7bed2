//! What a cursor looks like to clients.

use std::fmt;

use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::{DecodeError, Engine};

const VERSION: u8 = 1;
const LENGTH: usize = 17;

/// After which entry a page begins: by its time, then by its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cursor {
    pub millis: u64,
    pub id: u64,
}

#[derive(Debug, PartialEq, Eq)]
pub enum CursorError {
    NotBase64(DecodeError),
    NotACursor,
}

impl fmt::Display for CursorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotBase64(error) => write!(f, "not a cursor: {error}"),
            Self::NotACursor => f.write_str("not a cursor"),
        }
    }
}

impl std::error::Error for CursorError {}

impl Cursor {
    pub fn encode(&self) -> String {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.millis.to_be_bytes());
        bytes.extend_from_slice(&self.id.to_be_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    pub fn decode(text: &str) -> Result<Self, CursorError> {
        let bytes = URL_SAFE_NO_PAD.decode(text).map_err(CursorError::NotBase64)?;
        if bytes.len() != LENGTH || bytes[0] != VERSION {
            return Err(CursorError::NotACursor);
        }
        let number = |from: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&bytes[from..from + 8]);
            u64::from_be_bytes(eight)
        };
        Ok(Self { millis: number(1), id: number(9) })
    }
}
