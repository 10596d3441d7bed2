package com.example.takings;

import java.time.Instant;
import java.util.List;

/** The receipts of all shops. */
public interface Sales {
    /** What a shop has sold from `start` on and before `end`, in order. */
    List<Sale> of(Shop shop, Instant start, Instant end);
}
