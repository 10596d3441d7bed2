package com.example.jobs;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A span of time as people write it. */
public final class TimeSpan {
    private static final Pattern WRITTEN = Pattern.compile("([0-9]{1,6})([smhdw])");

    private TimeSpan() {
    }

    /** Reads a span such as "15m"; throws IllegalArgumentException. */
    public static Duration parse(String text) {
        Matcher matcher = WRITTEN.matcher(text.trim());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("not a span of time: " + text);
        }
        return Duration.ofSeconds(seconds(Long.parseLong(matcher.group(1)), matcher.group(2).charAt(0)));
    }

    /** Multiplies down from the unit to seconds: each case goes on with the next smaller one. */
    private static long seconds(long number, char unit) {
        long seconds = number;
        switch (unit) {
            case 'w':
                seconds *= 7;
                // falls through
            case 'd':
                seconds *= 24;
                // falls through
            case 'h':
                seconds *= 60;
                // falls through
            case 'm':
                seconds *= 60;
                // falls through
            default:
                return seconds;
        }
    }
}
