package com.example.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class MeterRelayTest {
    @Test
    void sendsWhatItIsGiven() throws InterruptedException {
        List<Reading> sent = new CopyOnWriteArrayList<>();
        CountDownLatch arrived = new CountDownLatch(1);
        Reading reading = new Reading(UUID.randomUUID(), "M-1", 42, Instant.EPOCH);

        try (MeterRelay relay = new MeterRelay(each -> {
            sent.add(each);
            arrived.countDown();
        })) {
            relay.start();
            relay.add(reading);
            arrived.await();
        }

        assertEquals(List.of(reading), sent);
    }
}
