import { performance } from 'node:perf_hooks';
import type { JsonObject } from '../../lib/json.ts';
import { failureOf } from '../lines/asked-failure.ts';
import type { ServerLine } from '../lines/lines.ts';
import { timeoutsOf } from '../lines/timeouts.ts';
import { paramsFor } from '../lines/to-upstream.ts';
import { connectUpstream, createSseTransport, problemOf, type UpstreamProblem } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';
import type { UpstreamDependencies, UpstreamReply } from './call-upstream.ts';
import { upstreamHeaders } from './upstream-headers.ts';

type Dependencies = Pick<UpstreamDependencies, 'credentials' | 'fetch'>;

/**
 * Sends a request to a server of 2024-11-05, whose answer comes on a stream of its own. Each request has a connection for itself,
 * which any process can open, and which nobody else can read. Throws an RpcFailure.
 */
export async function callOverSse(
  call: RelayCall,
  params: JsonObject,
  dependencies: Dependencies,
): Promise<UpstreamReply> {
  const { server, visit, facts } = call;
  for (;;) {
    const headers = await upstreamHeaders(call, dependencies.credentials);
    const { reply, problem, wasSent } = await exchanged(call, { params, headers }, dependencies.fetch);
    if (reply) return reply;
    const isRefused = problem.fault === 'unauthorized' && facts.retried !== 'token' && !wasSent;
    if (!isRefused || !(await dependencies.credentials.forget(server, visit.caller, headers)))
      throw failureFor(call, problem, wasSent);
    facts.retried = 'token';
    facts.tokenRefreshed = true;
  }
}

type Exchange =
  | { reply: UpstreamReply; problem: null; wasSent: true }
  | { reply: null; problem: UpstreamProblem; wasSent: boolean };

async function exchanged(
  call: RelayCall,
  { params, headers }: { params: JsonObject; headers: Readonly<Record<string, string>> },
  send: typeof fetch,
): Promise<Exchange> {
  const { server, visit, id, method, facts } = call;
  const gone = new AbortController();
  const signal = AbortSignal.any([
    gone.signal,
    AbortSignal.timeout(timeoutsOf(server, visit.headers).totalMs),
  ]);
  const transport = createSseTransport({ url: server.upstream.url, send, signal });
  call.onCancel = () => gone.abort();
  if (call.isOver) gone.abort();
  const began = performance.now();
  facts.queueMs ??= call.elapsed;
  let wasSent = false;
  try {
    const { protocolVersion } = await connectUpstream({ transport, headers }, 'legacy');
    const line: ServerLine = {
      ...{ era: 'legacy', isOwn: false },
      session: { version: protocolVersion, id: null },
    };
    facts.eraUpstream = line.era;
    wasSent = true;
    facts.isSent = !call.isOver;
    const sent = paramsFor(visit, server, params, line.era);
    const { status, response } = await transport.exchange(
      { jsonrpc: '2.0', id, method, params: sent },
      headers,
    );
    facts.upstreamStatus = status;
    const { result = null, error = null } = response ?? {};
    const text = JSON.stringify({ jsonrpc: '2.0', id, ...(error ? { error } : { result }) });
    return { reply: { result, error, text, line }, problem: null, wasSent };
  } catch (error) {
    const problem = problemOf(error);
    facts.upstreamStatus = problem.status;
    return { reply: null, problem, wasSent };
  } finally {
    call.onCancel = null;
    facts.upstreamMs += performance.now() - began;
    await transport.close({});
  }
}

function failureFor({ server, method }: RelayCall, problem: UpstreamProblem, wasSent: boolean) {
  const isLate = problem.fault === 'timeout';
  const nothing = {
    response: null,
    sessionId: null,
    lastEventId: null,
    retryMs: null,
    challenge: null,
    retryAfterMs: null,
  };
  // A stream that ends behind a message says nothing of what became of it.
  const hasEnded = wasSent && problem.status === null && !isLate;
  return failureOf(
    server,
    {
      ...nothing,
      status: hasEnded ? 200 : (problem.status ?? 0),
      problem: hasEnded ? null : problem,
      cut: isLate && wasSent ? 'total' : null,
    },
    { wasSent: wasSent && method === 'tools/call' },
  );
}
