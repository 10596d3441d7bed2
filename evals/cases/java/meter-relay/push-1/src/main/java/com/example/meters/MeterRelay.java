package com.example.meters;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingDeque;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends readings in batches from a thread of its own. */
public final class MeterRelay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MeterRelay.class);
    private static final int MOST_WAITING = 10_000;
    private static final int BATCH = 200;

    private final LinkedBlockingDeque<Reading> waiting = new LinkedBlockingDeque<>(MOST_WAITING);
    /** Taken from the queue and not sent yet. */
    private final List<Reading> batch = new ArrayList<>(BATCH);
    private final Collector collector;
    private final ScheduledExecutorService thread =
            Executors.newSingleThreadScheduledExecutor(task -> new Thread(task, "meter-relay"));

    public MeterRelay(Collector collector) {
        this.collector = collector;
    }

    public void start() {
        thread.scheduleWithFixedDelay(this::relay, 0, 1, TimeUnit.SECONDS);
    }

    /** Takes a reading, from any thread, until this is closed. */
    public void add(Reading reading) {
        while (!waiting.offerLast(reading)) {
            waiting.pollFirst();
        }
    }

    /** Sends what is left, if the collector takes it, and stops. */
    @Override
    public void close() throws InterruptedException {
        thread.execute(this::relay);
        thread.shutdown();
        if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
            thread.shutdownNow();
            log.warn("stopped before all readings were sent");
        }
    }

    private void relay() {
        try {
            waiting.drainTo(batch, BATCH - batch.size());
            while (!batch.isEmpty()) {
                collector.send(List.copyOf(batch));
                batch.clear();
                waiting.drainTo(batch, BATCH);
            }
        } catch (RuntimeException problem) {
            // An exception that gets out of here would end the schedule. The batch is kept for the next time.
            log.warn("{} readings wait for the collector", batch.size() + waiting.size(), problem);
        }
    }
}
