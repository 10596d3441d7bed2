import { BadRequest, type Order } from "./order.js";

/** A place in the list: everything older than this order. */
export interface Cursor {
  placedAt: string;
  id: number;
}

const INSTANT = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?[+-]\d\d(:\d\d)?$/;

/** Writes a cursor as it goes into an address. */
export function encodeCursor(order: Order): string {
  return Buffer.from(JSON.stringify([order.placedAt, order.id])).toString("base64url");
}

/** Reads a cursor. Throws BadRequest where somebody made it up. */
export function decodeCursor(text: string): Cursor {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, "base64url").toString("utf8"));
  } catch {
    throw new BadRequest("cursor");
  }
  if (!Array.isArray(parts) || parts.length !== 2) throw new BadRequest("cursor");
  const [placedAt, id] = parts as unknown[];
  if (typeof placedAt !== "string" || !INSTANT.test(placedAt)) throw new BadRequest("cursor");
  if (typeof id !== "number" || !Number.isSafeInteger(id)) throw new BadRequest("cursor");
  return { placedAt, id };
}
