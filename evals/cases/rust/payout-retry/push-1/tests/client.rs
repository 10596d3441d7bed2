use std::cell::{Cell, RefCell};
use std::time::Duration;

use payouts::client::{Client, Keys, Payout, Receipt, Retries, SendError};
use payouts::http::{Request, Response, Transport, TransportError};

const AT_ONCE: Retries = Retries { attempts: 3, first_wait: Duration::ZERO };

#[derive(Default)]
struct Gateway {
    answers: RefCell<Vec<Result<Response, TransportError>>>,
    seen: RefCell<Vec<Request>>,
}

impl Gateway {
    fn answering(answers: Vec<Result<Response, TransportError>>) -> Self {
        Self { answers: RefCell::new(answers), seen: RefCell::default() }
    }
}

impl Transport for &Gateway {
    fn send(&self, request: &Request) -> Result<Response, TransportError> {
        self.seen.borrow_mut().push(request.clone());
        self.answers.borrow_mut().remove(0)
    }
}

struct Counting(Cell<u32>);

impl Keys for Counting {
    fn next(&self) -> String {
        self.0.set(self.0.get() + 1);
        format!("po-{}", self.0.get())
    }
}

fn created() -> Result<Response, TransportError> {
    Ok(Response { status: 201, body: "P-77".to_owned() })
}

fn payout() -> Payout {
    Payout { account: "S-1".to_owned(), cents: 1250 }
}

#[test]
fn gives_back_the_receipt() {
    let gateway = Gateway::answering(vec![created()]);
    let client = Client::new(&gateway, Counting(Cell::new(0)), "k".to_owned(), AT_ONCE);

    assert_eq!(client.send(&payout()), Ok(Receipt("P-77".to_owned())));
    assert_eq!(gateway.seen.borrow()[0].body, r#"{"account":"S-1","cents":1250}"#);
}

#[test]
fn says_that_it_was_refused() {
    let gateway = Gateway::answering(vec![Ok(Response { status: 402, body: String::new() })]);
    let client = Client::new(&gateway, Counting(Cell::new(0)), "k".to_owned(), AT_ONCE);

    assert_eq!(client.send(&payout()), Err(SendError::Refused(402)));
}

#[test]
fn sends_again_what_was_not_answered() {
    let gateway = Gateway::answering(vec![Err(TransportError::TimedOut), Err(TransportError::Unreachable), created()]);
    let client = Client::new(&gateway, Counting(Cell::new(0)), "k".to_owned(), AT_ONCE);

    assert_eq!(client.send(&payout()), Ok(Receipt("P-77".to_owned())));
    assert_eq!(gateway.seen.borrow().len(), 3);
}

#[test]
fn gives_up_after_the_last_attempt() {
    let gateway = Gateway::answering(vec![Err(TransportError::TimedOut); 3]);
    let client = Client::new(&gateway, Counting(Cell::new(0)), "k".to_owned(), AT_ONCE);

    assert_eq!(client.send(&payout()), Err(SendError::Transport(TransportError::TimedOut)));
}

#[test]
fn does_not_repeat_what_cannot_help() {
    let gateway = Gateway::answering(vec![Err(TransportError::NotTrusted)]);
    let client = Client::new(&gateway, Counting(Cell::new(0)), "k".to_owned(), AT_ONCE);

    assert_eq!(client.send(&payout()), Err(SendError::Transport(TransportError::NotTrusted)));
}
