package com.example.meters;

/** Where readings go; throws a RuntimeException where it cannot be reached. */
public interface Collector {
    void send(Reading reading);
}
