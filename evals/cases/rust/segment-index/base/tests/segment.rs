use std::path::PathBuf;

use tidelog::{Segment, SegmentConfig};

fn segment(name: &str) -> (PathBuf, Segment) {
    let path = std::env::temp_dir().join(format!("tidelog-{}-{name}", std::process::id()));
    let segment = Segment::create(&path, 100, SegmentConfig::default()).unwrap();
    (path, segment)
}

#[test]
fn reads_back_what_was_appended() {
    let (path, mut segment) = segment("reads");

    let first = segment.append(b"one").unwrap();
    segment.append(b"two").unwrap();

    assert_eq!(first, 100);
    assert_eq!(segment.read(101).unwrap().as_deref(), Some(&b"two"[..]));
    assert_eq!(segment.read(102).unwrap(), None);
    std::fs::remove_file(path).unwrap();
}

#[test]
fn forgets_what_is_cut_off() {
    let (path, mut segment) = segment("cut");
    segment.append(b"one").unwrap();
    segment.append(b"two").unwrap();

    segment.truncate(101).unwrap();

    assert_eq!(segment.read(101).unwrap(), None);
    assert_eq!(segment.append(b"new").unwrap(), 101);
    assert_eq!(segment.read(101).unwrap().as_deref(), Some(&b"new"[..]));
    std::fs::remove_file(path).unwrap();
}
