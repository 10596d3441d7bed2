//! What the dashboard shows.

use crate::quota::{Quotas, TenantId};

/// One line a tenant: its name, and how much of its quota it uses.
pub fn lines(quotas: &Quotas, tenants: &[TenantId]) -> Vec<String> {
    tenants.iter().map(|tenant| format!("{tenant}: {} of {} bytes", quotas.used(tenant), quotas.limit())).collect()
}
