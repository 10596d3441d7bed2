use linenet::stops::{Stop, StopId, StopTable};

fn stop(name: &str) -> Stop {
    Stop { name: name.to_owned(), latitude: 38.7, longitude: -9.1 }
}

#[test]
fn keeps_the_order_in_which_stops_were_added() {
    let mut table = StopTable::default();
    for id in [7, 3, 5] {
        table.insert(StopId(id), stop("any"));
    }

    table.remove(StopId(3));

    assert_eq!(table.ids(), [StopId(7), StopId(5)]);
}

#[test]
fn a_stop_that_is_added_again_is_replaced() {
    let mut table = StopTable::default();
    table.insert(StopId(1), stop("Old Pier"));
    table.insert(StopId(1), stop("New Pier"));

    assert_eq!(table.len(), 1);
    assert_eq!(table.get(StopId(1)), Some(&stop("New Pier")));
}

#[test]
fn what_is_removed_is_gone() {
    let mut table = StopTable::default();
    table.insert(StopId(1), stop("Old Pier"));

    assert_eq!(table.remove(StopId(1)), Some(stop("Old Pier")));
    assert_eq!(table.remove(StopId(1)), None);
    assert!(table.is_empty());
}
