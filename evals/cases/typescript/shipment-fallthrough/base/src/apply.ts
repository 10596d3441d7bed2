import type { CarrierEvent, Shipment } from "./events.js";

/** Gives the shipment as it is after an event. */
export function apply(shipment: Shipment, event: CarrierEvent): Shipment {
  const next = { ...shipment };
  switch (event.type) {
    case "picked-up":
      next.state = "moving";
      break;
    case "in-transit":
      next.state = "moving";
      next.place = event.place;
      break;
    case "delivered":
      next.state = "closed";
      next.deliveredAt = event.at;
      next.closedAt = event.at;
      break;
  }
  return next;
}
