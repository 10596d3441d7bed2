package com.example.takings;

import java.time.Instant;
import java.util.List;

/** The receipts of all shops. */
public interface Sales {
    List<Sale> of(Shop shop, Instant first, Instant last);
}
