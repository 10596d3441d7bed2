package com.example.prices;

import java.math.BigDecimal;
import java.time.Clock;
import java.time.Duration;
import java.util.Currency;

/** What an article costs in the shop. */
public class PriceService {
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private final ErpPrices erp;
    private final ExpiringCache<PriceKey, BigDecimal> prices;

    public PriceService(ErpPrices erp, Clock clock) {
        this.erp = erp;
        this.prices = new ExpiringCache<>(LIFETIME, clock);
    }

    public BigDecimal price(String sku, Currency currency) {
        return prices.get(new PriceKey(sku, currency), key -> erp.listPrice(key.sku(), key.currency()));
    }
}
