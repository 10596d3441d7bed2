import { expect, it } from "vitest";
import { counter } from "../src/counter.js";

it("rejects where the counter refuses", async () => {
  const send = counter("http://counter", async () => new Response("", { status: 500 }));

  await expect(send([])).rejects.toThrow("counter: 500");
});
