package com.example.customers;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import org.junit.jupiter.api.Test;

class CustomerJsonTest {
    @Test
    void theFieldsHaveTheNamesThatOthersRead() {
        Customer customer = new Customer(1, "Ada", "ada@example.org", true);

        JsonNode json = new ObjectMapper().valueToTree(customer);

        assertEquals("ada@example.org", json.get("mail").asText());
        assertEquals(4, json.size());
    }
}
