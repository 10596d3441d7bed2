package com.example.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class TimeSpanTest {
    @Test
    void readsSeconds() {
        assertEquals(Duration.ofSeconds(90), TimeSpan.parse("90s"));
    }

    @Test
    void readsMinutes() {
        assertEquals(Duration.ofMinutes(15), TimeSpan.parse("15m"));
    }

    @Test
    void readsHours() {
        assertEquals(Duration.ofHours(6), TimeSpan.parse("6h"));
    }

    @Test
    void readsDays() {
        assertEquals(Duration.ofDays(2), TimeSpan.parse("2d"));
    }

    @Test
    void refusesAnythingElse() {
        assertThrows(IllegalArgumentException.class, () -> TimeSpan.parse("soon"));
        assertThrows(IllegalArgumentException.class, () -> TimeSpan.parse("-5m"));
        assertThrows(IllegalArgumentException.class, () -> TimeSpan.parse("1234567s"));
    }
}
