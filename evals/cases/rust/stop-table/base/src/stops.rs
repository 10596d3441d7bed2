//! The stops of a region.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StopId(pub u32);

#[derive(Clone, Debug, PartialEq)]
pub struct Stop {
    pub name: String,
    pub latitude: f64,
    pub longitude: f64,
}

#[derive(Debug, Default)]
pub struct StopTable {
    stops: BTreeMap<StopId, Stop>,
}

impl StopTable {
    pub fn insert(&mut self, id: StopId, stop: Stop) {
        self.stops.insert(id, stop);
    }

    pub fn remove(&mut self, id: StopId) -> Option<Stop> {
        self.stops.remove(&id)
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

    pub fn ids(&self) -> Vec<StopId> {
        self.stops.keys().copied().collect()
    }
}
