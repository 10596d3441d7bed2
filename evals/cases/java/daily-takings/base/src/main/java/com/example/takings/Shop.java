package com.example.takings;

import java.time.ZoneId;

/** A shop, which may be anywhere. */
public record Shop(long id, String name, ZoneId zone) {
}
