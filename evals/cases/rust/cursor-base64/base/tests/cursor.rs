use listing::{Cursor, CursorError};

#[test]
fn is_read_as_it_was_written() {
    let cursor = Cursor { millis: 1_714_953_600_123, id: u64::MAX };

    assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor));
}

#[test]
fn refuses_what_is_no_cursor() {
    assert_eq!(Cursor::decode("AQ"), Err(CursorError::NotACursor));
    assert!(matches!(Cursor::decode("a b"), Err(CursorError::NotBase64(_))));
}
