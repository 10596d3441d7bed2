package com.example.customers.mailing;

import com.example.customers.Customer;
import java.util.List;
import java.util.Locale;

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
                .map(Customer::emailAddress)
                .map(address -> address.toLowerCase(Locale.ROOT))
                .distinct()
                .toList();
    }
}
