package com.example.prices;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Clock;
import java.time.Duration;
import java.util.Currency;

/** What an article costs in the shop. */
public class PriceService {
    private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
    private static final Duration LIFETIME = Duration.ofMinutes(10);

    private final ErpPrices erp;
    private final ExpiringCache<PriceKey, BigDecimal> prices;

    public PriceService(ErpPrices erp, Clock clock) {
        this.erp = erp;
        this.prices = new ExpiringCache<>(LIFETIME, clock);
    }

    /** The price that somebody of this group pays, rounded to the currency's smallest coin. */
    public BigDecimal price(String sku, Currency currency, CustomerGroup group) {
        return prices.get(new PriceKey(sku, currency), key -> {
            BigDecimal list = erp.listPrice(key.sku(), key.currency());
            return reduced(list, group).setScale(currency.getDefaultFractionDigits(), RoundingMode.HALF_UP);
        });
    }

    private static BigDecimal reduced(BigDecimal price, CustomerGroup group) {
        BigDecimal paid = HUNDRED.subtract(group.percentOff());
        return price.multiply(paid).divide(HUNDRED);
    }
}
