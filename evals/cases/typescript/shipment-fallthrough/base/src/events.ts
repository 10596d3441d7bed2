/** What carriers tell us. `at` is in UTC. */
export type CarrierEvent =
  | { type: "picked-up"; at: string }
  | { type: "in-transit"; at: string; place: string }
  | { type: "delivered"; at: string };

export interface Shipment {
  number: string;
  state: "announced" | "moving" | "closed";
  place?: string;
  deliveredAt?: string;
  closedAt?: string;
}
