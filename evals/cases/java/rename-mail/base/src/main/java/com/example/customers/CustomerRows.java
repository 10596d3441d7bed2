package com.example.customers;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** How a customer is kept in the table `customers (id, name, mail, newsletter)`. */
final class CustomerRows {
    static final String INSERT = "INSERT INTO customers (name, mail, newsletter, id) VALUES (?, ?, ?, ?)";

    private CustomerRows() {
    }

    static Customer read(ResultSet row) throws SQLException {
        return new Customer(
                row.getLong("id"), row.getString("name"), row.getString("mail"), row.getBoolean("newsletter"));
    }

    static void write(Customer customer, PreparedStatement insert) throws SQLException {
        insert.setString(1, customer.name());
        insert.setString(2, customer.mail());
        insert.setBoolean(3, customer.newsletter());
        insert.setLong(4, customer.id());
    }
}
