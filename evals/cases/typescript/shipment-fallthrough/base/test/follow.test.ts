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
