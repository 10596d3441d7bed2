//! How much each tenant may store.

use std::collections::HashMap;
use std::fmt;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TenantId(pub String);

impl fmt::Display for TenantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// There is no room for as many bytes.
#[derive(Debug, PartialEq, Eq)]
pub struct QuotaExceeded {
    pub used: u64,
    pub limit: u64,
}

#[derive(Debug)]
pub struct Quotas {
    limit: u64,
    used: RwLock<HashMap<TenantId, u64>>,
}

impl Quotas {
    pub fn new(limit: u64, used: HashMap<TenantId, u64>) -> Self {
        Self { limit, used: RwLock::new(used) }
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub fn used(&self, tenant: &TenantId) -> u64 {
        self.read().get(tenant).copied().unwrap_or(0)
    }

    /// Reserves room before a blob is written.
    pub fn reserve(&self, tenant: &TenantId, bytes: u64) -> Result<(), QuotaExceeded> {
        let mut all = self.write();
        let used = all.get(tenant).copied().unwrap_or(0);
        match used.checked_add(bytes) {
            Some(sum) if sum <= self.limit => {
                all.insert(tenant.clone(), sum);
                Ok(())
            }
            _ => Err(QuotaExceeded { used, limit: self.limit }),
        }
    }

    /// All tenants that use anything, the largest first.
    pub fn largest(&self) -> Vec<(TenantId, u64)> {
        let mut all: Vec<_> = self.read().iter().map(|(tenant, used)| (tenant.clone(), *used)).collect();
        all.sort_by(|one, other| other.1.cmp(&one.1).then_with(|| one.0 .0.cmp(&other.0 .0)));
        all
    }

    /// Gives room back; a tenant that uses nothing any more is forgotten.
    pub fn release(&self, tenant: &TenantId, bytes: u64) {
        let left = self.used(tenant).saturating_sub(bytes);
        if left == 0 {
            self.write().remove(tenant);
        } else {
            self.write().insert(tenant.clone(), left);
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<TenantId, u64>> {
        self.used.read().expect("nobody panics while holding the lock")
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<TenantId, u64>> {
        self.used.write().expect("nobody panics while holding the lock")
    }
}
