/** Something that a customer used. The counter ignores an id that it has seen. */
export interface UsageEvent {
  id: string;
  customer: string;
  feature: string;
  at: string;
}

/** Sends events to the counter; rejects where the counter did not take all of them. */
export type Send = (events: readonly UsageEvent[]) => Promise<void>;
