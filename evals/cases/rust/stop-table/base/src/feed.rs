//! Changes of the timetable.

use crate::stops::{Stop, StopId, StopTable};

#[derive(Debug)]
pub enum Change {
    Open(StopId, Stop),
    Close(StopId),
}

/// Carries out a feed, change by change.
pub fn apply(table: &mut StopTable, changes: impl IntoIterator<Item = Change>) {
    for change in changes {
        match change {
            Change::Open(id, stop) => table.insert(id, stop),
            Change::Close(id) => {
                table.remove(id);
            }
        }
    }
}
