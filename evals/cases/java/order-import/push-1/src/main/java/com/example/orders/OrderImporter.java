package com.example.orders;

import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
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

    private static final Logger log = LoggerFactory.getLogger(OrderImporter.class);

    private final Orders orders;

    public OrderImporter(Orders orders) {
        this.orders = orders;
    }

    /** Takes over what can be taken over; one refused order does not hold up the others. */
    public ImportResult importAll(List<ImportedOrder> batch) {
        int imported = 0;
        int skipped = 0;
        List<ImportResult.Refusal> refused = new ArrayList<>();
        for (ImportedOrder order : batch) {
            if (isKnown(order)) {
                skipped++;
                continue;
            }
            try {
                importOrder(order);
                imported++;
            } catch (ImportRejected rejected) {
                log.warn("order {} of buyer {} refused: {}", order.number(), order.buyerId(), rejected.getMessage());
                refused.add(new ImportResult.Refusal(order.number(), rejected.getMessage()));
            }
        }
        return new ImportResult(imported, skipped, List.copyOf(refused));
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

    private boolean isKnown(ImportedOrder imported) {
        return orders.findByNumber(imported.number()).stream()
                .anyMatch(order -> order.buyerId() == imported.buyerId());
    }
}
