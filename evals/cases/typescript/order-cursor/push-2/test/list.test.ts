import { describe, expect, it } from "vitest";
import { encodeCursor } from "../src/cursor.js";
import type { Db } from "../src/db.js";
import { listOrders, MAX_LIMIT } from "../src/list.js";
import type { Order } from "../src/order.js";

/** A table that is asked as the statement asks: older than the cursor, the newest first. */
function table(orders: Order[]) {
  const calls: (readonly unknown[])[] = [];
  const db: Db = {
    async query<Row>(_sql: string, values: readonly unknown[]) {
      calls.push(values);
      const [, placedAt, id, limit] = values as [number, string | null, number | null, number];
      const older = (order: Order) =>
        placedAt === null || order.placedAt < placedAt || (order.placedAt === placedAt && order.id < (id ?? 0));
      return orders
        .filter(older)
        .sort((a, b) => b.placedAt.localeCompare(a.placedAt) || b.id - a.id)
        .slice(0, limit) as Row[];
    },
  };
  return { db, calls };
}

const order = (id: number, second = id): Order => ({
  id,
  placedAt: `2025-05-01 10:00:${String(second).padStart(2, "0")}.000001+00`,
  totalCents: 100 * id,
});

describe("listOrders", () => {
  it("gives at most a hundred", async () => {
    const { db, calls } = table([]);

    await listOrders(db, 7, { limit: "5000" });

    expect(calls[0]).toEqual([7, null, null, MAX_LIMIT + 1]);
  });

  it("leads through all pages without losing or repeating one", async () => {
    const { db } = table([order(1), order(2, 9), order(3, 9), order(4, 9), order(5)]);
    const seen: number[] = [];

    for (let next: string | null | undefined; next !== null; ) {
      const page = await listOrders(db, 7, next === undefined ? { limit: "2" } : { limit: "2", cursor: next });
      seen.push(...page.items.map(({ id }) => id));
      next = page.next;
    }

    expect(seen).toEqual([4, 3, 2, 5, 1]);
  });

  it("has no following page where all is shown", async () => {
    const { db } = table([order(1), order(2)]);

    expect((await listOrders(db, 7, { limit: "2" })).next).toBeNull();
  });

  it.each(["0", "-1", "ten", ""])("refuses the limit %j", async (limit) => {
    await expect(listOrders(table([]).db, 7, { limit })).rejects.toThrow("limit");
  });

  const forged = encodeCursor({ ...order(1), placedAt: "now()" });

  it.each(["", "x", "W10", forged])("refuses the cursor %j", async (cursor) => {
    await expect(listOrders(table([]).db, 7, { cursor })).rejects.toThrow("cursor");
  });
});
