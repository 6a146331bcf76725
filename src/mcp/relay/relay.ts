import type { JsonObject } from '../../lib/json.ts';
import { RpcFailure, rpc } from '../exchange/failure.ts';
import type { Replies, ResourceLinks, TaskSeal } from '../session/index.ts';
import type { Era } from '../upstream/index.ts';
import type { RelayCall } from './call.ts';
import { callUpstream, type UpstreamDependencies, type UpstreamReply } from './call-upstream.ts';
import { serverInfoOf } from './hello.ts';
import { outputProblem } from './output-problem.ts';
import { resumeUpstream } from './resume.ts';
import { asked } from './rounds.ts';
import { withoutCredential } from './secrets-of.ts';
import { addressesIn } from './sign-in.ts';
import { type Subject, subjectOf } from './subject.ts';
import { isAboutTask, withShownTasks } from './tasks.ts';
import { codeFor, resultFor } from './to-caller.ts';

/** What is done around a call, between what it is about and its server. */
export type McpRelay = (call: RelayCall) => Promise<void>;

/** Requests that go to the server behind an MCP server. */
const relayedMethods: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'completion/complete',
]);

/** Whether a request goes to the server behind an MCP server. */
export const isRelayed = (method: string, era: Era): boolean =>
  relayedMethods.has(method) || isAboutTask(method, era);

export type RelayDependencies = UpstreamDependencies & {
  /** Throws an RpcFailure for a call that is over a limit. */
  limits(call: RelayCall): Settling | null | Promise<Settling | null>;
  guardrails(call: RelayCall): Guarding | null | Promise<Guarding | null>;
  replies: Replies;
  tasks: TaskSeal;
  links: ResourceLinks;
  /** Has the server behind an integration read again. */
  readAgain(id: string): void;
};

type Settling = { settle(isSent: boolean): void };
/** Null stands for what was refused, and is answered by now. */
type Guarding = {
  input(params: JsonObject): Promise<JsonObject | null>;
  output(result: JsonObject): Promise<JsonObject | null>;
  error(error: JsonObject): Promise<JsonObject | null>;
};

/** Answers a request with what its server says. Throws an RpcFailure where it has nothing to say. */
export const createRelay = (dependencies: RelayDependencies): McpRelay =>
  async function relay(call) {
    const signedIn = signIn(call, dependencies);
    if (signedIn) await signedIn;
    const allowed = requireCapability(call, dependencies.links);
    if (allowed) await allowed;
    const taking = call.method === 'tools/call' ? dependencies.limits(call) : null;
    const taken = taking instanceof Promise ? await taking : taking;
    if (taken && call.isOver) return taken.settle(false);
    if (taken) call.onSettle = () => taken.settle(call.facts.isSent);
    const guarding = dependencies.guardrails(call);
    const guards = guarding instanceof Promise ? await guarding : guarding;
    const params = guards ? await guards.input(call.params) : call.params;
    if (params === null || call.isOver) return;
    const first = await callUpstream(call, params, dependencies);
    const reply = asksCaller(call, first)
      ? await withRounds(call, { params, first }, guards, dependencies)
      : first;
    if (reply?.error && saysUnknown(call, reply.error)) dependencies.readAgain(call.server.upstream.id);
    const passing = reply && pass(call, reply, guards, dependencies);
    if (passing) await passing;
  };

/** Whether a server has not got a tool any more that stands in its catalogue. */
const saysUnknown = ({ method }: RelayCall, { code, message }: ServerError): boolean =>
  method === 'tools/call' &&
  code === rpc.invalidParams &&
  /unknown tool|tool .{0,200}not found/i.test(message);

/** Answers a request whose caller has lost the stream, with what its server says behind an event. */
export type McpResume = (call: RelayCall, eventId: string) => Promise<void>;

/** What it comes to is looked at and logged as an answer of its own; it was counted when it was asked. */
export const createResume = (dependencies: RelayDependencies): McpResume =>
  async function resume(call, eventId) {
    await requireCapability(call, dependencies.links);
    const guards = await dependencies.guardrails(call);
    const reply = await resumeUpstream(call, eventId, dependencies);
    await pass(call, reply, guards, dependencies);
  };

/** Null where nobody has to wait. */
function pass(
  call: RelayCall,
  reply: UpstreamReply,
  guards: Guarding | null,
  dependencies: RelayDependencies,
): Promise<void> | null {
  if (call.isOver) return null;
  if (reply.error) return answerError(call, reply.error, { text: reply.text, guards });
  const said = reply.result ?? {};
  call.facts.outputProblem = outputProblem(call, said);
  return guards ? guarded(call, reply, guards, dependencies) : answer(call, reply, said, dependencies);
}

async function guarded(
  call: RelayCall,
  reply: UpstreamReply,
  guards: Guarding,
  dependencies: RelayDependencies,
): Promise<void> {
  const passed = await guards.output(reply.result ?? {});
  if (passed !== null && !call.isOver) await answer(call, reply, passed, dependencies);
}

/** Whether a server asks a caller of the older era for something before it answers. */
const asksCaller = (call: RelayCall, { result }: UpstreamReply): boolean =>
  result?.resultType === 'input_required' && call.visit.era !== 'modern' && !call.isOver;

/**
 * The last word of a server that asks a caller of the older era for something before; null where a guardrail refused what was
 * asked or said, and the call is answered by now.
 */
