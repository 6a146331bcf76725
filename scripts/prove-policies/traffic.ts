import { setTimeout as wait } from 'node:timers/promises';
import { Pool } from 'undici';

type End = 'passed' | 'refused';

/** Calls at a steady rate, by turns at each gateway. Times are those of `performance.now()`. */
export class Traffic {
  readonly #pools: readonly Pool[];
  readonly #key: string;
  readonly #rate: number;
  readonly #ended: { end: End; start: number; gateway: number }[] = [];
  readonly #failed = new Map<string, number>();
  readonly #open = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #begun = 0;
  #sent = 0;

  constructor(urls: readonly string[], key: string, rate: number) {
    this.#pools = urls.map((url) => new Pool(url, { connections: 64 }));
    this.#key = key;
    this.#rate = rate;
  }

  begin(): void {
    this.#begun = performance.now();
    this.#timer = setInterval(() => {
      const due = ((performance.now() - this.#begun) * this.#rate) / 1000;
      for (; this.#sent < due; this.#sent++) this.#send();
    }, 4);
  }

  #send(): void {
    const call = this.#call(this.#sent % this.#pools.length).finally(() => this.#open.delete(call));
    this.#open.add(call);
  }

  async #call(gateway: number): Promise<void> {
    const start = performance.now();
    const answer = await (this.#pools[gateway] as Pool).request({
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'x-gateway-api-key': this.#key, 'content-type': 'application/json' },
      body: '{"model":"@mock/mock-1","messages":[{"role":"user","content":"hello"}]}',
    });
    const text = await answer.body.text();
    if (answer.statusCode === 200) this.#ended.push({ end: 'passed', start, gateway });
    else if (answer.statusCode === 412) this.#ended.push({ end: 'refused', start, gateway });
    else {
      const name = `${answer.statusCode} ${text.slice(0, 80)}`;
      this.#failed.set(name, (this.#failed.get(name) ?? 0) + 1);
    }
  }

  /** When calls began that ended so, of those that began after a moment. */
  startsOf(end: End, after: number): number[] {
    return this.#ended.flatMap((each) => (each.end === end && each.start > after ? [each.start] : []));
  }

  /** Until both gateways refuse: the last calls of each were refused. */
  async untilRefused(): Promise<void> {
    const refuses = (gateway: number) =>
      this.#ended.findLast((each) => each.gateway === gateway)?.end === 'refused';
    for (let tries = 0; !this.#pools.every((_, gateway) => refuses(gateway)); tries++) {
      if (tries > 600) throw new Error('The budget is never used up.');
      await wait(50);
    }
  }

  /** `rate`: calls a second that were made. */
  async end(): Promise<{ rate: number; failed: ReadonlyMap<string, number> }> {
    clearInterval(this.#timer);
    const rate = (1000 * this.#sent) / (performance.now() - this.#begun);
    await Promise.all(this.#open);
    await Promise.all(this.#pools.map((pool) => pool.close()));
    return { rate, failed: this.#failed };
  }
}
