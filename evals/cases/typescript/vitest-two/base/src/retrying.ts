export interface Options {
  attempts?: number;
  pauseMs?: (attempt: number) => number;
  sleep?: (ms: number) => Promise<void>;
}

const TRANSIENT = new Set([502, 503, 504]);
const SAFE = new Set(["GET", "HEAD"]);

/** Wraps fetch so that a safe request is sent again after a transient error. */
export function retrying(
  send: typeof fetch,
  {
    attempts = 3,
    pauseMs = (attempt) => 200 * 2 ** attempt,
    sleep = (ms) => new Promise((done) => setTimeout(done, ms)),
  }: Options = {},
): typeof fetch {
  return async (input, init) => {
    const method = (init?.method ?? (input instanceof Request ? input.method : "GET")).toUpperCase();
    for (let attempt = 1; ; attempt++) {
      const answer = await send(input, init);
      if (!TRANSIENT.has(answer.status) || !SAFE.has(method) || attempt >= attempts) return answer;
      await answer.body?.cancel();
      await sleep(pauseMs(attempt));
    }
  };
}
