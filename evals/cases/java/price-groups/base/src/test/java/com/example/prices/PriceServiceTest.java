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

        prices.price("A-1", EUR);
        prices.price("A-1", EUR);

        assertEquals(1, calls.get());
    }
}
