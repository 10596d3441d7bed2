package com.example.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TimeSpanTest {
    @ParameterizedTest
    @CsvSource({
        "0s, PT0S",
        "90s, PT90S",
        "15m, PT15M",
        "6h, PT6H",
        "2d, P2D",
        "1w, P7D",
        "3w, P21D",
        "999999w, P6999993D",
    })
    void readsANumberAndAUnit(String written, Duration meant) {
        assertEquals(meant, TimeSpan.parse(written));
    }

    @ParameterizedTest
    @ValueSource(strings = {"soon", "-5m", "1234567s", "5", "w", "1y", "1 w", ""})
    void refusesAnythingElse(String written) {
        assertThrows(IllegalArgumentException.class, () -> TimeSpan.parse(written));
    }
}
