//! How large segments may become.

/// One GiB, which is what most logs get along with.
const DEFAULT_BYTES: u64 = 1 << 30;
/// Logs of the archive are cut once a month.
const MOST_BYTES: u64 = 16 << 30;

#[derive(Clone, Copy, Debug)]
pub struct SegmentConfig {
    max_bytes: u64,
}

impl SegmentConfig {
    /// A segment is closed when it has `max_bytes`, 16 GiB at most.
    pub fn new(max_bytes: u64) -> Self {
        Self { max_bytes: max_bytes.min(MOST_BYTES) }
    }

    pub fn max_bytes(&self) -> u64 {
        self.max_bytes
    }
}

impl Default for SegmentConfig {
    fn default() -> Self {
        Self::new(DEFAULT_BYTES)
    }
}
