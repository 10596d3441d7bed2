package com.example.meters;

import java.time.Instant;
import java.util.UUID;

/** What a meter showed. */
public record Reading(UUID id, String meter, long value, Instant at) {
}
