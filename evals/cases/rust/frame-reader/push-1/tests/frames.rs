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
fn waits_for_the_rest_of_a_frame() {
    let all = [bytes(1, b"one"), bytes(2, b"second"), bytes(3, b"")].concat();
    for size in 1..all.len() {
        let mut reader = FrameReader::default();
        let mut kinds = Vec::new();
        for piece in all.chunks(size) {
            reader.push(piece);
            while let Some(frame) = reader.next_frame().unwrap() {
                kinds.push(frame.kind);
            }
        }
        assert_eq!(kinds, [1, 2, 3], "in pieces of {size} bytes");
    }
}

#[test]
fn refuses_a_body_that_is_too_large() {
    let mut reader = FrameReader::default();
    reader.push(&bytes(1, &vec![0; MAX_BODY + 1]));

    assert_eq!(reader.next_frame(), Err(WireError::TooLarge(MAX_BODY + 1)));
}
