package com.example.prices;

import java.math.BigDecimal;
import java.util.Currency;

/** The ERP's price list. A call takes some 500 ms. */
public interface ErpPrices {
    BigDecimal listPrice(String sku, Currency currency);
}
