import { afterEach, describe, expect, it, vi } from "vitest";
import { retrying } from "../src/retrying.js";

const send = vi.fn<Parameters<typeof fetch>, Promise<Response>>();
const sleep = vi.fn<[number], Promise<void>>().mockResolvedValue(undefined);

afterEach(() => {
  send.mockReset();
  sleep.mockClear();
});

describe("retrying", () => {
  it("asks again after a transient error", async () => {
    send.mockResolvedValueOnce(new Response("", { status: 503 })).mockResolvedValueOnce(new Response("ok"));

    const answer = await retrying(send, { sleep })("https://example.com/");

    expect(await answer.text()).toBe("ok");
    expect(sleep.mock.calls).toEqual([[400]]);
  });

  it("gives the last answer when the attempts are used up", async () => {
    send.mockImplementation(async () => new Response("", { status: 502 }));

    const answer = await retrying(send, { attempts: 2, sleep })("https://example.com/");

    expect(answer.status).toBe(502);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it("sends a POST once", async () => {
    send.mockResolvedValue(new Response("", { status: 503 }));

    await retrying(send, { sleep })("https://example.com/", { method: "POST" });

    expect(send).toHaveBeenCalledTimes(1);
    expect(sleep).not.toHaveBeenCalled();
  });
});
