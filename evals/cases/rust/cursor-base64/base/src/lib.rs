//! Cursors for long lists.

mod cursor;

pub use cursor::{Cursor, CursorError};
