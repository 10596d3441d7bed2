import type { CarrierEvent, Shipment } from "./events.js";

/** Gives an open shipment as it is after an event; `follow` keeps events away from closed ones. */
export function apply(shipment: Shipment, event: CarrierEvent): Shipment {
  const { held: _, ...next }: Shipment = shipment;
  switch (event.type) {
    case "held":
      return { ...next, state: "moving", place: event.place, held: event.reason };
    case "in-transit":
      next.place = event.place;
    // falls through: like a pick-up, with a place
    case "picked-up":
      next.state = "moving";
      return next;
    case "returned":
      next.place = event.place;
      return close(next, event.at);
    case "delivered":
      next.deliveredAt = event.at;
    // falls through: a delivery closes the shipment, as a loss does
    case "lost":
      return close(next, event.at);
    default:
      return unknown(event);
  }
}

function close(shipment: Shipment, at: string): Shipment {
  return { ...shipment, state: "closed", closedAt: at };
}

/** Does not compile where an event has no case. */
function unknown(event: never): never {
  throw new Error(`no such event: ${JSON.stringify(event)}`);
}
