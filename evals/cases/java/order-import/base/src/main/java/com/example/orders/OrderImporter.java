package com.example.orders;

import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;

@Component
public class OrderImporter {
    /** The order cannot be taken; the message is for whoever sent it. */
    public static class ImportRejected extends RuntimeException {
        public ImportRejected(String message) {
            super(message);
        }
    }

    private final Orders orders;

    public OrderImporter(Orders orders) {
        this.orders = orders;
    }

    /** Takes one order over, with all of its lines or not at all. */
    @Transactional
    public Order importOrder(ImportedOrder imported) {
        Order order = orders.create(imported.number(), imported.buyerId());
        for (ImportedOrder.Line line : imported.lines()) {
            if (!orders.isArticle(line.sku())) {
                throw new ImportRejected("unknown article " + line.sku());
            }
            orders.addLine(order, line.sku(), line.quantity());
        }
        return order;
    }
}
