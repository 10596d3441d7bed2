//! Trips over a network of stops.

pub mod feed;
pub mod planner;
pub mod stops;
