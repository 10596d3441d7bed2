package com.example.prices;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.time.Clock;
import java.util.Currency;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PriceServiceTest {
    private static final Currency EUR = Currency.getInstance("EUR");

    @Test
    void asksTheErpOnceForAnArticle() {
        AtomicInteger calls = new AtomicInteger();
        PriceService prices = new PriceService((sku, currency) -> {
            calls.incrementAndGet();
            return new BigDecimal("12.50");
        }, Clock.systemUTC());

        prices.price("A-1", EUR, CustomerGroup.RETAIL);
        prices.price("A-1", EUR, CustomerGroup.RETAIL);

        assertEquals(1, calls.get());
    }

    @Test
    void takesOffWhatTheGroupIsGranted() {
        assertEquals(new BigDecimal("12.50"), priceFor(CustomerGroup.RETAIL));
        assertEquals(new BigDecimal("11.88"), priceFor(CustomerGroup.CLUB));
        assertEquals(new BigDecimal("10.25"), priceFor(CustomerGroup.TRADE));
    }

    private static BigDecimal priceFor(CustomerGroup group) {
        PriceService prices = new PriceService((sku, currency) -> new BigDecimal("12.50"), Clock.systemUTC());
        return prices.price("A-1", EUR, group);
    }
}
