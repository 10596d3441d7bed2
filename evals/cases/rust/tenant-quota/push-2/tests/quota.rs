use std::collections::HashMap;
use std::thread;

use blobhouse::quota::{QuotaExceeded, Quotas, TenantId};

#[test]
fn reserves_up_to_the_limit() {
    let (quotas, tenant) = (Quotas::new(100, HashMap::new()), TenantId("t1".to_owned()));

    assert_eq!(quotas.reserve(&tenant, 60), Ok(()));
    assert_eq!(quotas.reserve(&tenant, 41), Err(QuotaExceeded { used: 60, limit: 100 }));
    assert_eq!(quotas.reserve(&tenant, 40), Ok(()));
}

#[test]
fn uploads_at_one_time_do_not_pass_the_limit() {
    let (quotas, tenant) = (Quotas::new(1_000, HashMap::new()), TenantId("t1".to_owned()));

    let granted: usize = thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| (0..200).filter(|_| quotas.reserve(&tenant, 1).is_ok()).count()))
            .collect();
        threads.into_iter().map(|each| each.join().unwrap()).sum()
    });

    assert_eq!(granted, 1_000);
    assert_eq!(quotas.used(&tenant), 1_000);
}

#[test]
fn gives_room_back() {
    let (quotas, tenant) = (Quotas::new(100, HashMap::new()), TenantId("t1".to_owned()));
    quotas.reserve(&tenant, 100).unwrap();

    quotas.release(&tenant, 30);

    assert_eq!(quotas.used(&tenant), 70);
}

#[test]
fn names_the_largest_first() {
    let used = HashMap::from([(TenantId("small".to_owned()), 5), (TenantId("large".to_owned()), 50)]);

    let largest = Quotas::new(100, used).largest();

    assert_eq!(largest, [(TenantId("large".to_owned()), 50), (TenantId("small".to_owned()), 5)]);
}
