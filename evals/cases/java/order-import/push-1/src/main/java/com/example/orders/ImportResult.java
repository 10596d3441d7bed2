package com.example.orders;

import java.util.List;

/** What became of a list of orders: how many were taken and skipped, and why the others were refused. */
public record ImportResult(int imported, int skipped, List<Refusal> refused) {
    public record Refusal(String number, String reason) {
    }
}
