import { setTimeout as sleep } from 'node:timers/promises';
import { endpointsOf } from '../../endpoint.ts';
import type { DialectAnswer, DialectRequest, Provider } from '../../provider.ts';
import { BadRequest } from './bad-request.ts';
import { chatCompletion, chatFrames } from './chat.ts';
import { completion, completionFrames } from './completion.ts';
import { embeddings } from './embeddings.ts';
import { type Behaviour, behaviourOf } from './models.ts';
import { scriptOf } from './script.ts';

/**
 * A provider without a network: the same question always gets the same answer. Its model names choose what happens, so
 * that users can test how their own programs behave: `mock-1` echoes, `mock-error-429` fails, `mock-delay-500` waits,
 * `mock-slow-100` pauses between stream frames, `mock-embedding-1` embeds. The first word of a message may choose, too:
 * `script.ts` has the list.
 */
export const mock: Provider = {
  id: 'mock',
  baseUrl: null,
  settings: {},
  sufficientSettings: [[]],
  endpoints: endpointsOf('chat', 'completions', 'embeddings'),
  streamUsage: true,
  models: ['mock-1', 'mock-embedding-1'],
  authorize() {},
  respond,
};

type Body = Record<string, unknown>;
type Answer = { answer: (body: Body) => unknown; frames?: (body: Body) => Iterable<unknown> };

const answers: Record<string, Answer> = {
  '/chat/completions': { answer: chatCompletion, frames: chatFrames },
  '/completions': { answer: completion, frames: completionFrames },
  '/embeddings': { answer: embeddings },
};

async function respond({ method, path, body, signal }: DialectRequest): Promise<DialectAnswer> {
  if (method === 'GET' && path === '/models') return json(200, modelList());
  const endpoint = method === 'POST' ? answers[path] : undefined;
  if (!endpoint) return failure(404, `The mock provider has no ${method} ${path}.`, 'invalid_request_error');
  if (typeof body !== 'object' || body === null)
    return failure(400, 'The mock provider takes a JSON object.', 'invalid_request_error');
  const request = body as Body;
  if (typeof request.model !== 'string' || request.model === '')
    return failure(400, "'model' must name a model.", 'invalid_request_error', null, 'model');
  const behaviour = behaviourOf(request.model);
  if (!behaviour)
    return failure(
      404,
      `The model ${JSON.stringify(request.model)} does not exist.`,
      'invalid_request_error',
      'model_not_found',
      'model',
    );
  if (behaviour.delay > 0) await sleep(behaviour.delay, undefined, { signal });
  const asked = Array.isArray(request.messages) ? scriptOf(request.messages) : null;
  const status = asked?.kind === 'fail' ? asked.status : behaviour.status;
  if (status !== 200) return chosenFailure(status);
  try {
    if (request.stream === true && endpoint.frames)
      return eventStream(endpoint.frames(request), behaviour, signal);
    return json(200, endpoint.answer(request));
  } catch (error) {
    if (error instanceof BadRequest)
      return failure(400, error.message, 'invalid_request_error', null, error.param);
    // The stack ends before a body does that is nested too deeply.
    if (error instanceof RangeError)
      return failure(400, 'The request body is nested too deeply.', 'invalid_request_error');
    throw error;
  }
}

const modelList = () => ({
  object: 'list',
  data: (mock.models ?? []).map((id) => ({ id, object: 'model', created: 0, owned_by: 'mock' })),
});

function json(status: number, value: unknown, headers: Record<string, string> = {}): DialectAnswer {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: { 'content-type': 'application/json', 'content-length': String(body.length), ...headers },
    body,
  };
}

const failure = (
  status: number,
  message: string,
  type: string,
  code: string | null = null,
  param: string | null = null,
): DialectAnswer => json(status, { error: { message, type, param, code } });

function chosenFailure(status: number): DialectAnswer {
  const answer = failure(
    status,
    `The mock provider was asked to answer ${status}.`,
    status === 429 ? 'rate_limit_error' : 'server_error',
  );
  if (status === 429) answer.headers['retry-after'] = '1';
  return answer;
}

function eventStream(frames: Iterable<unknown>, behaviour: Behaviour, signal: AbortSignal): DialectAnswer {
  async function* body() {
    for (const frame of frames) {
      if (behaviour.pause > 0) await sleep(behaviour.pause, undefined, { signal });
      yield Buffer.from(`data: ${JSON.stringify(frame)}\n\n`);
    }
    yield Buffer.from('data: [DONE]\n\n');
  }
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: body(),
  };
}
