package com.example.meters;

import java.util.List;

/** Where readings go. Takes all of a list, or throws a RuntimeException where it cannot be reached. */
public interface Collector {
    void send(List<Reading> readings);
}
