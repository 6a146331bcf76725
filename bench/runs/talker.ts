import { setTimeout as sleep } from 'node:timers/promises';
import { Agent } from 'undici';

type StreamedRun = { firstWordMs: number; wholeMs: number; isComplete: boolean };

/** Milliseconds between two looks at a run that is polled. */
const LOOK_MS = 5;

/** A program that talks to assistants of a gateway. */
export class Talker {
  readonly #agent = new Agent({
    connections: null,
    headersTimeout: 0,
    bodyTimeout: 0,
    // How long thousands of connections take to be made is what is measured.
    connect: { timeout: 60_000 },
  });
  readonly #url: string;
  readonly #headers: Record<string, string>;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  }

  async makeAssistant(model: string): Promise<string> {
    return (await this.#json<{ id: string }>('POST', '/assistants', { model })).id;
  }

  /** Milliseconds until the first word of a plain streamed call. */
  async firstWordOfCall(): Promise<number> {
    const messages = [{ role: 'user', content: 'Hello there' }];
    const body = { model: '@mock/mock-1', stream: true, messages };
    const { firstWordMs } = await this.#stream('/chat/completions', body, '"content":"Hello');
    return firstWordMs;
  }

  /** Makes a thread with its run, and reads all that it says; `onOpen`: when its answer has begun. */
  streamRun(assistant: string, content: string, onOpen?: () => void): Promise<StreamedRun> {
    const thread = { messages: [{ role: 'user', content }] };
    const body = { assistant_id: assistant, thread, stream: true };
    return this.#stream('/threads/runs', body, 'event: thread.message.delta', onOpen);
  }

  /** Makes a thread with its run, and looks at it until it has ended. */
  async pollRun(assistant: string, content: string): Promise<void> {
    type Run = { id: string; thread_id: string; status: string };
    const thread = { messages: [{ role: 'user', content }] };
    let run = await this.#json<Run>('POST', '/threads/runs', { assistant_id: assistant, thread });
    while (run.status === 'queued' || run.status === 'in_progress') {
      await sleep(LOOK_MS);
      run = await this.#json('GET', `/threads/${run.thread_id}/runs/${run.id}`);
    }
    if (run.status !== 'completed') throw new Error(`A run is ${run.status}.`);
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async #stream(path: string, body: object, firstWord: string, onOpen?: () => void): Promise<StreamedRun> {
    const begun = performance.now();
    const answer = await this.#sent('POST', path, body);
    onOpen?.();
    let text = '';
    let firstWordMs = 0;
    for await (const bytes of answer.body) {
      text += (bytes as Buffer).toString('latin1');
      if (firstWordMs === 0 && text.includes(firstWord)) firstWordMs = performance.now() - begun;
    }
    const isComplete = text.includes('event: thread.run.completed');
    return { firstWordMs, wholeMs: performance.now() - begun, isComplete };
  }

  async #json<T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> {
    const answer = await this.#sent(method, path, body);
    return (await answer.body.json()) as T;
  }

  /** Throws where a request is answered with another status than 200. */
  async #sent(method: 'GET' | 'POST', path: string, body?: object) {
    const answer = await this.#agent.request({
      origin: this.#url,
      path: `/v1${path}`,
      method,
      headers: this.#headers,
      body: body && JSON.stringify(body),
    });
    if (answer.statusCode === 200) return answer;
    throw new Error(`${path} was answered ${answer.statusCode}: ${await answer.body.text()}`);
  }
}
