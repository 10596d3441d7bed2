package com.example.prices;

import java.time.Duration;
import java.util.Properties;

/** What can be set, see the README. */
public record PriceSettings(Duration lifetime) {
    private static final String LIFETIME = "prices.cache.lifetime";
    private static final String DEFAULT_LIFETIME = "600";

    public static PriceSettings from(Properties properties) {
        long lifetime = Long.parseLong(properties.getProperty(LIFETIME, DEFAULT_LIFETIME));
        return new PriceSettings(Duration.ofMillis(lifetime));
    }
}
