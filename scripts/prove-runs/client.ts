import { setTimeout as wait } from 'node:timers/promises';
import type { Pool } from 'undici';

export type Answer = { status: number; text: string };
/** Where requests go: a gateway that answers; null while none does. */
export type Door = { any(): Pool | null };

/** Milliseconds for which a request waits for its answer, and before it is sent again. */
const PATIENCE_MS = 4000;
const PAUSE_MS = 150;

/** Sends requests, and sends them again where a gateway leaves them without an answer. */
export class Client {
  /** Requests that were sent again. */
  repeated = 0;
  readonly #door: Door;
  readonly #key: string;

  constructor(door: Door, key: string) {
    this.#door = door;
    this.#key = key;
  }

  async make(path: string, body: object): Promise<{ id: string }> {
    return JSON.parse(await this.#insist('POST', path, body));
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse(await this.text(path)) as T;
  }

  text(path: string): Promise<string> {
    return this.#insist('GET', path);
  }

  /** Null where no whole answer came. */
  async request(method: string, path: string, body?: object): Promise<Answer | null> {
    const pool = this.#door.any();
    if (!pool) {
      await wait(PAUSE_MS);
      return null;
    }
    try {
      const answer = await pool.request({
        path: `/v1${path}`,
        method: method as 'GET',
        headers: { authorization: `Bearer ${this.#key}`, 'content-type': 'application/json' },
        body: body && JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
      return { status: answer.statusCode, text: await answer.body.text() };
    } catch {
      // The gateway was killed, or stands still.
      await wait(PAUSE_MS);
      return null;
    }
  }

  async #insist(method: string, path: string, body?: object): Promise<string> {
    for (;;) {
      const answer = await this.request(method, path, body);
      if (answer?.status === 200) return answer.text;
      if (answer && answer.status < 500) throw new Error(`${path}: ${answer.status} ${answer.text}`);
      this.repeated++;
    }
  }
}
