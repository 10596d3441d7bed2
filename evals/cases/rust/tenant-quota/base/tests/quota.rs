use std::collections::HashMap;

use blobhouse::quota::{QuotaExceeded, Quotas, TenantId};

#[test]
fn reserves_up_to_the_limit() {
    let (quotas, tenant) = (Quotas::new(100, HashMap::new()), TenantId("t1".to_owned()));

    assert_eq!(quotas.reserve(&tenant, 60), Ok(()));
    assert_eq!(quotas.reserve(&tenant, 41), Err(QuotaExceeded { used: 60, limit: 100 }));
    assert_eq!(quotas.reserve(&tenant, 40), Ok(()));
}

#[test]
fn gives_room_back() {
    let (quotas, tenant) = (Quotas::new(100, HashMap::new()), TenantId("t1".to_owned()));
    quotas.reserve(&tenant, 100).unwrap();

    quotas.release(&tenant, 30);

    assert_eq!(quotas.used(&tenant), 70);
}
