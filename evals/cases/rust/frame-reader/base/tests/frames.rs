use wire::{Frame, FrameReader, WireError, MAX_BODY};

fn bytes(kind: u8, body: &[u8]) -> Vec<u8> {
    let mut bytes = vec![kind];
    bytes.extend((body.len() as u32).to_be_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn reads_frames_one_after_the_other() {
    let mut reader = FrameReader::default();
    reader.push(&bytes(1, b"one"));
    reader.push(&bytes(2, b""));

    assert_eq!(reader.next_frame(), Ok(Some(Frame { kind: 1, body: b"one".to_vec() })));
    assert_eq!(reader.next_frame(), Ok(Some(Frame { kind: 2, body: Vec::new() })));
    assert_eq!(reader.next_frame(), Ok(None));
}

#[test]
fn refuses_a_body_that_is_too_large() {
    let mut reader = FrameReader::default();
    reader.push(&bytes(1, &vec![0; MAX_BODY + 1]));

    assert_eq!(reader.next_frame(), Err(WireError::TooLarge(MAX_BODY + 1)));
}
