import { expect, it, vi } from "vitest";
import { cached } from "../src/cached.js";
import type { LoadPriceList, PriceListRequest } from "../src/pricing.js";

const VISITOR: PriceListRequest = { region: "eu", group: "retail", currency: "EUR" };

function counted() {
  return vi.fn<LoadPriceList>(async ({ currency }) => ({ currency, prices: { "M-1": 450 } }));
}

it("loads a list once for visitors who come together", async () => {
  const load = counted();
  const get = cached(load);

  await Promise.all([get(VISITOR), get(VISITOR), get({ ...VISITOR })]);

  expect(load).toHaveBeenCalledTimes(1);
});

it("keeps regions and groups apart", async () => {
  const load = counted();
  const get = cached(load);

  await get(VISITOR);
  await get({ ...VISITOR, region: "us" });
  await get({ ...VISITOR, group: "wholesale" });

  expect(load).toHaveBeenCalledTimes(3);
});
