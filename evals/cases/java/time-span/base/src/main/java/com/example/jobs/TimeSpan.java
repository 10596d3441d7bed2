package com.example.jobs;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A span of time as people write it. */
public final class TimeSpan {
    private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,6})([smhd])");

    private TimeSpan() {
    }

    /** Reads a span such as "15m"; throws IllegalArgumentException. */
    public static Duration parse(String text) {
        Matcher matcher = WRITTEN.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a span of time: " + text);
        }
        long number = Long.parseLong(matcher.group(1));
        String unit = matcher.group(2);
        if (unit.equals("d")) {
            return Duration.ofDays(number);
        } else if (unit.equals("h")) {
            return Duration.ofHours(number);
        } else if (unit.equals("m")) {
            return Duration.ofMinutes(number);
        } else {
            return Duration.ofSeconds(number);
        }
    }
}
