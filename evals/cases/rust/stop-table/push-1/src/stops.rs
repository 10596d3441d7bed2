//! The stops of a region.

use std::collections::hash_map::Entry;
use std::collections::HashMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StopId(pub u32);

#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
}

/// Stops by their id. A search looks up millions of them, so a lookup has to be cheap.
#[derive(Debug, Default)]
pub struct StopTable {
    stops: HashMap<StopId, Stop>,
    order: Vec<StopId>,
}

impl StopTable {
    pub fn insert(&mut self, id: StopId, stop: Stop) {
        match self.stops.entry(id) {
            Entry::Occupied(mut known) => {
                known.insert(stop);
            }
            Entry::Vacant(new) => {
                new.insert(stop);
                self.order.push(id);
            }
        }
    }

    pub fn remove(&mut self, id: StopId) -> Option<Stop> {
        let stop = self.stops.remove(&id)?;
        self.order.retain(|each| *each != id);
        Some(stop)
    }

    pub fn get(&self, id: StopId) -> Option<&Stop> {
        self.stops.get(&id)
    }

    pub fn len(&self) -> usize {
        self.stops.len()
    }

    pub fn is_empty(&self) -> bool {
        self.stops.is_empty()
    }

    /// The ids in the order in which the stops were added, whatever the hash says.
    pub fn ids(&self) -> Vec<StopId> {
        self.order.clone()
    }
}
