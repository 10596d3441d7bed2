package com.example.orders;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.stereotype.Repository;

@Repository
class JdbcOrders implements Orders {
    private final JdbcTemplate jdbc;

    JdbcOrders(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @Override
    public Order create(String number, Long buyerId) {
        Long id = jdbc.queryForObject(
                "INSERT INTO orders (number, buyer_id) VALUES (?, ?) RETURNING id", Long.class, number, buyerId);
        return new Order(id, number, buyerId);
    }

    @Override
    public void addLine(Order order, String sku, int quantity) {
        jdbc.update("INSERT INTO order_lines (order_id, sku, quantity) VALUES (?, ?, ?)", order.id(), sku, quantity);
    }

    @Override
    public boolean isArticle(String sku) {
        return Boolean.TRUE.equals(
                jdbc.queryForObject("SELECT EXISTS (SELECT 1 FROM articles WHERE sku = ?)", Boolean.class, sku));
    }
}
