package com.example.takings;

import java.math.BigDecimal;
import java.time.Instant;

/** One receipt. */
public record Sale(Instant at, BigDecimal amount) {
}
