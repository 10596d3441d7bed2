//! Requests to the gateway, whatever carries them.

use std::fmt;

/// A request. The headers hold what the gateway knows us by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    pub method: &'static str,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Request {
    pub fn get(path: &str) -> Self {
        Self { method: "GET", path: path.to_owned(), headers: Vec::new(), body: String::new() }
    }

    pub fn post(path: &str, body: String) -> Self {
        Self { method: "POST", path: path.to_owned(), headers: Vec::new(), body }
    }

    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Response {
    pub status: u16,
    pub body: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TransportError {
    /// No answer in time. Whether the gateway has acted on the request is not known.
    TimedOut,
    /// The connection was refused.
    Unreachable,
    /// The certificate is not the gateway's.
    NotTrusted,
}

impl TransportError {
    /// Whether the same request may succeed a little later.
    pub fn is_temporary(&self) -> bool {
        matches!(self, Self::TimedOut | Self::Unreachable)
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimedOut => "no answer in time",
            Self::Unreachable => "connection refused",
            Self::NotTrusted => "certificate not trusted",
        })
    }
}

impl std::error::Error for TransportError {}

pub trait Transport {
    fn send(&self, request: &Request) -> Result<Response, TransportError>;
}
