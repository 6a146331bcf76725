import { setTimeout as wait } from 'node:timers/promises';
import type { Fleet } from '../prove-limits/fleet.ts';

/** Times that a request is sent while gateways come and go, and milliseconds between two of them. */
const TRIES = 100;
const PAUSE_MS = 200;

/** Sends requests to any gateway, and to another one where it gives no answer. */
export class Caller {
  readonly #fleet: Fleet;
  readonly #key: string;

  constructor(fleet: Fleet, key: string) {
    this.#fleet = fleet;
    this.#key = key;
  }

  get<T>(path: string): Promise<T> {
    return this.#ask(path, () => ({ method: 'GET' }));
  }

  post<T>(path: string, body: unknown): Promise<T> {
    const headers = { 'content-type': 'application/json' };
    return this.#ask(path, () => ({ method: 'POST', headers, body: JSON.stringify(body) }));
  }

  upload(name: string, content: string | Buffer): Promise<{ id: string }> {
    return this.#ask('/files', () => {
      const body = new FormData();
      body.append('purpose', 'assistants');
      body.append('file', new File([content], name));
      return { method: 'POST', body };
    });
  }

  async #ask<T>(path: string, make: () => RequestInit): Promise<T> {
    for (let tries = 1; ; tries++) {
      const urls = this.#fleet.urls();
      const url = urls[Math.floor(Math.random() * urls.length)];
      try {
        if (url === undefined) throw new Error('No gateway runs.');
        const { headers, ...init } = make();
        const answer = await fetch(`${url}/v1${path}`, {
          ...init,
          headers: { ...headers, 'x-gateway-api-key': this.#key },
        });
        if (answer.status < 500) return await read<T>(path, answer);
        throw new Error(`${path} was answered with ${answer.status}.`);
      } catch (error) {
        if (tries === TRIES || error instanceof Refused) throw error;
        await wait(PAUSE_MS);
      }
    }
  }
}

class Refused extends Error {}

async function read<T>(path: string, answer: Response): Promise<T> {
  const text = await answer.text();
  if (answer.ok) return JSON.parse(text);
  throw new Refused(`${path} was refused with ${answer.status}: ${text}`);
}
