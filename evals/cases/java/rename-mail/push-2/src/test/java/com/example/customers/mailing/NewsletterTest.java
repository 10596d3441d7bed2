package com.example.customers.mailing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.example.customers.Customer;
import java.util.List;
import org.junit.jupiter.api.Test;

class NewsletterTest {
    @Test
    void anAddressIsMailedOnce() {
        Newsletter newsletter = new Newsletter(List.of(
                new Customer(1, "Ada", "Family@example.org", true),
                new Customer(2, "Ben", "family@example.org", true),
                new Customer(3, "Cid", "cid@example.org", false)));

        assertEquals(List.of("family@example.org"), newsletter.recipients());
    }

    @Test
    void whoDoesNotWantItIsNotMailed() {
        Newsletter newsletter = new Newsletter(List.of(new Customer(3, "Cid", "cid@example.org", false)));

        assertEquals(List.of(), newsletter.recipients());
    }
}
