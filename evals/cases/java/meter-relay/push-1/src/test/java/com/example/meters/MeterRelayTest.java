package com.example.meters;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class MeterRelayTest {
    private final List<List<Reading>> sent = new CopyOnWriteArrayList<>();

    @Test
    void sendsInBatchesAndInOrder() throws InterruptedException {
        List<Reading> readings = IntStream.range(0, 450).mapToObj(MeterRelayTest::reading).toList();

        try (MeterRelay relay = new MeterRelay(sent::add)) {
            readings.forEach(relay::add);
        }

        assertEquals(List.of(200, 200, 50), sent.stream().map(List::size).toList());
        assertEquals(readings, sent.stream().flatMap(List::stream).toList());
    }

    @Test
    void keepsWhatTheCollectorRefused() throws InterruptedException {
        CountDownLatch refused = new CountDownLatch(1);

        try (MeterRelay relay = new MeterRelay(batch -> {
            if (refused.getCount() > 0) {
                refused.countDown();
                throw new IllegalStateException("away");
            }
            sent.add(batch);
        })) {
            relay.add(reading(1));
            relay.start();
            refused.await();
        }

        assertEquals(1, sent.size());
    }

    private static Reading reading(int value) {
        return new Reading(UUID.randomUUID(), "M-1", value, Instant.EPOCH);
    }
}
