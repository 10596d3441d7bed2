package com.example.orders;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderImporterTest {
    private final OrdersInMemory orders = new OrdersInMemory();
    private final OrderImporter importer = new OrderImporter(orders);

    @Test
    void takesAnOrderWithItsLines() {
        importer.importOrder(order("1001", 7L, "A-1"));

        assertEquals("1001", orders.created.get(0).number());
        assertEquals(List.of("A-1"), orders.skus);
    }

    @Test
    void refusesAnUnknownArticle() {
        ImportedOrder order = order("1001", 7L, "B-1");

        assertThrows(OrderImporter.ImportRejected.class, () -> importer.importOrder(order));
    }

    private static ImportedOrder order(String number, Long buyer, String sku) {
        return new ImportedOrder(number, buyer, List.of(new ImportedOrder.Line(sku, 1)));
    }

    private static final class OrdersInMemory implements Orders {
        private final List<Order> created = new ArrayList<>();
        private final List<String> skus = new ArrayList<>();

        @Override
        public Order create(String number, Long buyerId) {
            Order order = new Order((long) created.size() + 1, number, buyerId);
            created.add(order);
            return order;
        }

        @Override
        public void addLine(Order order, String sku, int quantity) {
            skus.add(sku);
        }

        @Override
        public boolean isArticle(String sku) {
            return sku.startsWith("A-");
        }
    }
}
