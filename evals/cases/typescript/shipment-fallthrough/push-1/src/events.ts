/** What carriers tell us. `at` is in UTC. */
export type CarrierEvent =
  | { type: "picked-up"; at: string }
  | { type: "in-transit"; at: string; place: string }
  | { type: "held"; at: string; place: string; reason: string }
  | { type: "delivered"; at: string }
  | { type: "returned"; at: string; place: string }
  | { type: "lost"; at: string };

export interface Shipment {
  number: string;
  state: "announced" | "moving" | "closed";
  place?: string;
  /** Why it does not move on, until it does. */
  held?: string;
  deliveredAt?: string;
  closedAt?: string;
}
