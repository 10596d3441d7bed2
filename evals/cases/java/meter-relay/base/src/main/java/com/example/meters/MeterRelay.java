package com.example.meters;

import java.util.concurrent.LinkedBlockingDeque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sends readings one after the other from a thread of its own. */
public final class MeterRelay implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(MeterRelay.class);
    private static final int MOST_WAITING = 10_000;

    private final LinkedBlockingDeque<Reading> waiting = new LinkedBlockingDeque<>(MOST_WAITING);
    private final Collector collector;
    private final Thread thread = new Thread(this::run, "meter-relay");

    public MeterRelay(Collector collector) {
        this.collector = collector;
    }

    public void start() {
        thread.start();
    }

    /** Takes a reading, from any thread. */
    public void add(Reading reading) {
        while (!waiting.offerLast(reading)) {
            waiting.pollFirst();
        }
    }

    @Override
    public void close() throws InterruptedException {
        thread.interrupt();
        thread.join();
    }

    private void run() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                Reading next = waiting.takeFirst();
                collector.send(next);
            } catch (InterruptedException stop) {
                return;
            } catch (RuntimeException problem) {
                log.warn("a reading could not be sent", problem);
            }
        }
    }
}
