//! How much each tenant may store.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard};

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
    used: Mutex<HashMap<TenantId, u64>>,
}

impl Quotas {
    pub fn new(limit: u64, used: HashMap<TenantId, u64>) -> Self {
        Self { limit, used: Mutex::new(used) }
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    pub fn used(&self, tenant: &TenantId) -> u64 {
        self.locked().get(tenant).copied().unwrap_or(0)
    }

    /// Reserves room before a blob is written.
    pub fn reserve(&self, tenant: &TenantId, bytes: u64) -> Result<(), QuotaExceeded> {
        let mut all = self.locked();
        let used = all.entry(tenant.clone()).or_insert(0);
        match used.checked_add(bytes) {
            Some(sum) if sum <= self.limit => {
                *used = sum;
                Ok(())
            }
            _ => Err(QuotaExceeded { used: *used, limit: self.limit }),
        }
    }

    /// Gives room back.
    pub fn release(&self, tenant: &TenantId, bytes: u64) {
        if let Some(used) = self.locked().get_mut(tenant) {
            *used = used.saturating_sub(bytes);
        }
    }

    fn locked(&self) -> MutexGuard<'_, HashMap<TenantId, u64>> {
        self.used.lock().expect("nobody panics while holding the lock")
    }
}
