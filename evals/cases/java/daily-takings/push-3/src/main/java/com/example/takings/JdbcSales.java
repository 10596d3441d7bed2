package com.example.takings;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

class JdbcSales implements Sales {
    private static final String QUERY =
            "SELECT sold_at, amount FROM sales WHERE shop_id = ? AND sold_at >= ? AND sold_at < ? ORDER BY sold_at";

    private final DataSource database;

    JdbcSales(DataSource database) {
        this.database = database;
    }

    @Override
    public List<Sale> of(Shop shop, Instant start, Instant end) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = connection.prepareStatement(QUERY)) {
            statement.setLong(1, shop.id());
            statement.setTimestamp(2, Timestamp.from(start));
            statement.setTimestamp(3, Timestamp.from(end));
            List<Sale> sales = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    sales.add(new Sale(rows.getTimestamp(1).toInstant(), rows.getBigDecimal(2)));
                }
            }
            return sales;
        } catch (SQLException problem) {
            throw new IllegalStateException("cannot read the sales of shop " + shop.id(), problem);
        }
    }
}
