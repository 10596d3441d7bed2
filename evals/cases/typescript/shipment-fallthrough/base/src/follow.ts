import { apply } from "./apply.js";
import type { CarrierEvent, Shipment } from "./events.js";

/**
 * Gives the shipment as it is after all events, whatever order they came in.
 *
 * After a closing event nothing changes any more.
 */
export function follow(shipment: Shipment, events: readonly CarrierEvent[]): Shipment {
  const inOrder = [...events].sort((a, b) => a.at.localeCompare(b.at));
  return inOrder.reduce((now, event) => (now.state === "closed" ? now : apply(now, event)), shipment);
}
