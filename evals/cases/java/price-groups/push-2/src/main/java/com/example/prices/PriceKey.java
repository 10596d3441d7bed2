package com.example.prices;

import java.util.Currency;

/** What a price is kept under. */
record PriceKey(String sku, Currency currency, CustomerGroup group) {
}
