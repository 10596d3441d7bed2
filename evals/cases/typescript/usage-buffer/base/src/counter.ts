import type { Send } from "./event.js";

/** Sends to the counter behind an address. */
export function counter(address: string, post: typeof fetch = fetch): Send {
  return async (events) => {
    const answer = await post(`${address}/events`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(events),
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) throw new Error(`counter: ${answer.status}`);
    await answer.body?.cancel();
  };
}