async function withRounds(
  call: RelayCall,
  { params, first }: { params: JsonObject; first: UpstreamReply },
  guards: Guarding | null,
  dependencies: RelayDependencies,
): Promise<UpstreamReply | null> {
  let given = params;
  let reply = first;
  while (asksCaller(call, reply)) {
    const wanted = reply.result ?? {};
    const question = guards ? await guards.output(wanted) : wanted;
    if (question === null) return null;
    const said = await asked(call, given, question, dependencies.replies);
    const passed = guards ? await guards.input(said) : said;
    if (passed === null) return null;
    given = passed;
    reply = await callUpstream(call, given, dependencies);
  }
  return reply;
}

/** Of a server that tells nobody what it offers who has not signed in, nothing may be known yet. Null where nobody has to wait. */
function signIn({ server, visit }: RelayCall, { credentials }: UpstreamDependencies) {
  const isNeeded = server.hello === null && server.upstream.authType === 'oauth_auto';
  return isNeeded ? credentials.headersFor(server, visit.caller) : null;
}

/** Throws, or rejects with, an RpcFailure. Null where nobody has to wait. */
function requireCapability(call: RelayCall, links: ResourceLinks): Promise<void> | null {
  const { params, facts, task } = call;
  facts.subject = String(task?.tool ?? params.name ?? params.uri ?? '').slice(0, 2048);
  // Whose task it is, and of which tool, was looked at when its id was read.
  if (task) return null;
  const refused = (error: unknown): never => {
    if (error instanceof RpcFailure) facts.refusedBy = 'capability';
    throw error;
  };
  const known = ({ name, capability }: Subject) => {
    facts.subject = name;
    facts.definitionHash = capability?.hash ?? null;
  };
  try {
    const found = subjectNow(call, links);
    if (found instanceof Promise) return found.then(known, refused);
    known(found);
    return null;
  } catch (error) {
    return refused(error);
  }
}

/** Waits only for a resource that no list has: another process may have seen the result that named it. */
function subjectNow(
  { visit, server, method, params }: RelayCall,
  links: ResourceLinks,
): Subject | Promise<Subject> {
  const find = () => subjectOf(server, method, params, (one, uri) => links.knows(one, visit.caller, uri));
  try {
    return find();
  } catch (error) {
    const { uri } = params;
    if (!(error instanceof RpcFailure) || method !== 'resources/read' || typeof uri !== 'string') throw error;
    return links.recall([server], visit.caller, uri).then((isKnown) => {
      if (isKnown) return find();
      throw error;
    });
  }
}

/** Answers with a result; waits only where it names resources that other processes have to know. */
function answer(
  call: RelayCall,
  reply: UpstreamReply,
  passed: JsonObject,
  { tasks, links }: Pick<RelayDependencies, 'tasks' | 'links'>,
): Promise<void> | null {
  const noted = links.note(call.server, call.visit.caller, passed);
  if (noted) return noted.then(() => answerNow(call, reply, passed, tasks));
  answerNow(call, reply, passed, tasks);
  return null;
}

/** The text of the server is passed on where nothing of it has to be different. */
function answerNow(
  call: RelayCall,
  { result, text, line }: UpstreamReply,
  passed: JsonObject,
  tasks: TaskSeal,
): void {
  if (call.isOver) return;
  const { visit, server, method } = call;
  const said = result ?? {};
  const given = { era: line.era, serverInfo: () => serverInfoOf(server) };
  const shown = resultFor(visit, method, withShownTasks(call, passed, tasks), given);
  if (said.isError === true)
    call.relay(withoutCredential(call, shown === said ? text : resultText(call, shown)), true);
  else if (shown === said) call.relay(text, false);
  else call.succeed(shown);
}

const resultText = ({ id }: RelayCall, result: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, result });

/** The HTTP status of errors that have one of their own, where no stream has begun. */
const modernStatus: Readonly<Record<number, number>> = {
  [rpc.methodNotFound]: 404,
  [rpc.missingCapability]: 400,
};

type ServerError = NonNullable<UpstreamReply['error']>;

async function answerError(
  call: RelayCall,
  error: ServerError,
  { text, guards }: { text: string; guards: Guarding | null },
): Promise<void> {
  const { visit } = call;
  const { code: _code, ...words } = error;
  const passed = guards ? await guards.error(words) : words;
  if (passed === null || call.isOver) return;
  if (error.code === rpc.urlElicitation && visit.era === 'modern') return answerAddress(call, passed.data);
  const code = codeFor(visit.era, error.code);
  const status = visit.era === 'modern' ? (modernStatus[code] ?? 200) : 200;
  const isSame = code === error.code && passed === words;
  const said = isSame ? text : errorFor(call, { ...error, ...passed }, code);
  call.relayError(withoutCredential(call, said), code, status);
}

/** A server of the older era wants somebody to open an address, which callers of the modern one hear in another way. */
function answerAddress(call: RelayCall, data: unknown): void {
  const { visit, server, params } = call;
  const asked = addressesIn(data, params, server.upstream.configurations);
  if (asked.result)
    call.succeed(
      resultFor(visit, call.method, asked.result, { era: 'legacy', serverInfo: () => serverInfoOf(server) }),
    );
  else call.fail(asked.failure);
}

/** An error in words that its caller knows. */
function errorFor({ id, method }: RelayCall, { message, data }: ServerError, code: number): string {
  const error: JsonObject =
    code === rpc.upstream
      ? { code, message: `The MCP server did not understand ${method}.` }
      : { code, message, ...(data !== undefined && { data }) };
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}
