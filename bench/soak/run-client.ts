import { setTimeout as sleep } from 'node:timers/promises';

export type Run = {
  id: string;
  status: string;
  thread_id: string;
  required_action: { submit_tool_outputs: { tool_calls: { id: string }[] } } | null;
};

/** Milliseconds between two looks at a run. */
const LOOK_MS = 200;
const OPEN = ['queued', 'in_progress', 'cancelling'];

/** A program that talks to assistants of one gateway, without trying anything again. */
export class RunClient {
  readonly #url: string;
  readonly #key: string;

  constructor(port: number, key: string) {
    this.#url = `http://127.0.0.1:${port}/v1`;
    this.#key = key;
  }

  send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#key}` };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers['content-type'] = 'application/json';
    return fetch(`${this.#url}${path}`, {
      ...{ method, headers, signal: signal ?? null },
      body: body === undefined ? null : isForm ? body : JSON.stringify(body),
    });
  }

  /** Throws where the answer is another than 200. */
  async json<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.send(method, path, body);
    const text = await answer.text();
    if (answer.status !== 200)
      throw new Error(`${method} ${path.split('/').at(-1)}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  }

  /** Makes a thread with its run. */
  begin(assistant: string, content: string): Promise<Run> {
    const thread = { messages: [{ role: 'user', content }] };
    return this.json('POST', '/threads/runs', { assistant_id: assistant, thread });
  }

  read = ({ id, thread_id: threadId }: Run): Promise<Run> =>
    this.json('GET', `/threads/${threadId}/runs/${id}`);

  /** Looks at a run until it waits or has ended; throws where it is late. */
  async ended(run: Run, within: number, every = LOOK_MS): Promise<Run> {
    const until = performance.now() + within;
    for (let seen = run; ; seen = await this.read(run)) {
      if (!OPEN.includes(seen.status)) return seen;
      if (performance.now() > until) throw new Error(`A run is ${seen.status} after ${within} ms.`);
      await sleep(every);
    }
  }

  /** The events of a stream, which has to end with a word. */
  async events(path: string, body: unknown): Promise<string> {
    const answer = await this.send('POST', path, body);
    const text = await answer.text();
    if (!text.endsWith('event: done\ndata: [DONE]\n\n'))
      throw new Error(`${path.split('/').at(-1)}: ${answer.status} ${text.slice(-200)}`);
    return text;
  }
}
