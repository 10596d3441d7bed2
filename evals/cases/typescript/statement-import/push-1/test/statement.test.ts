import { describe, expect, it } from "vitest";
import { readCents } from "../src/amount.js";
import { readStatement } from "../src/statement.js";

describe("readCents", () => {
  it.each([
    ["12.50", 1_250],
    ["12,5", 1_250],
    ["-3.25", -325],
    ["1'250", 125_000],
    [" 0.75 ", 75],
  ])("reads %j", (cell, cents) => {
    expect(readCents(cell)).toBe(cents);
  });

  it.each(["ten", "1e3", "0x10", "1.2.3", "-", "."])("refuses %j", (cell) => {
    expect(() => readCents(cell)).toThrow("is no amount");
  });
});

describe("readStatement", () => {
  it("reads bookings under whatever heading the bank gives", () => {
    expect(readStatement('\uFEFFBooked;Purpose;Amount\r\n2025-01-03;"Fees";120.00\r\n\r\n')).toEqual({
      bookings: [{ day: "2025-01-03", text: "Fees", cents: 12_000 }],
    });
  });

  it("lists what cannot be read, and imports nothing", () => {
    expect(readStatement("date;text;amount\n2025-02-30;Fees;1\n2025-01-03;Fees;1\n2025-01-04;Fees;x")).toEqual({
      problems: [
        { line: 2, why: '"2025-02-30" is no day' },
        { line: 4, why: '"x" is no amount' },
      ],
    });
  });

  it("names a missing column", () => {
    expect(readStatement("date;text\n")).toEqual({ problems: [{ line: 1, why: "a column is missing" }] });
  });
});
