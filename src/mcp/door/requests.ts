import type { IncomingHttpHeaders } from 'node:http';
import { type AggregateRecord, isAggregate, isOffered, resolved } from '../aggregate/index.ts';
import type { CallerAnswer, RequestAnswer } from '../exchange/answer.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import { type CallerMessage, isPlain } from '../exchange/receive.ts';
import type { McpVisit } from '../exchange/visit.ts';
import { isPerUser, type OwnViews } from '../lines/own-views.ts';
import { type RecordDependencies, recordCall } from '../record/record-call.ts';
import { RelayCall } from '../relay/call.ts';
import { discovered, serverInfoOf } from '../relay/hello.ts';
import { listMethods, pageOf } from '../relay/lists.ts';
import { isRelayed, type McpRelay, type McpResume } from '../relay/relay.ts';
import { asElicitation, asInputRequired, withoutOwnInput } from '../relay/sign-in.ts';
import type { IsLinked } from '../relay/subject.ts';
import { isAboutTask, taskOf } from '../relay/tasks.ts';
import type { ResourceLinks, SessionStore, StreamPlace, TaskSeal } from '../session/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import { SERVER_INFO } from '../upstream/index.ts';
import { insufficientScope } from './challenge.ts';

export type RequestDependencies = {
  relay: McpRelay;
  record: RecordDependencies;
  /** Requests that are under way, by session and id. */
  running: Map<string, RelayCall>;
  sessions: SessionStore;
  tasks: TaskSeal;
  links: ResourceLinks;
  views: OwnViews;
  /** Whether a server is left alone for now, since it did not answer. */
  isResting(server: McpServerRecord): boolean;
  /** Throws an RpcFailure for a caller who has to sign in at a server first. */
  requireSignIn(server: McpServerRecord, visit: McpVisit): Promise<void>;
};

type Given = {
  visit: McpVisit;
  server: McpServerRecord;
  message: CallerMessage & { kind: 'request' };
  answer: CallerAnswer;
  /** The message as it came; null where it was one of several. */
  raw: Buffer | null;
};

export const runningKey = (sessionUuid: string, id: unknown): string =>
  `${sessionUuid} ${typeof id} ${String(id)}`;

/** Answers one request, whatever it is. Never rejects because of the request. */
export function answerRequest(given: Given, dependencies: RequestDependencies): Promise<void> {
  const { visit, message } = given;
  const { session } = visit;
  const answered = isRelayed(message.method, visit.era)
    ? relayed(given, dependencies)
    : answerHere(given, dependencies, () => localText(given, dependencies));
  if (session === null) return answered;
  return answered.finally(() => dependencies.running.delete(runningKey(session.uuid, message.id)));
}

async function localText(given: Given, dependencies: RequestDependencies): Promise<string> {
  const { visit, server, message } = given;
  if (server.hello === null) await dependencies.requireSignIn(server, visit);
  const isList = Object.hasOwn(listMethods, message.method);
  const shown = isList ? await dependencies.views.of(server, visit.caller) : server;
  return resultText(message.id, local({ ...given, server: shown }, dependencies));
}

/** Answers a request that goes to no server with a text, or with the RpcFailure that making it throws; its log has a row. */
export async function answerHere(
  { visit, server, message, answer, raw }: Given,
  { record }: Pick<RequestDependencies, 'record'>,
  textOf: () => Promise<string> | string,
): Promise<void> {
  const { id, method, params } = message;
  const onEnd = (ended: RelayCall) =>
    record.logs === 'all' && method !== 'ping' ? recordCall(ended, record) : null;
  const call = new RelayCall({ visit, server, id, method, params, answer, raw, onEnd });
  try {
    call.relay(await textOf(), false);
  } catch (error) {
    call.fail(asFailure(error));
    if (!(error instanceof RpcFailure)) throw error;
  }
}

const resultText = (id: unknown, result: object): string => JSON.stringify({ jsonrpc: '2.0', id, result });

const asFailure = (error: unknown): RpcFailure =>
  error instanceof RpcFailure ? error : new RpcFailure(rpc.internal, 'Internal error', { cause: error });

function relayed(given: Given, dependencies: RequestDependencies): Promise<void> {
  if (given.message.method !== 'resources/read') return relayedNow(given, dependencies);
  return recallLink(given, dependencies).then(() => relayedNow(given, dependencies));
}

function relayedNow(given: Given, dependencies: RequestDependencies): Promise<void> {
  const { visit, message } = given;
  const { id, method, params } = message;
  const call = callFor(given, dependencies);
  if (call === null) return DONE;
  if (visit.session) dependencies.running.set(runningKey(visit.session.uuid, id), call);
  const failed = (error: unknown): void => {
    const failure = asFailure(error);
    const asked = visit.era === 'modern' ? asInputRequired(failure, params) : null;
    if (asked) call.succeed(asked);
    else call.fail(asElicitation(failure, visit, id));
    if (!(error instanceof RpcFailure)) throw error;
  };
  const refusal = rightProblem(visit, method);
  if (refusal === null) return dependencies.relay(call).catch(failed);
  failed(refusal);
  return DONE;
}

const DONE = Promise.resolve();

export type TakeUpDependencies = Pick<RequestDependencies, 'record' | 'running'> & { resume: McpResume };

