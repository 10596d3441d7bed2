//! A sparse index: where some of a segment's records begin.

/// Bytes between two records that are in the index.
const SPACING: u64 = 4096;

/// Eight bytes each, as there is one for every 4 KiB of all open segments.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// The offset, counted from the segment's first.
    relative: u32,
    position: u32,
}

#[derive(Debug)]
pub(crate) struct SparseIndex {
    base: u64,
    entries: Vec<Entry>,
}

impl SparseIndex {
    pub(crate) fn new(base: u64) -> Self {
        Self { base, entries: Vec::new() }
    }

    /// Takes note of a record, if it is far enough from the last one. A record has 12 bytes at least, so that their
    /// number in a segment fits.
    pub(crate) fn note(&mut self, offset: u64, position: u64) {
        let last = self.entries.last().map_or(0, |entry| u64::from(entry.position));
        if position >= last + SPACING {
            self.entries.push(Entry { relative: (offset - self.base) as u32, position: position as u32 });
        }
    }

    /// Where to begin looking for a record: the last known position that is not behind it.
    pub(crate) fn floor(&self, offset: u64) -> u64 {
        let relative = (offset - self.base) as u32;
        let after = self.entries.partition_point(|entry| entry.relative <= relative);
        after.checked_sub(1).map_or(0, |at| u64::from(self.entries[at].position))
    }
}

#[cfg(test)]
mod tests {
    use super::{SparseIndex, SPACING};

    #[test]
    fn begins_at_the_start_without_an_entry() {
        assert_eq!(SparseIndex::new(100).floor(100), 0);
    }

    #[test]
    fn finds_the_entry_before_a_record() {
        let mut index = SparseIndex::new(100);
        index.note(100, 0);
        index.note(140, SPACING);
        index.note(141, SPACING + 20);
        index.note(180, 2 * SPACING);

        assert_eq!(index.floor(139), 0);
        assert_eq!(index.floor(140), SPACING);
        assert_eq!(index.floor(179), SPACING);
        assert_eq!(index.floor(500), 2 * SPACING);
    }
}
