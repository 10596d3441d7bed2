package com.example.customers;

import com.fasterxml.jackson.annotation.JsonProperty;

/** A customer, as the API shows one. */
public record Customer(
        long id, String name, @JsonProperty("mail") String emailAddress, boolean newsletter) {
    public Customer {
        if (!emailAddress.contains("@")) {
            throw new IllegalArgumentException("not a mail address: " + emailAddress);
        }
    }
}
