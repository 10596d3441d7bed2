import { describe, expect, it } from "vitest";
import type { Db } from "../src/db.js";
import { listOrders, MAX_LIMIT } from "../src/list.js";

function recording(rows: unknown[] = []) {
  const calls: { sql: string; values: readonly unknown[] }[] = [];
  const db: Db = {
    async query<Row>(sql: string, values: readonly unknown[]) {
      calls.push({ sql, values });
      return rows as Row[];
    },
  };
  return { db, calls };
}

describe("listOrders", () => {
  it("gives at most a hundred", async () => {
    const { db, calls } = recording();

    await listOrders(db, 7, { limit: "5000" });

    expect(calls[0]?.values).toEqual([7, MAX_LIMIT]);
  });

  it.each(["0", "-1", "ten", ""])("refuses the limit %j", async (limit) => {
    await expect(listOrders(recording().db, 7, { limit })).rejects.toThrow("limit");
  });
});
