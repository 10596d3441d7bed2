import type { Booking } from "./booking.js";

/** Adds up bookings, by month. */
export function totals(bookings: readonly Booking[]): Map<string, number> {
  const byMonth = new Map<string, number>();
  for (const { day, cents } of bookings) {
    const month = day.slice(0, 7);
    byMonth.set(month, (byMonth.get(month) ?? 0) + cents);
  }
  return byMonth;
}
