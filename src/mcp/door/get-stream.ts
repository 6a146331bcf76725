import type { ServerResponse } from 'node:http';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { EventStream } from '../exchange/event-stream.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { type MessageGuards, refusedAnswer } from '../governance/message-guards.ts';
import { mayAsk, shownCapabilities } from '../lines/features.ts';
import { sessionHeaders } from '../lines/handshake.ts';
import { type ForwardDependencies, forward } from '../relay/forward.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { WireControl } from '../upstream/index.ts';
import type { McpStreams } from './open-streams.ts';
import { takesEvents } from './requests.ts';

export type GetDependencies = ForwardDependencies & { streams: McpStreams; messageGuards: MessageGuards } & {
  /** Has the server behind an integration read again, which says that it has changed. */
  readAgain(id: string): void;
};

/** Opens the stream of a session, on which a server speaks without being asked. */
export async function openGetStream(
  visit: McpVisit,
  server: McpServerRecord,
  response: ServerResponse,
  dependencies: GetDependencies,
): Promise<void> {
  const { session } = visit;
  if (session === null)
    throw new RpcFailure(rpc.transport, 'Method not allowed: a stream belongs to a session.', {
      status: 405,
      headers: { allow: 'POST' },
    });
  if (!takesEvents(visit.headers))
    throw new RpcFailure(rpc.transport, 'Not Acceptable: Client must accept text/event-stream', {
      status: 406,
    });
  const { credentials, sessions, wire, streams, messageGuards } = dependencies;
  const place = streams.enter(visit, server, response, {
    name: `get ${session.uuid}`,
    goodbye: (stream) => stream.end(),
    tell: (stream, { method }) => void stream.write(JSON.stringify({ jsonrpc: '2.0', method })),
  });
  const upstream = sessions.current(session);
  const isMirrored = upstream?.id != null;
  const headers = isMirrored ? await credentials.headersFor(server, visit.caller) : {};
  if (response.closed) return;
  const stream = new EventStream(response);
  place.opened(stream);
  if (!isMirrored) return;
  const ofSession = { ...headers, ...sessionHeaders(upstream) };
  async function later(judged: JsonObject | null | Promise<JsonObject | null>, value: JsonObject) {
    const passed = await Promise.resolve(judged).catch(() => null);
    if (passed) return void stream.write(JSON.stringify(passed));
    const refusal = refusedAnswer(value);
    if (refusal) await forward(visit, server, refusal, dependencies);
  }
  let control: WireControl | null = null;
  let status = 0;
  response.on('close', () => control?.abort());
  response.on('drain', () => control?.resume());
  control = wire(
    { method: 'GET', url: server.upstream.url, headers: ofSession, body: null },
    {
      head: (answered) => {
        status = answered;
      },
      message: (value, text) => {
        const reply = refusalOf(visit, server, value);
        if (String(value.method).endsWith('/list_changed')) dependencies.readAgain(server.upstream.id);
        if (reply) void forward(visit, server, reply, dependencies);
        if (reply || !isForCaller(value)) return true;
        const passed = messageGuards.passed('output', { visit, server }, value);
        if (passed === value) return stream.write(text);
        void later(passed, value);
        return true;
      },
      // A server need not have such a stream; one that breaks off is opened anew by the caller.
      end: () => {
        if (status > 0 && status < 300) stream.end();
      },
    },
  );
}

/** What is answered to a request of the server that the caller does not get; null for what it gets. */
function refusalOf(visit: McpVisit, server: McpServerRecord, value: JsonObject): JsonObject | null {
  if (value.id === undefined || typeof value.method !== 'string') return null;
  const answer = { jsonrpc: '2.0', id: value.id };
  if (value.method === 'ping') return { ...answer, result: {} };
  const shown = shownCapabilities(visit.session?.capabilities ?? {}, server.upstream.configurations);
  if (mayAsk(value.method, value.params, shown)) return null;
  return { ...answer, error: { code: rpc.methodNotFound, message: 'Method not found' } };
}

/** Changes of lists are told by the gateway itself, once it has read them. */
const isForCaller = (value: JsonObject): boolean =>
  isObject(value) && typeof value.method === 'string' && !value.method.endsWith('/list_changed');
