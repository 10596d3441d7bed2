//! The gateway's client.

use std::fmt;

use crate::http::{Request, Response, Transport, TransportError};

/// Money for a seller, in cents.
#[derive(Clone, Debug)]
pub struct Payout {
    pub account: String,
    pub cents: u64,
}

/// What the gateway calls the payout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt(pub String);

/// How far a payout is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Waiting,
    Paid,
    Returned,
}

#[derive(Debug, PartialEq, Eq)]
pub enum SendError {
    Refused(u16),
    /// The gateway speaks of a state that we do not know.
    UnknownState(String),
    Transport(TransportError),
}

impl fmt::Display for SendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(status) => write!(f, "refused with status {status}"),
            Self::UnknownState(state) => write!(f, "unknown state {state:?}"),
            Self::Transport(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SendError {}

/// Makes idempotency keys, a new one each time.
pub trait Keys {
    fn next(&self) -> String;
}

pub struct Client<T, K> {
    transport: T,
    keys: K,
    api_key: String,
}

impl<T: Transport, K: Keys> Client<T, K> {
    pub fn new(transport: T, keys: K, api_key: String) -> Self {
        Self { transport, keys, api_key }
    }

    /// Moves the money.
    pub fn send(&self, payout: &Payout) -> Result<Receipt, SendError> {
        let body = format!(r#"{{"account":"{}","cents":{}}}"#, payout.account, payout.cents);
        let request = Request::post("/v2/payouts", body)
            .header("Authorization", &format!("Bearer {}", self.api_key))
            .header("Idempotency-Key", &self.keys.next());
        receipt(self.transport.send(&request).map_err(SendError::Transport)?)
    }

    /// Asks how far a payout is. Whoever asks does so again every few minutes.
    pub fn state(&self, receipt: &Receipt) -> Result<State, SendError> {
        let request = Request::get(&format!("/v2/payouts/{}", receipt.0))
            .header("Authorization", &format!("Bearer {}", self.api_key));
        let response = self.transport.send(&request).map_err(SendError::Transport)?;
        match (response.status, response.body.as_str()) {
            (200, "waiting") => Ok(State::Waiting),
            (200, "paid") => Ok(State::Paid),
            (200, "returned") => Ok(State::Returned),
            (200, other) => Err(SendError::UnknownState(other.to_owned())),
            (status, _) => Err(SendError::Refused(status)),
        }
    }
}

fn receipt(response: Response) -> Result<Receipt, SendError> {
    match response.status {
        200 | 201 => Ok(Receipt(response.body)),
        status => Err(SendError::Refused(status)),
    }
}
