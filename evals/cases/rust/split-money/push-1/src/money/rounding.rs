//! Parts of amounts.

use super::amount::Cents;

/// Divides, and rounds to the nearest; a half goes to the even neighbour. The divisor is positive.
pub fn divide_half_even(dividend: i64, divisor: i64) -> i64 {
    let floor = dividend.div_euclid(divisor);
    let twice = 2 * dividend.rem_euclid(divisor);
    if twice > divisor || (twice == divisor && floor % 2 != 0) {
        floor + 1
    } else {
        floor
    }
}

/// So many percent of an amount.
pub fn percent(amount: Cents, percent: i64) -> Cents {
    Cents(divide_half_even(amount.0 * percent, 100))
}
