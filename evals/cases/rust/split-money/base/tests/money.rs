use tillsum::money::{divide_half_even, percent, Cents};
use tillsum::receipt::{Line, Receipt};

#[test]
fn rounds_halves_to_the_even_cent() {
    let rounded: Vec<_> = [-15, -5, 5, 15, 25, 26].iter().map(|cents| divide_half_even(*cents, 10)).collect();

    assert_eq!(rounded, [-2, 0, 0, 2, 2, 3]);
}

#[test]
fn writes_what_is_given_back() {
    assert_eq!(Cents(-5).to_string(), "-0.05");
    assert_eq!(percent(Cents(-250), 23), Cents(-58));
}

#[test]
fn adds_up_a_receipt() {
    let line = |cents| Line { name: "any".to_owned(), amount: Cents(cents) };
    let receipt = Receipt { lines: vec![line(1_000), line(-250)] };

    assert_eq!(receipt.net(), Cents(750));
    assert_eq!(receipt.tax(23), Cents(172));
}
