import type { LoadPriceList, PriceList, PriceListRequest } from "./pricing.js";

interface Entry {
  list: Promise<PriceList>;
  expiresAt: number;
}

/**
 * Loads each price list once in `ttlSeconds`.
 *
 * What is kept is the promise, so that visitors who come at the same moment share one request. A request that fails
 * is not kept: the next visitor asks again.
 */
export function cached(load: LoadPriceList, ttlSeconds = 300): LoadPriceList {
  const entries = new Map<string, Entry>();
  return (request) => {
    const key = keyOf(request);
    const known = entries.get(key);
    if (known !== undefined && known.expiresAt > Date.now()) return known.list;
    const entry = { list: load(request), expiresAt: Date.now() + ttlSeconds };
    entries.set(key, entry);
    entry.list.catch(() => {
      if (entries.get(key) === entry) entries.delete(key);
    });
    return entry.list;
  };
}

function keyOf({ region, group, currency }: PriceListRequest): string {
  return `${region}/${group}/${currency}`;
}
