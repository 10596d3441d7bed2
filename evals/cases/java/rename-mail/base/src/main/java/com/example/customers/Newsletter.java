package com.example.customers;

import java.util.List;
import java.util.stream.Collectors;

/** Who gets the newsletter. */
public class Newsletter {
    private final List<Customer> customers;

    public Newsletter(List<Customer> customers) {
        this.customers = customers;
    }

    /** The addresses, each once: some families share one. */
    public List<String> recipients() {
        return customers.stream()
                .filter(Customer::newsletter)
                .map(Customer::mail)
                .map(String::toLowerCase)
                .distinct()
                .collect(Collectors.toList());
    }
}
