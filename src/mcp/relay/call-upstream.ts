import { performance } from 'node:perf_hooks';
import { isObject, type JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type AskedServer, type AskOptions, ask } from '../lines/ask.ts';
import { failureOf, hasReached } from '../lines/asked-failure.ts';
import type { Breaker } from '../lines/breaker.ts';
import type { UpstreamCredentials } from '../lines/credentials.ts';
import { sessionHeaders } from '../lines/handshake.ts';
import type { HealthBook } from '../lines/health.ts';
import type { Lines, ServerLine } from '../lines/lines.ts';
import { paramsFor, routingHeaders } from '../lines/to-upstream.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { WireRequest } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';
import { callOverSse } from './call-over-sse.ts';
import { type CallWay, type HearingDependencies, hearing, replyIn } from './hearing.ts';
import { helloOf } from './hello.ts';
import { takenUp } from './resume.ts';
import { upstreamHeaders } from './upstream-headers.ts';

export type UpstreamDependencies = HearingDependencies & {
  credentials: UpstreamCredentials;
  lines: Lines;
  breaker: Breaker;
  health: Pick<HealthBook, 'answered' | 'failed'>;
  /** Connections that judge each address, for servers of 2024-11-05. */
  fetch: typeof fetch;
};

/** The answer of a server: exactly one of `result` and `error` is there. */
export type UpstreamReply = {
  result: JsonObject | null;
  error: { code: number; message: string; data?: unknown } | null;
  /** As the server wrote it. */
  text: string;
  line: ServerLine;
};

type Headers = Readonly<Record<string, string>>;

/** Tries of one call: another one only after a server has said that it did nothing. */
const MAX_TRIES = 3;

/** Sends a caller's request to its server and waits for the answer. Throws, or rejects with, an RpcFailure. */
export function callUpstream(
  call: RelayCall,
  params: JsonObject,
  dependencies: UpstreamDependencies,
): Promise<UpstreamReply> {
  const { server, facts } = call;
  const { breaker, health } = dependencies;
  const before = facts.upstreamMs;
  breaker.enter(server);
  return tried(call, params, dependencies).then(
    (reply) => {
      breaker.note(server, false);
      health.answered(server, facts.upstreamMs - before);
      return reply;
    },
    (error: unknown) => {
      // That a caller has given up says nothing about the server.
      if (!call.isOver) {
        const hasFailed = isOfServer(error, call);
        breaker.note(server, hasFailed);
        if (hasFailed) health.failed(server, reasonOf(error, call));
      }
      throw error;
    },
  );
}

/** In the words of a connection test. A call's own message names the MCP server, which another workspace has not to know. */
function reasonOf(error: unknown, { facts }: RelayCall): string {
  if (error instanceof RpcFailure && error.code === rpc.timeout) return 'timeout';
  return (facts.upstreamStatus ?? 0) >= 500 ? `HTTP ${facts.upstreamStatus}` : 'cannot connect';
}

/** Whether a server did not answer; refusals are answers. */
const isOfServer = (error: unknown, { facts }: RelayCall): boolean =>
  error instanceof RpcFailure &&
  (error.code === rpc.unreachable || error.code === rpc.timeout || (facts.upstreamStatus ?? 0) >= 500);

async function tried(
  call: RelayCall,
  params: JsonObject,
  dependencies: UpstreamDependencies,
): Promise<UpstreamReply> {
  const { visit, server } = call;
  const { lines, credentials } = dependencies;
  helloOf(server);
  if (server.upstream.transport === 'sse') return callOverSse(call, params, dependencies);
  let lost: ServerLine | null = null;
  for (let left = MAX_TRIES; ; left--) {
    const found = upstreamHeaders(call, credentials);
    const headers = found instanceof Promise ? await found : found;
    const opened: ServerLine | null | Promise<ServerLine | null> = lost
      ? lines.repair(visit, server, headers, lost)
      : lines.lineFor(visit, server, headers);
    const line: ServerLine | null = opened instanceof Promise ? await opened : opened;
    if (line === null) throw sessionLost();
    const sending = sendingOf(call, { params, line, headers }, dependencies);
    const first = await ask(sending.request, sending.options);
    const asked = line.session?.id == null ? first : await takenUp(call, first, sending.way, sending.options);
    noteAsked(call, asked, sending, dependencies);
    lines.leave(server, headers, line);
    if (lost === null && left > 1 && isLost(asked, line)) {
      lost = lostLine(call, line);
      continue;
    }
    lost = null;
    const reply = replyIn(asked, line);
    if (reply && asked.status !== 401 && asked.status !== 403) return reply;
    await renewCredential(call, asked, headers, dependencies);
  }
}

