import { createEventReader, EventTooLargeError } from '../../lib/event-stream/index.ts';
import { type RpcRequest, type RpcResponse, responseIn } from './message.ts';
import { problemOf, tooLarge } from './problem.ts';
import { type Exchanged, MAX_EVENT, MAX_RESULT, type UpstreamTransport } from './transport.ts';

export type HttpPlace = {
  url: string;
  /** Connections that judge each address. */
  send: typeof fetch;
  /** Ends whatever is under way. */
  signal: AbortSignal;
};

/** Streamable HTTP: each message is a request of its own, which is answered as JSON or as a stream of events. */
export function createHttpTransport({ url, send, signal }: HttpPlace): UpstreamTransport {
  return {
    async exchange(message, headers) {
      try {
        const answer = await send(url, {
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
          body: JSON.stringify(message),
          signal,
          redirect: 'manual',
        });
        return await exchanged(answer, message);
      } catch (error) {
        throw problemOf(error);
      }
    },
    async close(headers) {
      const answer = await send(url, { method: 'DELETE', headers, signal, redirect: 'manual' }).catch(
        problemOf,
      );
      if (answer instanceof Response) await answer.body?.cancel();
    },
  };
}

async function exchanged(answer: Response, message: RpcRequest): Promise<Exchanged> {
  const { status } = answer;
  const sessionId = answer.headers.get('mcp-session-id');
  const type = answer.headers.get('content-type')?.toLowerCase() ?? '';
  if (message.id === undefined || answer.body === null) {
    await answer.body?.cancel();
    return { status, response: null, sessionId };
  }
  const response = type.startsWith('text/event-stream')
    ? await responseInEvents(answer.body, message.id)
    : responseInText(await wholeText(answer.body));
  return { status, response, sessionId };
}

async function wholeText(body: ReadableStream<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.byteLength;
    if (size > MAX_RESULT) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** The answer in a body that is JSON; null for any other text. */
export function responseInText(text: string): RpcResponse | null {
  try {
    return responseIn(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** The answer to an id in a stream; what else the server says there is for nobody. */
async function responseInEvents(
  body: ReadableStream<Uint8Array>,
  id: string | number,
): Promise<RpcResponse | null> {
  let found: RpcResponse | null = null;
  let size = 0;
  const reader = createEventReader(({ data }) => {
    const response = responseInText(data);
    if (response?.id === id) found ??= response;
  }, MAX_EVENT);
  try {
    for await (const chunk of body) {
      size += chunk.byteLength;
      if (size > MAX_RESULT) throw tooLarge();
      reader.feed(chunk);
      // Leaving the loop ends the stream.
      if (found) break;
    }
  } catch (error) {
    throw error instanceof EventTooLargeError ? tooLarge() : error;
  }
  return found;
}
