import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { type AskedServer, type AskOptions, ask } from '../lines/ask.ts';
import { failureOf } from '../lines/asked-failure.ts';
import { sessionHeaders } from '../lines/handshake.ts';
import type { RelayCall } from './call.ts';
import type { UpstreamDependencies, UpstreamReply } from './call-upstream.ts';
import { type CallWay, hearing, replyIn } from './hearing.ts';
import { upstreamHeaders } from './upstream-headers.ts';

/** How often a stream is taken up again that its server has ended before the answer. */
const MAX_RESUMED = 3;
/** Milliseconds until then where the server does not say, and the most that it may say. */
const PAUSE_MS = 500;
const MAX_PAUSE_MS = 5000;

/** The rest of what a server says behind an event. */
const restAfter = (call: RelayCall, eventId: string, headers: CallWay['headers'], options: AskOptions) =>
  ask(
    {
      ...{ method: 'GET', url: call.server.upstream.url, body: null },
      headers: { ...headers, 'last-event-id': eventId },
    },
    options,
  );

/** What became of a call whose stream may have ended too soon: it is taken up again where the server has given its events ids. */
export async function takenUp(
  call: RelayCall,
  first: AskedServer,
  { headers }: CallWay,
  options: AskOptions,
): Promise<AskedServer> {
  let asked = first;
  for (let left = MAX_RESUMED; left > 0 && hasBrokenOff(asked) && !call.isOver; left--) {
    await pause(Math.min(asked.retryMs ?? PAUSE_MS, MAX_PAUSE_MS));
    if (call.isOver || asked.lastEventId === null) break;
    const next = await restAfter(call, asked.lastEventId, headers, options);
    // A server that cannot go on has still got the call.
    if (next.status >= 300) break;
    const lastEventId = next.lastEventId ?? asked.lastEventId;
    asked = { ...next, status: next.status || asked.status, lastEventId };
  }
  return asked;
}

const hasBrokenOff = ({ status, response, cut, lastEventId }: AskedServer): boolean =>
  response === null && cut === null && lastEventId !== null && status < 300;

/** Takes up the stream of a call that a caller has lost, from an event on. Throws an RpcFailure. */
export async function resumeUpstream(
  call: RelayCall,
  eventId: string,
  dependencies: UpstreamDependencies,
): Promise<UpstreamReply> {
  const { server, visit, facts } = call;
  const credential = await upstreamHeaders(call, dependencies.credentials);
  const line = await dependencies.lines.lineFor(visit, server, credential);
  facts.eraUpstream = line.era;
  const headers = { ...credential, ...(line.session && sessionHeaders(line.session)) };
  const way = { line, headers };
  const options = hearing(call, way, dependencies);
  const began = performance.now();
  const first = await restAfter(call, eventId, headers, options);
  const asked = await takenUp(call, first, way, options);
  call.onCancel = null;
  facts.upstreamMs += performance.now() - began;
  facts.upstreamStatus = asked.status || null;
  const reply = replyIn(asked, line);
  if (reply === null) throw failureOf(server, asked, { wasSent: call.method === 'tools/call' });
  return reply;
}
