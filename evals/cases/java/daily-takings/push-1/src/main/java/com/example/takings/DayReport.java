package com.example.takings;

import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;

/** What a shop has sold on a day, from midnight to midnight where the shop is. */
public record DayReport(LocalDate day, int receipts, BigDecimal sum, BigDecimal largest) {
    public static DayReport of(Shop shop, LocalDate day, Sales sales) {
        Instant start = day.atStartOfDay(shop.zone()).toInstant();
        Instant end = start.plus(Duration.ofDays(1));
        List<Sale> sold = sales.of(shop, start, end);
        return new DayReport(day, sold.size(), sum(sold), largest(sold));
    }

    private static BigDecimal sum(List<Sale> sold) {
        return sold.stream().map(Sale::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
    }

    /** The largest receipt, zero where nothing was sold. */
    private static BigDecimal largest(List<Sale> sold) {
        return sold.stream().map(Sale::amount).max(BigDecimal::compareTo).orElse(BigDecimal.ZERO);
    }
}
