//! What the dashboard shows.

use crate::quota::Quotas;

/// One line a tenant, the largest first: its name, and how much of its quota it uses.
pub fn lines(quotas: &Quotas) -> Vec<String> {
    let limit = quotas.limit();
    quotas.largest().iter().map(|(tenant, used)| format!("{tenant}: {used} of {limit} bytes")).collect()
}
