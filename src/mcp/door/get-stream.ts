import type { ServerResponse } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RequestAnswer } from '../exchange/answer.ts';
import { EventStream } from '../exchange/event-stream.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { type MessageGuards, refusedAnswer } from '../governance/message-guards.ts';
import { mayAsk, shownCapabilities } from '../lines/features.ts';
import { sessionHeaders } from '../lines/handshake.ts';
import { type ForwardDependencies, forward } from '../relay/forward.ts';
import type { EventSeal, StreamPlace } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { WireControl } from '../upstream/index.ts';
import type { McpStreams } from './open-streams.ts';
import { type TakeUpDependencies, takesEvents, takeUp } from './requests.ts';

export type GetDependencies = ForwardDependencies &
  TakeUpDependencies & {
    events: EventSeal;
  } & { streams: McpStreams; messageGuards: MessageGuards } & {
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
  const { credentials, sessions, wire, streams, messageGuards, events } = dependencies;
  const from = placeIn(visit, events);
  if (from?.request)
    return takeUp(
      {
        visit,
        server,
        eventId: from.event,
        request: from.request,
        answer: new RequestAnswer(response, true),
      },
      dependencies,
    );
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
  const ofSession = {
    ...headers,
    ...sessionHeaders(upstream),
    ...(from && { 'last-event-id': from.event }),
  };
  const markOf = (event: string | null) =>
    event === null ? undefined : events.seal({ session: session.uuid, event, request: null });
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
      message: (value, text, eventId) => {
        const reply = refusalOf(visit, server, value);
        if (String(value.method).endsWith('/list_changed')) dependencies.readAgain(server.upstream.id);
        if (reply) void forward(visit, server, reply, dependencies);
        if (reply || !isForCaller(value)) return true;
        const passed = messageGuards.passed('output', { visit, server }, value);
        if (passed === value) return stream.write(text, markOf(eventId));
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

/** The event from which a stream is to go on; null where it begins. Throws for an id that no event of the session has. */
function placeIn({ headers, session }: McpVisit, events: EventSeal): StreamPlace | null {
  const text = headerOf(headers, 'last-event-id');
  if (text === undefined) return null;
  const place = events.open(text);
  if (place !== null && place.session === session?.uuid) return place;
  throw new RpcFailure(rpc.transport, 'Bad Request: Last-Event-ID is of no event of this session', {
    status: 400,
  });
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

/** Changes of lists are told by the gateway itself, once it has read them; of tasks nobody knows here whose they are. */
const isForCaller = (value: JsonObject): boolean =>
  isObject(value) &&
  typeof value.method === 'string' &&
  !value.method.endsWith('/list_changed') &&
  value.method !== 'notifications/tasks/status';
