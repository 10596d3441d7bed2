/** A cell that does not hold what its column promises; the message is shown to the treasurer. */
export class BadCell extends Error {}

const AMOUNT = /^[-+]?[\d']*([.,]\d{0,2})?$/;

/**
 * Reads an amount as banks write it: "12.50", "12,5", "-1'250.00".
 *
 * Returns whole cents. Throws BadCell.
 */
export function readCents(cell: string): number {
  const text = cell.trim();
  if (!AMOUNT.test(text)) throw new BadCell(`"${text}" is no amount`);
  const value = Number(text.replaceAll("'", "").replace(",", "."));
  if (Number.isNaN(value)) throw new BadCell(`"${text}" is no amount`);
  return Math.trunc(value * 100);
}
