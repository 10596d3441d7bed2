import { BadCell, readCents } from "./amount.js";
import type { Booking, Imported, Problem } from "./booking.js";

const COLUMNS = { day: ["date", "booked", "value date"], text: ["text", "purpose"], amount: ["amount"] } as const;
const DAY = /^(\d{4})-(\d\d)-(\d\d)$/;

/** Reads a statement: lines of cells between semicolons, the first one the heading. */
export function readStatement(file: string): Imported {
  const [heading = "", ...lines] = file.replace(/^\uFEFF/, "").split(/\r?\n/);
  const names = cells(heading).map((name) => name.toLowerCase());
  const place = (known: readonly string[]) => names.findIndex((name) => known.includes(name));
  const [day, text, amount] = [place(COLUMNS.day), place(COLUMNS.text), place(COLUMNS.amount)];
  if (day < 0 || text < 0 || amount < 0) return { problems: [{ line: 1, why: "a column is missing" }] };

  const bookings: Booking[] = [];
  const problems: Problem[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.trim() === "") continue;
    const row = cells(line);
    try {
      bookings.push({
        day: readDay(row[day] ?? ""),
        text: row[text] ?? "",
        cents: readCents(row[amount] ?? ""),
      });
    } catch (error) {
      if (!(error instanceof BadCell)) throw error;
      problems.push({ line: at + 2, why: error.message });
    }
  }
  return problems.length > 0 ? { problems } : { bookings };
}

function cells(line: string): string[] {
  return line.split(";").map((cell) => cell.trim().replace(/^"(.*)"$/, "$1"));
}

function readDay(cell: string): string {
  const match = DAY.exec(cell);
  const day = new Date(`${cell}T00:00:00Z`);
  if (match === null || Number.isNaN(day.getTime()) || day.toISOString().slice(0, 10) !== cell) {
    throw new BadCell(`"${cell}" is no day`);
  }
  return cell;
}
