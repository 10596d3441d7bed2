import { expect, it } from "vitest";
import { totals } from "../src/total.js";

it("adds up each month by itself", () => {
  const bookings = [
    { day: "2025-01-03", text: "Fees", cents: 12_000 },
    { day: "2025-01-31", text: "Hall", cents: -4_550 },
    { day: "2025-02-01", text: "Fees", cents: 6_000 },
  ];

  expect([...totals(bookings)]).toEqual([
    ["2025-01", 7_450],
    ["2025-02", 6_000],
  ]);
});
