package com.example.prices;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.Function;

/** Keeps what was loaded for a while. */
class ExpiringCache<K, V> {
    private record Entry<V>(V value, Instant until) {
    }

    private final ConcurrentMap<K, Entry<V>> entries = new ConcurrentHashMap<>();
    private final Duration lifetime;
    private final Clock clock;

    ExpiringCache(Duration lifetime, Clock clock) {
        this.lifetime = lifetime;
        this.clock = clock;
    }

    V get(K key, Function<? super K, ? extends V> load) {
        Instant now = clock.instant();
        return entries.compute(key, (same, entry) -> entry != null && now.isBefore(entry.until)
                ? entry
                : new Entry<>(load.apply(same), now.plus(lifetime))).value();
    }
}
