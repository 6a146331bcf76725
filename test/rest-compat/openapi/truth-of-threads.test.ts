import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { OpenApi, Response } from '../../../rest-compat/openapi/document.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { mistakesOf } from './schema-mistakes.ts';

let app: TestApp;
let document: OpenApi;
beforeAll(async () => {
  app = await startApp();
  document = (await app.rest('GET', '/openapi.json', { key: null })).body as OpenApi;
});
afterAll(() => app.stop());

/** What the description of an operation says of an answer, and the answer does not keep to. */
function mistakesIn(template: string, method: string, status: number, body: unknown): string[] {
  const operation = document.paths[template]?.[method.toLowerCase() as 'get'];
  const said = operation?.responses[status];
  if (!said) return [`${method} ${template} answers ${status}, which its description does not know.`];
  const answer =
    '$ref' in said
      ? document.components.responses[said.$ref.replace('#/components/responses/', '')]
      : (said as Response);
  return mistakesOf(body, answer?.content?.['application/json']?.schema ?? {}, document.components.schemas);
}

const ids: Record<string, string> = {};
const filled = (template: string) => {
  // The message is one of the first thread, and the run that is cancelled one of the second.
  const threadId = template.includes('{message_id}') ? (ids.other_thread_id ?? ids.thread_id) : ids.thread_id;
  return template.replace(
    /\{(\w+)\}/g,
    (_, name: string) => (name === 'thread_id' ? threadId : ids[name]) ?? 'none',
  );
};

/** The operations in an order in which each finds what it needs; the name of the id that an answer brings. */
const steps: [method: string, template: string, body?: object | (() => object), keeps?: string][] = [
  [
    'POST',
    '/assistants',
    { model: '@mock/mock-1', tools: [{ type: 'function', function: { name: 'f' } }] },
    'assistant_id',
  ],
  ['GET', '/assistants/{assistant_id}'],
  ['POST', '/assistants/{assistant_id}', { name: 'Ada' }],
  ['GET', '/assistants'],
  ['POST', '/threads', {}, 'thread_id'],
  ['GET', '/threads/{thread_id}'],
  ['POST', '/threads/{thread_id}', { metadata: { a: 'b' } }],
  ['POST', '/threads/{thread_id}/messages', { role: 'user', content: '/tool' }, 'message_id'],
  ['GET', '/threads/{thread_id}/messages/{message_id}'],
  ['POST', '/threads/{thread_id}/messages/{message_id}', { metadata: { a: 'b' } }],
  ['GET', '/threads/{thread_id}/messages'],
  ['POST', '/threads/{thread_id}/runs', () => ({ assistant_id: ids.assistant_id }), 'run_id'],
  ['GET', '/threads/{thread_id}/runs/{run_id}'],
  ['GET', '/threads/{thread_id}/runs'],
  ['POST', '/threads/{thread_id}/runs/{run_id}', { metadata: { a: 'b' } }],
  ['GET', '/threads/{thread_id}/runs/{run_id}/steps'],
  ['GET', '/threads/{thread_id}/runs/{run_id}/steps/{step_id}'],
  [
    'POST',
    '/threads/{thread_id}/runs/{run_id}/submit_tool_outputs',
    () => ({ tool_outputs: [{ tool_call_id: ids.call_id, output: 'x' }] }),
  ],
  [
    'POST',
    '/threads/runs',
    () => ({ assistant_id: ids.assistant_id, thread: { messages: [{ role: 'user', content: '/tool' }] } }),
    'run_id',
  ],
  ['POST', '/threads/{thread_id}/runs/{run_id}/cancel'],
  ['DELETE', '/threads/{thread_id}/messages/{message_id}'],
  ['DELETE', '/threads/{thread_id}'],
  ['DELETE', '/assistants/{assistant_id}'],
];

/** Waits until the run asks for outputs, and notes what the next operations name. */
async function noteRun({ id, thread_id: threadId }: { id: string; thread_id: string }): Promise<void> {
  const own = ids.thread_id;
  const at = `/v1/threads/${threadId}/runs/${id}`;
  const run: any = await eventually(async () => {
    const { body } = await app.rest('GET', at);
    expect(body).toMatchObject({ status: 'requires_action' });
    return body;
  });
  const { body: list } = (await app.rest('GET', `${at}/steps`)) as any;
  Object.assign(ids, {
    call_id: run.required_action.submit_tool_outputs.tool_calls[0].id,
    step_id: list.data[0].id,
    other_thread_id: own,
    thread_id: threadId,
  });
}

it.each(steps.map((step) => [step.slice(0, 2).join(' '), step] as const))(
  '%s answers and refuses as it is described',
  async (_label, step) => {
    const [method, path, given, keeps] = step;
    const body = typeof given === 'function' ? given() : given;
    const template = `/v1${path}`;
    const expectAnswer = async (status: number, options: object, query = '') => {
      const answer = await app.rest(method, filled(template) + query, { body, ...options });
      expect([answer.status, mistakesIn(template, method, status, answer.body)]).toEqual([status, []]);
      return answer.body;
    };
    await expectAnswer(401, { key: null });
    await expectAnswer(400, {}, '?colour=red');
    if (body) await expectAnswer(415, { body: 'text', headers: { 'content-type': 'text/plain' } });
    const answer = await expectAnswer(200, {});
    if (keeps) ids[keeps] = (answer as { id: string }).id;
    if (keeps === 'run_id') await noteRun(answer as { id: string; thread_id: string });
    if (method === 'DELETE') await expectAnswer(404, {});
  },
);

it('every operation of the family is asked', () => {
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(assistants|threads)/.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  expect(described.sort()).toEqual(steps.map(([method, path]) => `${method} /v1${path}`).sort());
});
