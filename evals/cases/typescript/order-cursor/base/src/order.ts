/** An order as it is listed. `placedAt` is the database's own text, with microseconds. */
export interface Order {
  id: number;
  placedAt: string;
  totalCents: number;
}

export class BadRequest extends Error {
  readonly status = 400;
}
