import { setTimeout } from 'node:timers/promises';
import { type Dispatcher, request } from 'undici';
import { isObject } from '../../lib/json.ts';
import type { RemoteSubgraph } from '../../settings/graph/remote-subgraphs.ts';

export type Query = { query: string; variables?: Record<string, unknown>; operationName?: string };

export type Answer = { data: Record<string, unknown> | null; errors: Record<string, unknown>[] };

/** Why a remote subgraph gave no usable answer; for the log, never for callers. */
export class NoAnswer extends Error {}

type Options = {
  dispatcher: Dispatcher;
  headers: Record<string, string>;
  maxBytes: number;
  /** Aborts when nobody waits for the answer any more. */
  signal?: AbortSignal | undefined;
};

/** Sends one GraphQL request to a remote subgraph; throws when no answer in GraphQL's shape comes in time. */
export async function postQuery(
  { url, timeout }: Pick<RemoteSubgraph, 'url' | 'timeout'>,
  query: Query,
  { dispatcher, headers, maxBytes, signal }: Options,
): Promise<Answer> {
  const deadline = AbortSignal.timeout(timeout);
  const send = () =>
    request(url, {
      method: 'POST',
      dispatcher,
      headers: {
        ...headers,
        accept: 'application/graphql-response+json, application/json',
        'content-type': 'application/json',
      },
      body: JSON.stringify(query),
      signal: signal ? AbortSignal.any([signal, deadline]) : deadline,
    });
  try {
    const response = await unlessRefused(send);
    return answerIn(await textOf(response, maxBytes), response.statusCode);
  } catch (cause) {
    if (deadline.aborted) throw new NoAnswer(`no answer within ${timeout} ms`, { cause });
    throw cause;
  }
}

/** Milliseconds before a refused request is sent again, each time it is. */
const PAUSES_MS = [0, 50, 100];

/**
 * Sends again what found no connection, so that nothing of it was sent. It may have been the connection of another request,
 * which was refused before the subgraph was back: what waits behind it fails with it.
 */
async function unlessRefused<T>(send: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await send();
    } catch (cause) {
      if (!isRefused(cause)) throw cause;
    }
    await setTimeout(pause);
  }
  return send();
}

const isRefused = (cause: unknown): boolean =>
  cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED';

async function textOf({ body }: Dispatcher.ResponseData, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    // Leaving the loop destroys the body and its connection.
    if (bytes > maxBytes) throw new NoAnswer(`an answer of more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answerIn(text: string, status: number): Answer {
  const what = `an answer with status ${status}`;
  if (status >= 300 && status < 400) throw new NoAnswer(`${what}: redirects are not followed`);
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw new NoAnswer(`${what} that is not JSON`);
  }
  const { data = null, errors = [] } = isObject(body) ? body : {};
  const isEmpty = data === null && Array.isArray(errors) && errors.length === 0;
  if ((data !== null && !isObject(data)) || !Array.isArray(errors) || !errors.every(isObject) || isEmpty) {
    throw new NoAnswer(`${what} that is not a GraphQL answer`);
  }
  return { data, errors };
}
