//! What the dashboard shows.

use crate::quota::Quotas;

const MOST_LINES: usize = 50;

/// One line a tenant, the largest first: its name, and how much of its quota it uses. The dashboard has room for 50.
pub fn lines(quotas: &Quotas) -> Vec<String> {
    let limit = quotas.limit();
    let all = quotas.largest();
    all.iter().take(MOST_LINES).map(|(tenant, used)| format!("{tenant}: {used} of {limit} bytes")).collect()
}
