/** One line of the books. */
export interface Booking {
  /** The day, as YYYY-MM-DD. */
  day: string;
  text: string;
  /** Whole cents; what was spent is negative. */
  cents: number;
}

/** What an import came to: bookings, or the lines that cannot be read. */
export type Imported = { bookings: Booking[] } | { problems: Problem[] };

export interface Problem {
  /** Counted from 1, the heading included. */
  line: number;
  why: string;
}
