import { expect, it } from "vitest";
import { follow } from "../src/follow.js";

const announced = { number: "S-1", state: "announced" } as const;

it("follows a shipment to its delivery", () => {
  const shipment = follow(announced, [
    { type: "delivered", at: "2025-06-03T09:00:00Z" },
    { type: "in-transit", at: "2025-06-02T22:10:00Z", place: "Hub 4" },
    { type: "picked-up", at: "2025-06-02T16:30:00Z" },
  ]);

  expect(shipment).toEqual({
    number: "S-1",
    state: "closed",
    place: "Hub 4",
    deliveredAt: "2025-06-03T09:00:00Z",
    closedAt: "2025-06-03T09:00:00Z",
  });
});

it.each([
  [
    { type: "returned", at: "2025-06-05T08:00:00Z", place: "Warehouse" } as const,
    { state: "closed", place: "Warehouse", closedAt: "2025-06-05T08:00:00Z" },
  ],
  [
    { type: "lost", at: "2025-06-09T00:00:00Z" } as const,
    { state: "closed", place: "Hub 4", closedAt: "2025-06-09T00:00:00Z" },
  ],
])("closes a shipment that is %o without a delivery", (last, expected) => {
  const shipment = follow(announced, [
    { type: "in-transit", at: "2025-06-02T22:10:00Z", place: "Hub 4" },
    last,
    { type: "delivered", at: "2025-06-30T00:00:00Z" },
  ]);

  expect(shipment).toEqual({ number: "S-1", ...expected });
});

it("forgets why a shipment was held as soon as it moves on", () => {
  const held = { type: "held", at: "2025-06-03T01:00:00Z", place: "Customs", reason: "papers" } as const;

  expect(follow(announced, [held])).toEqual({ number: "S-1", state: "moving", place: "Customs", held: "papers" });
  expect(follow(announced, [held, { type: "picked-up", at: "2025-06-04T01:00:00Z" }])).toEqual({
    number: "S-1",
    state: "moving",
    place: "Customs",
  });
});
