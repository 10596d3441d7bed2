package com.example.orders;

import java.util.List;

/** The tables of the warehouse. */
public interface Orders {
    Order create(String number, Long buyerId);

    void addLine(Order order, String sku, int quantity);

    boolean isArticle(String sku);

    /** All orders with this number, of whichever buyer. */
    List<Order> findByNumber(String number);
}
