package com.example.orders;

import java.util.List;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@RestController
public class ImportController {
    private final OrderImporter importer;

    public ImportController(OrderImporter importer) {
        this.importer = importer;
    }

    @PostMapping("/orders/import")
    public Long importOne(@RequestBody ImportedOrder order) {
        return importer.importOrder(order).id();
    }

    @PostMapping("/orders/import-all")
    public ImportResult importAll(@RequestBody List<ImportedOrder> orders) {
        return importer.importAll(orders);
    }
}
