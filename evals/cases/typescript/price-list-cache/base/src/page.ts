import type { LoadPriceList, PriceListRequest } from "./pricing.js";

export interface Product {
  number: string;
  name: string;
}

/** Writes the products with their prices, as a visitor sees them. */
export async function productList(
  products: readonly Product[],
  visitor: PriceListRequest,
  load: LoadPriceList,
): Promise<string[]> {
  const { currency, prices } = await load(visitor);
  const format = new Intl.NumberFormat("en", { style: "currency", currency });
  return products.flatMap(({ number, name }) => {
    const price = prices[number];
    return price === undefined ? [] : [`${name}: ${format.format(price / 100)}`];
  });
}
