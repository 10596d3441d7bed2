package com.example.jobs;

import java.time.Duration;
import java.time.Instant;

/** How often a job runs. */
public record Interval(Duration every) {
    public static Interval of(String written) {
        Duration every = TimeSpan.parse(written);
        if (every.isZero()) {
            throw new IllegalArgumentException("an interval of nothing: " + written);
        }
        return new Interval(every);
    }

    public Instant after(Instant last) {
        return last.plus(every);
    }
}
