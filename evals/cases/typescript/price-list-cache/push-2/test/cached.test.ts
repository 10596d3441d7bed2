import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cached } from "../src/cached.js";
import type { LoadPriceList, PriceListRequest } from "../src/pricing.js";

const VISITOR: PriceListRequest = { region: "eu", group: "retail", currency: "EUR" };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counted() {
  return vi.fn<LoadPriceList>(async ({ currency }) => ({ currency, prices: { "M-1": 450 } }));
}

it("loads a list once for visitors who come together", async () => {
  const load = counted();
  const get = cached(load);

  await Promise.all([get(VISITOR), get(VISITOR), get({ ...VISITOR })]);

  expect(load).toHaveBeenCalledTimes(1);
});

it("keeps regions, groups and currencies apart", async () => {
  const load = counted();
  const get = cached(load);

  await get(VISITOR);
  await get({ ...VISITOR, region: "us" });
  await get({ ...VISITOR, group: "wholesale" });
  await get({ ...VISITOR, currency: "CHF" });

  expect(load).toHaveBeenCalledTimes(4);
});

it("asks again after a failure", async () => {
  const load = counted().mockRejectedValueOnce(new Error("down"));
  const get = cached(load);

  await expect(get(VISITOR)).rejects.toThrow("down");

  expect((await get(VISITOR)).currency).toBe("EUR");
});

it("asks again when the time is over", async () => {
  const load = counted();
  const get = cached(load, 60);

  await get(VISITOR);
  vi.advanceTimersByTime(50);
  await get(VISITOR);
  expect(load).toHaveBeenCalledTimes(1);

  vi.advanceTimersByTime(60_000);
  await get(VISITOR);
  expect(load).toHaveBeenCalledTimes(2);
});