/** The line that a call has lost, in whose place another one may be opened. */
function lostLine({ server, facts }: RelayCall, line: ServerLine): ServerLine {
  // A caller who has no session cannot open another one.
  if (server.upstream.configurations.session_lost === 'report' && !line.isPooled) throw sessionLost();
  facts.retried = 'session';
  facts.sessionReinitialised = true;
  return line;
}

/** Has the credential forgotten that a server has refused, once a call. Rejects where that helps nobody. */
async function renewCredential(
  { visit, server, facts, method }: RelayCall,
  asked: AskedServer,
  headers: Headers,
  { credentials }: UpstreamDependencies,
): Promise<void> {
  const mayRenew = asked.status === 401 && facts.retried !== 'token';
  if (mayRenew && (await credentials.forget(server, visit.caller, headers))) {
    facts.retried = 'token';
    facts.tokenRefreshed = true;
    return;
  }
  const more = asked.challenge && (await credentials.stepUp(server, visit.caller, asked.challenge));
  throw more || failureOf(server, asked, { wasSent: method === 'tools/call' });
}

const sessionLost = () => new RpcFailure(rpc.sessionNotFound, 'Session not found', { status: 404 });

/** A server that does not know a session has done nothing. Servers built on the SDK's example say so with 400. */
function isLost({ status, response }: AskedServer, { session }: ServerLine): boolean {
  if (session === null) return false;
  const error = response?.value.error;
  const says = isObject(error) && typeof error.message === 'string' ? error.message : '';
  if (status === 404) return true;
  return status === 400 && isObject(error) && error.code === -32000 && /session/i.test(says);
}

type Sending = { request: WireRequest; options: AskOptions; way: CallWay; began: number };

/** What goes to the server of a call; notes that it went. */
function sendingOf(
  call: RelayCall,
  { params, line, headers }: { params: JsonObject; line: ServerLine; headers: Headers },
  dependencies: UpstreamDependencies,
): Sending {
  const { visit, server, id, method, facts } = call;
  const sent = paramsFor(visit, server, params, line.era);
  const body =
    sent === call.params && call.raw !== null
      ? call.raw
      : JSON.stringify({ jsonrpc: '2.0', id, method, params: sent });
  const way = { line, headers: { ...headers, ...lineHeaders(call, sent, line) } };
  facts.eraUpstream = line.era;
  facts.queueMs ??= call.elapsed;
  // Whoever leaves from now on may have had the server's work.
  facts.isSent = !call.isOver;
  const request = { method: 'POST' as const, url: server.upstream.url, headers: way.headers, body };
  return { request, options: hearing(call, way, dependencies), way, began: performance.now() };
}

function noteAsked(
  call: RelayCall,
  asked: AskedServer,
  { way, began }: Sending,
  { interim }: UpstreamDependencies,
): void {
  const { facts } = call;
  call.onCancel = null;
  facts.upstreamMs += performance.now() - began;
  facts.upstreamStatus = asked.status || null;
  facts.isSent = hasReached(asked);
  if (asked.cut === 'idle' || asked.cut === 'total') interim.timedOut(call, way);
}

function lineHeaders({ method, server }: RelayCall, params: JsonObject, line: ServerLine): Headers {
  if (line.session) return sessionHeaders(line.session);
  const tool = method === 'tools/call' ? schemaOf(server, params.name) : undefined;
  return routingHeaders(method, params, tool);
}

const schemaOf = (server: McpServerRecord, name: unknown): unknown =>
  server.byPlace.get(`tool ${String(name)}`)?.definition.inputSchema;
