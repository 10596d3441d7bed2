package com.example.customers;

/** A customer, as the API shows one. */
public record Customer(long id, String name, String mail, boolean newsletter) {
    public Customer {
        if (!mail.contains("@")) {
            throw new IllegalArgumentException("not a mail address: " + mail);
        }
    }
}
