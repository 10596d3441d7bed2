package com.example.orders;

/** An order that the warehouse has. */
public record Order(Long id, String number, Long buyerId) {
}
