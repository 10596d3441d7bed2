/** What decides which prices a visitor sees. */
export interface PriceListRequest {
  region: string;
  group: "retail" | "wholesale";
  currency: string;
}

/** Prices in the smallest unit of the currency, by product number. */
export interface PriceList {
  currency: string;
  prices: Readonly<Record<string, number>>;
}

export type LoadPriceList = (request: PriceListRequest) => Promise<PriceList>;

/** Loads price lists from the pricing service. */
export function pricingService(address: string, get: typeof fetch = fetch): LoadPriceList {
  return async ({ region, group, currency }) => {
    const query = new URLSearchParams({ region, group, currency });
    const answer = await get(`${address}/price-lists?${query}`, { signal: AbortSignal.timeout(5_000) });
    if (!answer.ok) throw new Error(`pricing service: ${answer.status}`);
    return (await answer.json()) as PriceList;
  };
}
