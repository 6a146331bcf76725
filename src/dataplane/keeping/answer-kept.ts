import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { formatEvent } from '../../lib/event-stream/index.ts';
import type { Call } from '../call/call.ts';
import type { ResponseAnswer, ResponseKeeper } from './keeper.ts';

/** Answers a call with a response that the gateway keeps. */
export async function answerKept(call: Call, keep: ResponseKeeper): Promise<void> {
  if (call.body.kind !== 'json') throw new Error('A response that is kept is asked for in JSON.');
  const { response, trace, requestId, disconnect } = call;
  const { signal } = disconnect;
  const answer = await keep({
    principal: call.key.principal,
    workspaceId: call.workspaceId,
    headers: call.headers,
    body: call.body.value,
    size: call.body.bytes.length,
    traceId: trace.traceId,
    signal,
  });
  const own = { 'x-gateway-trace-id': trace.traceId, 'x-gateway-request-id': requestId };
  if (answer.kind === 'whole') {
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers, ...own });
    response.end(answer.body);
    return;
  }
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    ...own,
  });
  response.flushHeaders();
  await stream(answer.events, response, signal);
}

type Events = Extract<ResponseAnswer, { kind: 'events' }>['events'];

/** As fast as the caller takes them, until it leaves. */
async function stream(events: Events, response: ServerResponse, signal: AbortSignal): Promise<void> {
  const iterator = events[Symbol.asyncIterator]();
  const leave = () => void iterator.return?.();
  signal.addEventListener('abort', leave, { once: true });
  try {
    for await (const { event, data, text = JSON.stringify(data) } of {
      [Symbol.asyncIterator]: () => iterator,
    }) {
      if (signal.aborted) return;
      if (!response.write(formatEvent(event, text)))
        await once(response, 'drain', { signal }).catch(() => undefined);
    }
  } finally {
    signal.removeEventListener('abort', leave);
  }
  response.end();
}
