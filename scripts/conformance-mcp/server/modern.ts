import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { capabilityOf, rounds } from './questions.ts';
import { type Json, type Message, refusal, resultOf, toolNames } from './results.ts';

const META = 'io.modelcontextprotocol/';
const VERSION = '2026-07-28';
const key = randomBytes(32);

const info = { name: 'conformance', version: '1.0.0' };
const cached = [
  ...['server/discover', 'tools/list', 'prompts/list', 'resources/list'],
  ...['resources/templates/list', 'resources/read'],
];
const capabilities = {
  ...{ tools: { listChanged: true }, prompts: { listChanged: true }, resources: {}, completions: {} },
};

/** Answers a message of the era without a handshake. */
export async function answerModern(
  message: Message,
  header: (name: string) => string | undefined,
  response: ServerResponse,
): Promise<void> {
  if (message.id === undefined) return void response.writeHead(202).end();
  const problem = shapeProblem(message, header);
  if (problem) return json(response, 400, message, { error: problem });
  if (message.method === 'subscriptions/listen') return listen(message, response);
  if (message.method === 'tools/call' && message.params.name === 'test_tool_with_progress')
    return progress(message, response);
  const answer = await answerOf(message);
  const code = (answer.error as { code?: number } | undefined)?.code;
  const status = code === -32601 ? 404 : code === -32021 ? 400 : 200;
  json(response, status, message, answer);
}

function shapeProblem(
  { method, params }: Message,
  header: (name: string) => string | undefined,
): Json | null {
  const meta = (params._meta ?? {}) as Json;
  const version = meta[`${META}protocolVersion`];
  if (typeof version !== 'string' || !meta[`${META}clientCapabilities`])
    return { code: -32602, message: 'Invalid params: _meta is not whole.' };
  if (header('mcp-protocol-version') !== version || header('mcp-method') !== method)
    return { code: -32020, message: 'Header mismatch' };
  if (version === VERSION) return null;
  const data = { supported: [VERSION], requested: version };
  return { code: -32022, message: 'Unsupported protocol version', data };
}

async function answerOf(message: Message): Promise<Json> {
  const { method, params } = message;
  if (method === 'server/discover')
    return whole(method, { result: { supportedVersions: [VERSION], capabilities } });
  const declared = ((params._meta as Json)[`${META}clientCapabilities`] ?? {}) as Json;
  if (method === 'tools/call' && params.name === 'test_missing_capability' && !declared.sampling)
    return {
      error: {
        code: -32021,
        message: 'Sampling is needed',
        data: { requiredCapabilities: { sampling: {} } },
      },
    };
  const asks = method === 'tools/call' || method === 'prompts/get' ? rounds[String(params.name)] : undefined;
  if (asks) return whole(method, roundOf(message, asks, declared));
  if (method === 'tools/call' && !toolNames.includes(String(params.name)))
    return refusal(-32602, `Unknown tool: ${params.name}`);
  if (method === 'ping' || method === 'initialize' || method.startsWith('logging/'))
    return refusal(-32601, 'Method not found');
  return whole(method, await resultOf(message));
}

function whole(method: string, answer: Json): Json {
  if (!answer.result) return answer;
  const cache = cached.includes(method) ? { ttlMs: 1000, cacheScope: 'public' } : {};
  const meta = { [`${META}serverInfo`]: info };
  return { result: { resultType: 'complete', ...cache, ...(answer.result as Json), _meta: meta } };
}

type Asks = (typeof rounds)[string];

/** What comes next of the questions of a tool or a prompt. */
function roundOf({ method, params }: Message, { asked, hasState }: Asks, declared: Json): Json {
  const { requestState, inputResponses } = params;
  const responses = (inputResponses ?? {}) as Json;
  const state = typeof requestState === 'string' ? opened(requestState) : 0;
  if (state === null) return refusal(-32602, 'Invalid requestState');
  const questions = Object.entries(asked[state] ?? {}).filter(
    ([, question]) => declared[capabilityOf(question)] !== undefined,
  );
  const isAnswered = questions.every(([name]) => isAnswer(responses[name])) && inputResponses !== undefined;
  const next = isAnswered ? state + 1 : state;
  if (next < asked.length) {
    const open = next === state ? questions : Object.entries(asked[next] ?? {});
    return {
      result: {
        ...{ resultType: 'input_required', inputRequests: Object.fromEntries(open) },
        ...(hasState && { requestState: sealed(next) }),
      },
    };
  }
  const said = `${hasState ? 'state-ok ' : ''}${JSON.stringify(responses)}`;
  if (method === 'prompts/get')
    return { result: { messages: [{ role: 'user', content: { type: 'text', text: said } }] } };
  return { result: { content: [{ type: 'text', text: said }] } };
}

const isAnswer = (value: unknown): boolean => {
  const { action, roots, content } = (typeof value === 'object' && value ? value : {}) as Json;
  if (action !== undefined) return action !== 'accept' || (typeof content === 'object' && content !== null);
  return Array.isArray(roots) || content !== undefined;
};

const markOf = (round: string) => createHmac('sha256', key).update(round).digest('base64url');
const sealed = (round: number): string => `${round}.${markOf(String(round))}`;

function opened(state: string): number | null {
  const [round = '', mark = ''] = state.split('.');
  const right = Buffer.from(markOf(round));
  const given = Buffer.from(mark);
  return right.length === given.length && timingSafeEqual(right, given) ? Number(round) : null;
}

type Listener = { response: ServerResponse; id: unknown; wanted: Json };
const listeners = new Set<Listener>();

function listen({ id, params }: Message, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const listener = { response, id, wanted: (params.notifications ?? {}) as Json };
  listeners.add(listener);
  response.on('close', () => listeners.delete(listener));
  tell(listener, 'notifications/subscriptions/acknowledged', { notifications: listener.wanted });
}

/** Tells everybody who listens that a list has changed. */
export function tellChange(list: 'tools' | 'prompts'): void {
  for (const listener of listeners)
    if (listener.wanted[`${list}ListChanged`]) tell(listener, `notifications/${list}/list_changed`);
}

function tell({ response, id }: Listener, method: string, params: Json = {}): void {
  const tagged = { ...params, _meta: { [`${META}subscriptionId`]: id } };
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: tagged })}\n\n`);
}

async function progress(message: Message, response: ServerResponse): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (value: Json) =>
    void response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...value })}\n\n`);
  const answer = await resultOf(message, { notify: send });
  send({ id: message.id, ...whole(message.method, answer) });
  response.end();
}

function json(response: ServerResponse, status: number, { id }: Message, answer: Json): void {
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
}
