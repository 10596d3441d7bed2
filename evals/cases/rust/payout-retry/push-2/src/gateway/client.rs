//! The gateway's client.

use std::fmt;
use std::thread;
use std::time::Duration;

use log::warn;

use super::http::{Request, Response, Transport, TransportError};

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

/// How often a request is sent in all, and how long is waited before the second time; then twice as long each time.
#[derive(Clone, Copy, Debug)]
pub struct Retries {
    pub attempts: u32,
    pub first_wait: Duration,
}

impl Default for Retries {
    fn default() -> Self {
        Self { attempts: 4, first_wait: Duration::from_millis(500) }
    }
}

pub struct Client<T, K> {
    transport: T,
    keys: K,
    api_key: String,
    retries: Retries,
}

impl<T: Transport, K: Keys> Client<T, K> {
    pub fn new(transport: T, keys: K, api_key: String, retries: Retries) -> Self {
        Self { transport, keys, api_key, retries }
    }

    /// Moves the money. Where the gateway does not answer, the request is sent again.
    pub fn send(&self, payout: &Payout) -> Result<Receipt, SendError> {
        let mut wait = self.retries.first_wait;
        let mut attempt = 1;
        loop {
            let request = self.request(payout);
            match self.transport.send(&request) {
                Ok(response) => return receipt(response),
                Err(error) if error.is_temporary() && attempt < self.retries.attempts => {
                    warn!("attempt {attempt} of {} failed: {error}; next one in {wait:?}", request.path);
                    thread::sleep(wait);
                    wait *= 2;
                    attempt += 1;
                }
                Err(error) => return Err(SendError::Transport(error)),
            }
        }
    }

    fn request(&self, payout: &Payout) -> Request {
        let body = format!(r#"{{"account":"{}","cents":{}}}"#, payout.account, payout.cents);
        Request::post("/v2/payouts", body)
            .header("Authorization", &format!("Bearer {}", self.api_key))
            .header("Idempotency-Key", &self.keys.next())
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
