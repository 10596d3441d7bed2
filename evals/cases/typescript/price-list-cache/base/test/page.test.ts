import { expect, it } from "vitest";
import { productList } from "../src/page.js";

it("leaves out what has no price", async () => {
  const products = [
    { number: "M-1", name: "Mug" },
    { number: "B-1", name: "Bowl" },
  ];
  const visitor = { region: "eu", group: "retail", currency: "EUR" } as const;

  const lines = await productList(products, visitor, async () => ({ currency: "EUR", prices: { "M-1": 450 } }));

  expect(lines).toEqual(["Mug: €4.50"]);
});
