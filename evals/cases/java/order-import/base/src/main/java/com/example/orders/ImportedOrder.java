package com.example.orders;

import java.util.List;

/** An order as a marketplace sends it. */
public record ImportedOrder(String number, Long buyerId, List<Line> lines) {
    public record Line(String sku, int quantity) {
    }
}
