"""The same small program in several languages, next to what it defines, imports and binds."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Source:
    """A file and its outline: definitions as "kind name first-last", runs of imports, all bound names.

    `bound` holds in the whole file, `local` in a function.
    """

    path: str
    text: str
    definitions: str
    imports: tuple[tuple[int, int], ...]
    bound: str
    local: str

    @property
    def lines(self) -> list[str]:
        """The file's lines, without their ends."""
        return self.text.splitlines()


PYTHON = Source(
    "shop/cart.py",
    '''\
"""A cart."""

import os.path
from decimal import Decimal as Money, ROUND_UP

LIMIT: int = 3
first, *others = range(LIMIT)


# How much all of it costs,
# in cents.
@cached(
    size=1,
)
async def total(items, /, rate=1, *more, tax: int, **rest):
    with open(os.devnull) as (source, sink):
        rows = [row for row, _ in items if (found := row)]
    try:
        await source
    except OSError as error:
        raise error from None
    match items:
        case [head, *tail] | Pair(left=head, right=tail):
            return lambda each: each + found
        case {"rows": several, **others}:
            return rows

class Cart(Base):
    size = 0

    # Says how many there are.
    @property
    def count(self) -> list[Item]:
        self.seen = True

        class Inner:
            pass
        return helper.size
''',
    """
    function total 10-26
    class Cart 28-38
    function count 31-38
    class Inner 36-37
    """,
    ((3, 4),),
    bound="os Money ROUND_UP LIMIT first others total Cart",
    local="items rate more tax rest source sink rows row found _ error head tail several others each self Inner",
)
TYPESCRIPT = Source(
    "shop/cart.ts",
    """\
import fs, { join as glue } from "path";
import * as money from "./money";
const http = require("http");
export { other } from "./other";

/** How much. */
export interface Priced { price: number }
type Row = Priced | null;
enum Colour { Red }

/**
 * A cart.
 */
@Injectable({ scope: 1 })
export class Cart<Item> extends Base {
  private rows: Item[] = [];

  // Adds it all up.
  @Logged()
  async total({ rate, tax: vat = 1 }: Rates, [head, ...tail]: Row[], limit?: number) {
    for (const row of this.rows) {
      await row;
    }
    try { return (each) => each + limit; } catch (error) { missing = error; }
  }

  onClick = () => {};
}

export const add = (item: Row): void => {
  const inner = function named() {};
};
export default function () {}
const View = memo(({ rows }) => { render(rows); });
describe("the cart", () => {
  it("is empty", async () => { await add(null); });
});
""",
    """
    interface Priced 6-7
    type Row 8-8
    enum Colour 9-9
    class Cart 11-28
    function total 18-25
    function onClick 27-27
    function add 30-32
    function inner 31-31
    function default 33-33
    function View 34-34
    test the cart 35-37
    test is empty 36-36
    """,
    ((1, 4),),
    bound="fs glue money http Priced Row Colour Cart Item add View",
    local="rate vat head tail limit row error each item inner named rows",
)
GO = Source(
    "shop/cart.go",
    """\
package shop

import (
	"fmt"
	money "example.org/go-money/v2"
	"example.org/go-rates/v3"
)

const Limit, Most = 1, 2

var open = true

// Cart holds rows.
type Cart struct {
	Rows []Row
}

type (
	Priced interface{ Price() int }
	Row    int
)

/* Total adds it all up. */
func (c *Cart) Total(rate, tax int, more ...Row) (sum int, err error) {
	for at, row := range c.Rows {
		sum += int(row) * at
	}
	switch kind := any(c).(type) {
	case Priced:
		fmt.Println(kind)
	}
	done := func(each Row) { panic(each) }
	done(0)
	return
}

func New[T any](from T) *Cart { return nil }
""",
    """
    struct Cart 13-16
    interface Priced 19-19
    type Row 20-20
    function Total 23-35
    function New 37-37
    """,
    ((3, 7),),
    bound="fmt money rates Limit Most open Cart Priced Row New",
    local="c rate tax more sum err at row kind done each from T",
)
JAVA = Source(
    "shop/Cart.java",
    """\
package shop;

import java.util.List;
import static java.util.Objects.requireNonNull;

/** A cart. */
@Entity(name = "cart")
public class Cart<Item extends Row> extends Base {
    private final int limit = 1, most[];

    Cart(List<Item> given) { this.most = null; }

    // Adds it all up.
    @Override
    public int total(final Rates rates, int... more) throws IOException {
        for (var row : more) { use(row); }
        try (var source = open(); var sink = close()) { use(source); } catch (IOException | Error failure) { }
        Adder add = (left, right) -> left + right;
        if (rates instanceof Flat flat && flat.at(each -> each)) { return 1; }
        return switch (rates) { case Rates(int low, var high) -> low; case Other other -> 2; };
    }

    enum Colour { RED; int shade() { return 1; } }
    record Pair(int first, int second) { }
    interface Priced { default int price() { return 1; } }
}
""",
    """
    class Cart 6-26
    function Cart 11-11
    function total 13-21
    enum Colour 23-23
    function shade 23-23
    class Pair 24-24
    interface Priced 25-25
    function price 25-25
    """,
    ((3, 4),),
    bound="List requireNonNull Cart Item limit most total Colour RED shade Pair first second Priced price",
    local="rates more row source sink failure add flat low high other given left right each",
)
RUST = Source(
    "src/cart.rs",
    """\
use std::collections::{self, HashMap as Map, hash::{Entry}};
use crate::money;
extern crate rates as prices;

const LIMIT: usize = 3;

/// A cart.
/// It holds rows.
#[derive(Debug)]
pub struct Cart<Item, const N: usize> { rows: [Item; N] }

enum Colour { Red, Dark(i32) }

impl<Item> Cart<Item, 3> {
    // Adds it all up.
    #[inline]
    pub fn total(&self, rate: i32, (low, high): (i32, i32)) -> i32 {
        let Some(mut sum) = first() else { return 0 };
        if let Ok(ref found) = self.find(|each, &by: &i32| each + by) { sum += found; }
        match rate {
            Shape::Round { size, edge: rim } => size,
            n @ 1..=5 => n,
            [head, rest @ ..] => 1,
            other => other,
        }
    }
}

trait Priced { fn price(&self) -> i32; }

macro_rules! row { ($x:expr) => { $x } }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_empty() {}
}
""",
    """
    struct Cart 7-10
    enum Colour 12-12
    impl Cart<Item, 3> 14-27
    function total 15-26
    trait Priced 29-29
    function price 29-29
    macro row 31-31
    module tests 33-39
    function it_is_empty 37-38
    """,
    ((1, 3), (35, 35)),
    bound="collections Map Entry money prices LIMIT Cart Item N Colour Priced row tests it_is_empty",
    local="rate low high sum found size rim n head rest other each by",
)
RUBY = Source(
    "shop/cart.rb",
    """\
require "json"
require_relative "row"

module Shop
  # A cart.
  class Cart < Base
    attr_reader :rows
    LIMIT = 3

    # Adds it all up.
    #
    # In cents.
    def total(items, rate = 1, *more, tax:, vat: 2, **rest, &block)
      sum, (low, *high) = 0, [1]
      @seen ||= true
      items.each { |row, (left, right); spare| use(row) }
      adder = ->(each) { each }
      begin
        use(sum)
      rescue Error => error
        raise error
      end
      case items
      in { name:, age: Integer => years } then 1
      in [head, *tail] then 2
      end
    end

    def self.empty
    end

    private def secret = 1

    define_method(:made) do |given|
      given
    end
  end
end

Pair = Struct.new(:a) do
  def swap; end
end

describe "the cart" do
  it("is empty") { total }
end
""",
    """
    module Shop 4-38
    class Cart 5-37
    function total 10-27
    function empty 29-30
    function secret 32-32
    function made 34-36
    class Pair 40-42
    function swap 41-41
    test the cart 44-46
    test is empty 45-45
    """,
    ((1, 2),),
    bound="Shop Cart rows LIMIT total secret made given Pair swap",
    local="items rate more tax vat rest block sum low high row left right spare adder each error name years head tail",
)
SOURCES = (PYTHON, TYPESCRIPT, GO, JAVA, RUST, RUBY)
