import type { LoadPriceList, PriceList, PriceListRequest } from "./pricing.js";

/**
 * Loads each price list once.
 *
 * What is kept is the promise, so that visitors who come at the same moment share one request.
 */
export function cached(load: LoadPriceList): LoadPriceList {
  const lists = new Map<string, Promise<PriceList>>();
  return (request) => {
    const key = keyOf(request);
    let list = lists.get(key);
    if (list === undefined) {
      list = load(request);
      lists.set(key, list);
    }
    return list;
  };
}

function keyOf({ region, group }: PriceListRequest): string {
  return `${region}/${group}`;
}
