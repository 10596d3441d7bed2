use linenet::planner::Network;
use linenet::stops::{Stop, StopId, StopTable};

fn table(ids: &[u32]) -> StopTable {
    let mut table = StopTable::default();
    for id in ids {
        table.insert(StopId(*id), Stop { name: format!("Stop {id}"), latitude: 38.7, longitude: -9.1 });
    }
    table
}

#[test]
fn knows_where_a_ride_leads() {
    let network = Network::new(&table(&[1, 2, 3]), &[(StopId(1), StopId(2)), (StopId(1), StopId(3))]);

    assert_eq!(network.next(StopId(1)), [StopId(2), StopId(3)]);
}

#[test]
fn leaves_out_closed_stops() {
    let network = Network::new(&table(&[1, 3]), &[(StopId(1), StopId(2)), (StopId(1), StopId(3))]);

    assert_eq!(network.next(StopId(1)), [StopId(3)]);
}