/** Goes on with the stream of a request that its caller has lost. */
export async function takeUp(
  {
    visit,
    server,
    eventId,
    request,
    answer,
  }: {
    visit: McpVisit;
    server: McpServerRecord;
    eventId: string;
    request: NonNullable<StreamPlace['request']>;
    answer: RequestAnswer;
  },
  { record, running, resume }: TakeUpDependencies,
): Promise<void> {
  const { id, method, subject } = request;
  const params = method === 'resources/read' ? { uri: subject } : { name: subject };
  const onEnd = (ended: RelayCall) => recordCall(ended, record);
  const call = new RelayCall({ visit, server, id, method, params, answer, raw: null, onEnd });
  const key = runningKey(visit.session?.uuid ?? '', id);
  running.set(key, call);
  answer.begin();
  try {
    await resume(call, eventId);
  } catch (error) {
    call.fail(asFailure(error));
    if (!(error instanceof RpcFailure)) throw error;
  } finally {
    running.delete(key);
  }
}

/** The call as its server knows it; null where no server of several has what it is about, or there is no such task. */
function callFor(
  { visit, server, message, answer, raw: whole }: Given,
  { record, tasks, links }: RequestDependencies,
): RelayCall | null {
  const { id, method } = message;
  const params = withoutOwnInput(message.params);
  const raw = params === message.params && whole !== null && isPlain(whole, message.value) ? whole : null;
  const onEnd = (ended: RelayCall) => recordCall(ended, record);
  const common = { visit, id, method, answer, onEnd };
  const isOfTask = isAboutTask(method, visit.era);
  if (!isAggregate(server) && !isOfTask) return new RelayCall({ ...common, server, params, raw });
  try {
    if (isOfTask) {
      const task = taskOf(visit, server, params, tasks);
      return new RelayCall({ ...common, server, task, params: { ...params, taskId: task.own }, raw: null });
    }
    return new RelayCall({
      ...common,
      ...resolved(server as AggregateRecord, method, params, linkedBy(visit, links)),
      raw: null,
    });
  } catch (error) {
    const call = new RelayCall({ ...common, server, params, raw });
    call.facts.subject = String(params.name ?? params.uri ?? '').slice(0, 2048);
    call.facts.refusedBy = 'capability';
    call.fail(asFailure(error));
    return null;
  }
}

const linkedBy =
  ({ caller }: McpVisit, links: ResourceLinks): IsLinked =>
  (server, uri) =>
    links.knows(server, caller, uri);

/** Which of several servers has a resource that no list has, another process may know. */
async function recallLink({ visit, server, message }: Given, { links }: RequestDependencies): Promise<void> {
  const { params } = message;
  const { uri } = params;
  if (!isAggregate(server) || typeof uri !== 'string') return;
  const isKnown = server.servers.some((one) => links.knows(one, visit.caller, uri));
  if (!isKnown && !isOffered(server, params)) await links.recall(server.servers, visit.caller, uri);
}

/** Null for a caller who may ask for this. */
function rightProblem({ caller, resourceUrl }: McpVisit, method: string): RpcFailure | null {
  if (caller.mayCall || (method !== 'tools/call' && !method.startsWith('tasks/'))) return null;
  return insufficientScope(resourceUrl, 'The token may read, and not call tools.', { scope: 'mcp:write' });
}

/** What the gateway answers by itself. */
function local({ visit, server, message }: Given, { isResting }: RequestDependencies): object {
  const { method, params } = message;
  const list = Object.hasOwn(listMethods, method) ? listMethods[method] : undefined;
  if (list) {
    if (server.hello === null) throw notRead(server);
    const items = server.usable[list.type].map(({ definition }) => definition);
    const listing = { items, revision: server.revision, isPerUser: isPerUser(server) };
    const page = pageOf(visit, method, params, listing);
    const meta = {
      ...(visit.era === 'modern' && { [SERVER_INFO]: serverInfoOf(server) }),
      ...(isAggregate(server) && { 'io.sluice/servers': statesOf(server, isResting) }),
    };
    return Object.keys(meta).length === 0 ? page : { ...page, _meta: meta };
  }
  if (method === 'server/discover' && visit.era === 'modern') return discovered(server);
  if (method === 'ping' && visit.era === 'legacy') return {};
  throw new RpcFailure(rpc.methodNotFound, `Method not found: ${method}`, {
    status: visit.era === 'modern' ? 404 : 200,
  });
}

/** How it stands with each of several servers. What is known of one that does not answer stays in the lists. */
function statesOf(
  { servers }: AggregateRecord,
  isResting: (server: McpServerRecord) => boolean,
): Record<string, string> {
  const stateOf = (server: McpServerRecord) => {
    if (server.hello === null || isResting(server)) return 'unavailable';
    return server.hello.isStale ? 'stale' : 'ok';
  };
  return Object.fromEntries(servers.map((server) => [server.slug, stateOf(server)]));
}

const notRead = ({ slug }: McpServerRecord) =>
  new RpcFailure(rpc.unreachable, `The MCP server ${slug} was not read yet.`, {
    data: { server: slug, maybe_executed: false },
  });

/** Whether a caller takes a stream for an answer. */
export const takesEvents = ({ accept = '' }: IncomingHttpHeaders): boolean =>
  /text\/event-stream|\*\/\*/i.test(accept) && accept !== '';
