//! One file of the log.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::config::SegmentConfig;
use crate::index::SparseIndex;

const HEADER: u64 = 12;

#[derive(Debug)]
pub struct Segment {
    file: File,
    config: SegmentConfig,
    index: SparseIndex,
    base: u64,
    next: u64,
    end: u64,
}

impl Segment {
    /// Creates the file for the records from offset `base` on.
    pub fn create(path: &Path, base: u64, config: SegmentConfig) -> io::Result<Self> {
        let file = OpenOptions::new().read(true).write(true).create_new(true).open(path)?;
        let index = SparseIndex::new(base);
        Ok(Self { file, config, index, base, next: base, end: 0 })
    }

    pub fn is_full(&self) -> bool {
        self.end >= self.config.max_bytes()
    }

    /// Appends a record and returns its offset.
    pub fn append(&mut self, payload: &[u8]) -> io::Result<u64> {
        let length = u32::try_from(payload.len()).map_err(|_| io::ErrorKind::InvalidInput)?;
        let offset = self.next;
        self.file.seek(SeekFrom::Start(self.end))?;
        self.file.write_all(&offset.to_be_bytes())?;
        self.file.write_all(&length.to_be_bytes())?;
        self.file.write_all(payload)?;
        self.index.note(offset, self.end);
        self.next += 1;
        self.end += HEADER + u64::from(length);
        Ok(offset)
    }

    /// The payload of a record, `None` where the segment does not have it.
    pub fn read(&mut self, offset: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((position, length)) = self.locate(offset)? else { return Ok(None) };
        let mut payload = vec![0; length as usize];
        self.file.seek(SeekFrom::Start(position + HEADER))?;
        self.file.read_exact(&mut payload)?;
        Ok(Some(payload))
    }

    /// Cuts off the record `offset` and all after it.
    pub fn truncate(&mut self, offset: u64) -> io::Result<()> {
        let Some((position, _)) = self.locate(offset)? else { return Ok(()) };
        self.file.set_len(position)?;
        self.next = offset;
        self.end = position;
        Ok(())
    }

    /// Where a record begins, and how long its payload is.
    fn locate(&mut self, offset: u64) -> io::Result<Option<(u64, u32)>> {
        if offset < self.base || offset >= self.next {
            return Ok(None);
        }
        let mut position = self.index.floor(offset);
        loop {
            let (found, length) = self.header(position)?;
            if found == offset {
                return Ok(Some((position, length)));
            }
            position += HEADER + u64::from(length);
        }
    }

    fn header(&mut self, position: u64) -> io::Result<(u64, u32)> {
        let mut offset = [0; 8];
        let mut length = [0; 4];
        self.file.seek(SeekFrom::Start(position))?;
        self.file.read_exact(&mut offset)?;
        self.file.read_exact(&mut length)?;
        Ok((u64::from_be_bytes(offset), u32::from_be_bytes(length)))
    }
}
