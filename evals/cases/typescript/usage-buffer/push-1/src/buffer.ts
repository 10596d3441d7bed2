import type { Send, UsageEvent } from "./event.js";

export interface BufferOptions {
  send: Send;
  everyMs?: number;
  /** The most events of one request. */
  batch?: number;
  /** The most events that wait while the counter is away; the oldest are given up first. */
  most?: number;
  report: (problem: string) => void;
}

/** Collects events and sends them every now and then, so that nobody waits for the counter. */
export class UsageBuffer {
  private waiting: UsageEvent[] = [];
  private sending: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;
  private readonly options: Required<BufferOptions>;

  constructor(options: BufferOptions) {
    this.options = { everyMs: 5_000, batch: 500, most: 50_000, ...options };
    this.timer = setInterval(() => void this.flush(), this.options.everyMs);
    this.timer.unref();
  }

  add(event: UsageEvent): void {
    this.waiting.push(event);
    this.giveUpOldest();
  }

  /** Sends what is waiting. Never rejects: what could not be sent goes on waiting for the next time. */
  flush(): Promise<void> {
    this.sending ??= this.sendAll().finally(() => {
      this.sending = undefined;
    });
    return this.sending;
  }

  /** Sends what is waiting a last time; call it when no more events can come. */
  async close(): Promise<void> {
    clearInterval(this.timer);
    await this.flush();
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, this.options.batch);
      try {
        // One request after the other: the counter takes one per client.
        await this.options.send(batch);
      } catch (error) {
        this.waiting = [...batch, ...this.waiting];
        this.giveUpOldest();
        this.options.report(`usage: ${String(error)}, ${this.waiting.length} events wait`);
        return;
      }
    }
  }

  private giveUpOldest(): void {
    const tooMany = this.waiting.length - this.options.most;
    if (tooMany <= 0) return;
    this.waiting.splice(0, tooMany);
    this.options.report(`usage: gave up ${tooMany} events`);
  }
}
