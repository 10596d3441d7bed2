import type { Db } from "./db.js";
import { BadRequest, type Order } from "./order.js";

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

export interface Page {
  items: Order[];
}

/** Gives a customer's newest orders. */
export async function listOrders(db: Db, customerId: number, query: Record<string, string>): Promise<Page> {
  const limit = readLimit(query.limit);
  const items = await db.query<Order>(
    `SELECT id, placed_at::text AS "placedAt", total_cents AS "totalCents"
       FROM orders
      WHERE customer_id = $1
      ORDER BY placed_at DESC, id DESC
      LIMIT $2`,
    [customerId, limit],
  );
  return { items };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new BadRequest("limit");
  return Math.min(Number(text), MAX_LIMIT);
}
