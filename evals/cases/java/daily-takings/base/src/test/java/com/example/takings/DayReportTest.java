package com.example.takings;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigDecimal;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DayReportTest {
    private final Shop shop = new Shop(1, "Harbour", ZoneId.of("Europe/Lisbon"));
    private final List<Sale> sold = new ArrayList<>();

    @Test
    void addsUpTheReceiptsOfTheDay() {
        sell("2024-01-15T09:00:00Z", "4.20");
        sell("2024-01-15T17:30:00Z", "10.00");
        sell("2024-01-16T09:00:00Z", "99.00");

        DayReport report = DayReport.of(shop, LocalDate.parse("2024-01-15"), this::between);

        assertEquals(new DayReport(LocalDate.parse("2024-01-15"), 2, new BigDecimal("14.20")), report);
    }

    private void sell(String at, String amount) {
        sold.add(new Sale(Instant.parse(at), new BigDecimal(amount)));
    }

    private List<Sale> between(Shop of, Instant first, Instant last) {
        return sold.stream().filter(sale -> !sale.at().isBefore(first) && sale.at().isBefore(last)).toList();
    }
}
