import { decodeCursor, encodeCursor } from "./cursor.js";
import type { Db } from "./db.js";
import { BadRequest, type Order } from "./order.js";

export const DEFAULT_LIMIT = 20;
export const MAX_LIMIT = 100;

export interface Page {
  items: Order[];
  /** Leads to the following page, null on the last one. */
  next: string | null;
}

/** Gives one page of a customer's orders, the newest first. */
export async function listOrders(db: Db, customerId: number, query: Record<string, string>): Promise<Page> {
  const limit = readLimit(query.limit);
  const after = query.cursor === undefined ? null : decodeCursor(query.cursor);
  // One more than asked for, to know whether there is a following page.
  const rows = await db.query<Order>(
    `SELECT id, placed_at::text AS "placedAt", total_cents AS "totalCents"
       FROM orders
      WHERE customer_id = $1
        AND ($2::timestamptz IS NULL OR (placed_at, id) < ($2::timestamptz, $3::bigint))
      ORDER BY placed_at DESC, id DESC
      LIMIT $4`,
    [customerId, after?.placedAt ?? null, after?.id ?? null, limit + 1],
  );
  const items = rows.slice(0, limit);
  const last = items.at(-1);
  return { items, next: rows.length > limit && last !== undefined ? encodeCursor(last) : null };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new BadRequest("limit");
  return Math.min(Number(text), MAX_LIMIT);
}
