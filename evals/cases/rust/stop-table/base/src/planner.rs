//! Which stops can be reached.

use crate::stops::{StopId, StopTable};

/// The network as the search needs it: stops by their place in a row, with the places that a ride leads to.
#[derive(Debug)]
pub struct Network {
    ids: Vec<StopId>,
    rides: Vec<Vec<usize>>,
}

impl Network {
    /// Rides from or to a stop that is closed are left out.
    pub fn new(table: &StopTable, rides: &[(StopId, StopId)]) -> Self {
        let ids = table.ids();
        let mut network = Self { rides: vec![Vec::new(); ids.len()], ids };
        for (from, to) in rides {
            if let (Some(from), Some(to)) = (network.place(*from), network.place(*to)) {
                network.rides[from].push(to);
            }
        }
        network
    }

    /// The stops that one ride leads to.
    pub fn next(&self, from: StopId) -> Vec<StopId> {
        let Some(place) = self.place(from) else { return Vec::new() };
        self.rides[place].iter().map(|to| self.ids[*to]).collect()
    }

    fn place(&self, id: StopId) -> Option<usize> {
        self.ids.binary_search(&id).ok()
    }
}
