import type { ServerResponse } from 'node:http';
import { headerOf } from '../../lib/http/headers.ts';
import type { JsonObject } from '../../lib/json.ts';
import { type CallerAnswer, RequestAnswer } from '../exchange/answer.ts';
import { BatchAnswer } from '../exchange/batch-answer.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type CallerMessage, messageOf } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import type { MessageGuards } from '../governance/message-guards.ts';
import { failureOf } from '../lines/asked-failure.ts';
import { type ForwardDependencies, forward } from '../relay/forward.ts';
import { subjectOf } from '../relay/subject.ts';
import type { Replies } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { legacyVersions } from '../upstream/index.ts';
import { type InitializeDependencies, openSession } from './initialize.ts';
import { answerHere, answerRequest, type RequestDependencies, runningKey, takesEvents } from './requests.ts';

export type LegacyDependencies = RequestDependencies &
  InitializeDependencies &
  ForwardDependencies & { replies: Replies; messageGuards: MessageGuards };

const MAX_BATCH = 50;
/** Revisions in which one request may carry several messages. */
const WITH_BATCHES: ReadonlySet<string> = new Set(['2025-03-26', '2024-11-05']);
/** The revision of a caller that names none. */
const UNNAMED = '2025-03-26';

/** The revision that a request speaks; throws for one that nobody knows. */
export function versionOf({ headers, session }: Pick<McpVisit, 'headers' | 'session'>): string {
  const named = headerOf(headers, 'mcp-protocol-version')?.trim();
  if (named === undefined) return session?.version ?? UNNAMED;
  if ((legacyVersions as readonly string[]).includes(named)) return session?.version ?? named;
  throw new RpcFailure(
    rpc.transport,
    `Bad Request: Unsupported protocol version (supported versions: ${legacyVersions.join(', ')})`,
    { status: 400 },
  );
}

/** Answers a POST of the era with a handshake: one message, or several where the revision has that. */
export async function answerLegacy(
  visit: McpVisit,
  server: McpServerRecord,
  { value, raw, response }: { value: unknown; raw: Buffer; response: ServerResponse },
  dependencies: LegacyDependencies,
): Promise<void> {
  if (Array.isArray(value)) return answerBatch(visit, server, { value, response }, dependencies);
  const message = messageOf(value);
  if (message.kind !== 'request') {
    await take(visit, server, message, dependencies);
    response.writeHead(202).end();
    return;
  }
  const answer = new RequestAnswer(response, takesEvents(visit.headers));
  if (message.method === 'initialize')
    return initialize(visit, server, message, { answer, raw, dependencies });
  await answerOne(visit, server, message, { answer, raw, dependencies });
}

async function answerBatch(
  visit: McpVisit,
  server: McpServerRecord,
  { value, response }: { value: unknown[]; response: ServerResponse },
  dependencies: LegacyDependencies,
): Promise<void> {
  const refuse = (message: string) => new RpcFailure(rpc.invalidRequest, message, { status: 400 });
  if (!WITH_BATCHES.has(visit.version))
    throw refuse(`Invalid request: revision ${visit.version} has no batches.`);
  if (value.length === 0 || value.length > MAX_BATCH)
    throw refuse(`Invalid request: a batch has 1 to ${MAX_BATCH} messages.`);
  const messages = value.map(messageOf);
  if (messages.some((message) => message.kind === 'request' && message.method === 'initialize'))
    throw refuse('Invalid request: initialize stands alone.');
  const requests = messages.filter((message) => message.kind === 'request');
  for (const message of messages)
    if (message.kind !== 'request') await take(visit, server, message, dependencies);
  if (requests.length === 0) return void response.writeHead(202).end();
  const batch = new BatchAnswer(response, requests.length, {});
  await Promise.all(
    requests.map((message) =>
      answerOne(visit, server, message, { answer: batch.part(), raw: null, dependencies }),
    ),
  );
}

type Way = { answer: CallerAnswer; raw: Buffer | null; dependencies: LegacyDependencies };

/** Requests that belong to the session behind the caller's, and are no calls. */
const ofSession: ReadonlySet<string> = new Set([
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
]);

async function answerOne(
  visit: McpVisit,
  server: McpServerRecord,
  message: CallerMessage & { kind: 'request' },
  { answer, raw, dependencies }: Way,
): Promise<void> {
  if (!ofSession.has(message.method))
    return answerRequest({ visit, server, message, answer, raw }, dependencies);
  await answerHere({ visit, server, message, answer, raw }, dependencies, () =>
    forwarded(visit, server, message, dependencies),
  );
}

/** The answer of the server to a request that belongs to its session. */
async function forwarded(
  visit: McpVisit,
  server: McpServerRecord,
  message: CallerMessage & { kind: 'request' },
  dependencies: LegacyDependencies,
): Promise<string> {
  const { id, method, params } = message;
  // A resource that the caller may not read cannot be watched either.
  if (method === 'resources/subscribe')
    subjectOf(server, 'resources/read', params, (one, uri) =>
      dependencies.links.knows(one, visit.caller, uri),
    );
  const asked = await forward(visit, server, message.value, dependencies);
  if (asked?.response) return asked.response.text;
  // A server without sessions has nothing that a level could be set for.
  if (asked === null && method === 'logging/setLevel')
    return JSON.stringify({ jsonrpc: '2.0', id, result: {} });
  throw asked
    ? failureOf(server, asked, { wasSent: false })
    : new RpcFailure(rpc.methodNotFound, `Method not found: ${method}`);
}

const initialize = (
  visit: McpVisit,
  server: McpServerRecord,
  message: CallerMessage & { kind: 'request' },
  { answer, raw, dependencies }: Way & { answer: RequestAnswer },
): Promise<void> =>
  answerHere({ visit, server, message, answer, raw }, dependencies, async () => {
    const opened = await openSession(visit, server, message.params, dependencies);
    answer.set('mcp-session-id', opened.id);
    return JSON.stringify({ jsonrpc: '2.0', id: message.id, result: opened.result });
  });

/** Takes a message that has no answer. */
async function take(
  visit: McpVisit,
  server: McpServerRecord,
  message: Exclude<CallerMessage, { kind: 'request' }>,
  dependencies: LegacyDependencies,
): Promise<void> {
  const { session } = visit;
  if (session === null || !mayPass(message)) return;
  if (message.kind === 'notification' && message.method === 'notifications/cancelled') {
    const call = dependencies.running.get(runningKey(session.uuid, message.params.requestId));
    if (call) return call.cancel('cancelled');
  }
  if (message.kind === 'response' && typeof message.id === 'string') {
    if (await dependencies.replies.take(session, message.id, message.value)) return;
  }
  const passed = await dependencies.messageGuards.passed('input', { visit, server }, message.value);
  const said = passed ?? withheld(message);
  if (said) await forward(visit, server, said, dependencies);
}

/** A request without an id is no notice: nobody has looked whether its caller may make it, and there are servers that would obey. */
const mayPass = (message: CallerMessage): boolean =>
  message.kind === 'response' ||
  (message.kind === 'notification' && message.method.startsWith('notifications/'));

/** What a server gets in the place of an answer that guardrails refuse, for which it waits; null for a notice. */
const withheld = (message: CallerMessage): JsonObject | null =>
  message.kind === 'response'
    ? {
        ...{ jsonrpc: '2.0', id: message.id },
        error: { code: rpc.guardrail, message: 'Refused by a guardrail.' },
      }
    : null;
