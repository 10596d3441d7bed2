use listing::{Cursor, CursorError};

#[test]
fn is_read_as_it_was_written() {
    let cursor = Cursor { millis: 1_714_953_600_123, id: u64::MAX };

    assert_eq!(Cursor::decode(&cursor.encode()), Ok(cursor));
}

/// Given out by version 0.9.
#[test]
fn cursors_of_old_are_understood() {
    let cursor = Cursor { millis: 1_714_953_600_123, id: u64::MAX };
    let text = "AQAAAY9LMzx7__________8";

    assert_eq!(cursor.encode(), text);
    assert_eq!(Cursor::decode(text), Ok(cursor));
}

#[test]
fn refuses_what_is_no_cursor() {
    assert_eq!(Cursor::decode("AQ"), Err(CursorError::NotACursor));
    assert!(matches!(Cursor::decode("a b"), Err(CursorError::NotBase64(_))));
}
