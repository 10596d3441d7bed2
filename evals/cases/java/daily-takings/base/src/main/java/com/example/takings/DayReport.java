package com.example.takings;

import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;

/** What a shop has sold on a day. */
public record DayReport(LocalDate day, int receipts, BigDecimal sum) {
    public static DayReport of(Shop shop, LocalDate day, Sales sales) {
        List<Sale> sold = sales.of(
                shop,
                day.atStartOfDay().toInstant(ZoneOffset.UTC),
                day.atTime(LocalTime.MAX).toInstant(ZoneOffset.UTC));
        BigDecimal sum = sold.stream().map(Sale::amount).reduce(BigDecimal.ZERO, BigDecimal::add);
        return new DayReport(day, sold.size(), sum);
    }
}
