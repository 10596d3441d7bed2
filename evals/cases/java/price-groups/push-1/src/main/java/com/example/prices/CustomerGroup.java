package com.example.prices;

import java.math.BigDecimal;

/** Who buys, as far as it changes the price. */
public enum CustomerGroup {
    RETAIL("0"),
    CLUB("5"),
    TRADE("18");

    private final BigDecimal percentOff;

    CustomerGroup(String percentOff) {
        this.percentOff = new BigDecimal(percentOff);
    }

    /** What is taken off the list price, in percent. */
    public BigDecimal percentOff() {
        return percentOff;
    }
}
