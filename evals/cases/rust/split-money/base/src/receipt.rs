//! Receipts.

use crate::money::{percent, Cents};

#[derive(Clone, Debug)]
pub struct Line {
    pub name: String,
    pub amount: Cents,
}

#[derive(Clone, Debug, Default)]
pub struct Receipt {
    pub lines: Vec<Line>,
}

impl Receipt {
    pub fn net(&self) -> Cents {
        self.lines.iter().map(|line| line.amount).sum()
    }

    pub fn tax(&self, rate: i64) -> Cents {
        percent(self.net(), rate)
    }
}
