import { createEventReader, EventTooLargeError } from '../../lib/event-stream/index.ts';
import type { HttpPlace } from './http-transport.ts';
import { responseInText } from './http-transport.ts';
import type { RpcResponse } from './message.ts';
import { notMcp, problemOf, statusProblem, tooLarge, type UpstreamProblem } from './problem.ts';
import { MAX_EVENT, type UpstreamTransport } from './transport.ts';

type Waiting = { resolve(response: RpcResponse): void; reject(problem: UpstreamProblem): void };

/** The way of the revision 2024-11-05: one stream brings every answer, and says where messages are to be posted. */
export function createSseTransport({ url, send, signal }: HttpPlace): UpstreamTransport {
  const ending = new AbortController();
  const either = AbortSignal.any([signal, ending.signal]);
  const waiting = new Map<string | number, Waiting>();
  let opened: Promise<string> | null = null;

  function endAll(problem: UpstreamProblem): void {
    for (const { reject } of waiting.values()) reject(problem);
    waiting.clear();
  }

  async function open(headers: Readonly<Record<string, string>>): Promise<string> {
    const answer = await send(url, {
      headers: { ...headers, accept: 'text/event-stream' },
      signal: either,
      redirect: 'manual',
    });
    const isStream = answer.headers.get('content-type')?.toLowerCase().startsWith('text/event-stream');
    if (answer.status !== 200 || !isStream || answer.body === null) {
      await answer.body?.cancel();
      throw answer.status === 200 ? notMcp(200) : statusProblem(answer.status);
    }
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const reader = createEventReader(({ name, data }) => {
      if (name === 'endpoint') resolve(data);
      const response = name === null || name === 'message' ? responseInText(data) : null;
      if (response === null || response.id === null) return;
      waiting.get(response.id)?.resolve(response);
      waiting.delete(response.id);
    }, MAX_EVENT);
    void read(answer.body, reader.feed)
      .then(() => notMcp())
      .catch((error: unknown) => (error instanceof EventTooLargeError ? tooLarge() : problemOf(error)))
      .then((problem) => {
        reject(problem);
        endAll(problem);
      });
    return messageAddress(await promise, url);
  }

  return {
    async exchange(message, headers) {
      try {
        opened ??= open(headers);
        const place = await opened;
        const { promise, resolve, reject } = Promise.withResolvers<RpcResponse>();
        if (message.id !== undefined) waiting.set(message.id, { resolve, reject });
        // The stream may end before anybody waits for it.
        promise.catch(() => undefined);
        const answer = await send(place, {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(message),
          signal: either,
          redirect: 'manual',
        });
        await answer.body?.cancel();
        if (answer.status >= 300) throw statusProblem(answer.status);
        const response = message.id === undefined ? null : await promise;
        return { status: answer.status, response, sessionId: null };
      } catch (error) {
        throw problemOf(error);
      }
    },
    async close() {
      ending.abort();
    },
  };
}

async function read(body: ReadableStream<Uint8Array>, feed: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of body) feed(chunk);
}

/** Where messages go: a place at the same origin, since the credential goes there. */
function messageAddress(given: string, url: string): string {
  if (!URL.canParse(given, url)) throw notMcp(200);
  const place = new URL(given, url);
  if (place.origin !== new URL(url).origin) throw notMcp(200);
  return place.href;
}
