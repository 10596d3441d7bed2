import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type BufferOptions, UsageBuffer } from "../src/buffer.js";
import type { Send } from "../src/event.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const event = (id: string) => ({ id, customer: "c-1", feature: "export", at: "2025-04-01T00:00:00Z" });

function buffered(options: Partial<BufferOptions> = {}) {
  const sent: string[][] = [];
  const send = vi.fn<Send>(async (events) => {
    sent.push(events.map(({ id }) => id));
  });
  const reports: string[] = [];
  const buffer = new UsageBuffer({ send, report: (problem) => reports.push(problem), ...options });
  return { buffer, send, sent, reports };
}

it("sends batches when the time has come", async () => {
  const { buffer, sent } = buffered({ everyMs: 1_000, batch: 2 });
  ["a", "b", "c"].forEach((id) => buffer.add(event(id)));
  expect(sent).toEqual([]);

  await vi.advanceTimersByTimeAsync(1_000);

  expect(sent).toEqual([["a", "b"], ["c"]]);
});

it("keeps what could not be sent, in order, and what came meanwhile behind it", async () => {
  const { buffer, send, sent, reports } = buffered();
  send.mockImplementationOnce(async () => {
    buffer.add(event("b"));
    throw new Error("away");
  });
  buffer.add(event("a"));

  await buffer.flush();
  await buffer.flush();

  expect(reports).toEqual(["usage: Error: away, 2 events wait"]);
  expect(sent).toEqual([["a", "b"]]);
});

it("never sends two requests at the same time", async () => {
  const { buffer, send } = buffered();
  let answer = () => {};
  send.mockImplementationOnce(() => new Promise((done) => (answer = done)));
  buffer.add(event("a"));

  const both = Promise.all([buffer.flush(), buffer.flush()]);
  expect(send).toHaveBeenCalledTimes(1);
  answer();
  await both;

  expect(send).toHaveBeenCalledTimes(1);
});

it("gives up the oldest when too many wait", async () => {
  const { buffer, sent, reports } = buffered({ mostWaiting: 2 });
  ["a", "b", "c"].forEach((id) => buffer.add(event(id)));

  await buffer.close();

  expect(reports).toEqual(["usage: gave up 1 events"]);
  expect(sent).toEqual([["b", "c"]]);
});
