package com.example.orders;

/** The tables of the warehouse. */
public interface Orders {
    Order create(String number, Long buyerId);

    void addLine(Order order, String sku, int quantity);

    boolean isArticle(String sku);
}
