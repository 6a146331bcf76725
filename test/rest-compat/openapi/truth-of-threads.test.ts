import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { OpenApi } from '../../../rest-compat/openapi/document.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { bodyOf } from '../support.ts';
import { describedBy } from './described.ts';

let app: TestApp;
let neighbour: Tenant;
let document: OpenApi;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  document = (await app.rest('GET', '/openapi.json', { key: null })).body as OpenApi;
  const form = new FormData();
  form.set('file', new File(['The filter is cleaned with water.'], 'manual.txt'));
  form.set('purpose', 'assistants');
  const headers = { authorization: `Bearer ${app.workspaceKey}` };
  const uploaded = await fetch(`${app.url}/v1/files`, { method: 'POST', headers, body: form });
  ids.file_id = ((await uploaded.json()) as { id: string }).id;
});
afterAll(() => app.stop());

const { mistakesIn, takes, exampleOf: exampleAt } = describedBy(() => document);

const exampleOf = (template: string): any => exampleAt('POST', `/v1${template}`);

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
    () => {
      const [output] = exampleOf('/threads/{thread_id}/runs/{run_id}/submit_tool_outputs').tool_outputs;
      return { tool_outputs: [{ ...output, tool_call_id: ids.call_id }] };
    },
  ],
  [
    'POST',
    '/threads/runs',
    () => ({ assistant_id: ids.assistant_id, thread: { messages: [{ role: 'user', content: '/tool' }] } }),
    'run_id',
  ],
  ['POST', '/threads/{thread_id}/runs/{run_id}/cancel'],
  ['POST', '/vector_stores', { name: 'Manuals' }, 'vector_store_id'],
  ['GET', '/vector_stores/{vector_store_id}'],
  ['GET', '/vector_stores'],
  ['POST', '/vector_stores/{vector_store_id}', { name: 'Old manuals' }],
  ['POST', '/vector_stores/{vector_store_id}/search', { query: 'filter' }],
  ['POST', '/vector_stores/{vector_store_id}/file_batches', () => ({ file_ids: [ids.file_id] }), 'batch_id'],
  ['GET', '/vector_stores/{vector_store_id}/file_batches/{batch_id}'],
  ['GET', '/vector_stores/{vector_store_id}/file_batches/{batch_id}/files'],
  ['POST', '/vector_stores/{vector_store_id}/file_batches/{batch_id}/cancel'],
  ['POST', '/vector_stores/{vector_store_id}/files', () => ({ file_id: ids.file_id }), 'file_id'],
  ['GET', '/vector_stores/{vector_store_id}/files/{file_id}'],
  ['GET', '/vector_stores/{vector_store_id}/files/{file_id}/content'],
  ['GET', '/vector_stores/{vector_store_id}/files'],
  ['POST', '/vector_stores/{vector_store_id}/files/{file_id}', { attributes: { language: 'en' } }],
  ['DELETE', '/vector_stores/{vector_store_id}/files/{file_id}'],
  ['DELETE', '/vector_stores/{vector_store_id}'],
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

/** Waits until no file is being indexed: what is read twice must be the same. */
const filesEnded = () =>
  eventually(async () => {
    const { body } = await app.rest('GET', `/v1/vector_stores/${ids.vector_store_id}`);
    expect(body).toMatchObject({ file_counts: { in_progress: 0 } });
  });

it.each(steps.map((step) => [step.slice(0, 2).join(' '), step] as const))(
  '%s answers and refuses as it is described',
  async (_label, step) => {
    const [method, path, given, keeps] = step;
    const body = typeof given === 'function' ? given() : given;
    const template = `/v1${path}`;
    const expectAnswer = async (status: number, options: object, query = '') => {
      const answer = await app.rest(method, filled(template) + query, { body, ...options });
      expect([answer.status, mistakesIn(template, method, answer)]).toEqual([status, []]);
      return answer;
    };
    await expectAnswer(401, { key: null });
    await expectAnswer(400, {}, '?colour=red');
    if (body) await expectAnswer(415, { body: 'text', headers: { 'content-type': 'text/plain' } });
    if (path.includes('{')) await expectAnswer(404, { key: neighbour.workspaceKey });
    if (takes(method, template, 'If-Match'))
      await expectAnswer(412, { headers: { 'if-match': '"another"' } });
    const headers = takes(method, template, 'Idempotency-Key') && { 'idempotency-key': `${method}-${path}` };
    const { body: answer, headers: answered } = await expectAnswer(200, { headers });
    if (headers) {
      const again = await expectAnswer(200, { headers });
      expect([again.headers.get('idempotent-replayed'), again.body]).toEqual(['true', answer]);
      if (body) await expectAnswer(422, { headers, body: { ...body, user: 'another' } });
    }
    if (method === 'GET') await expectAnswer(304, { headers: { 'if-none-match': answered.get('etag') } });
    if (keeps) ids[keeps] = (answer as { id: string }).id;
    if (keeps === 'run_id') await noteRun(answer as { id: string; thread_id: string });
    if (keeps === 'batch_id' || keeps === 'file_id') await filesEnded();
    if (method === 'DELETE') await expectAnswer(404, {});
  },
);

it('every operation of the family is asked', () => {
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(assistants|threads|vector_stores)/.test(path))
    // What answers events alone is asked in test/runs/two-processes.long.test.ts, and lines in test/runs/transfer.test.ts.
    .filter(([path]) => !/\/(events|export|import)$/.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  expect(described.sort()).toEqual(steps.map(([method, path]) => `${method} /v1${path}`).sort());
});

it('every example body is taken, with ids that are there', async () => {
  const post = async (template: string, at: string, known: object = {}): Promise<any> => {
    return bodyOf(await app.rest('POST', `/v1${at}`, { body: { ...exampleOf(template), ...known } }));
  };
  const { id: assistantId } = await post('/assistants', '/assistants');
  await post('/assistants/{assistant_id}', `/assistants/${assistantId}`);
  const { id: threadId } = await post('/threads', '/threads');
  await post('/threads/{thread_id}', `/threads/${threadId}`);
  const messages = `/threads/${threadId}/messages`;
  const { id: messageId } = await post('/threads/{thread_id}/messages', messages);
  await post('/threads/{thread_id}/messages/{message_id}', `${messages}/${messageId}`);
  const assistant = { assistant_id: assistantId };
  const { id: runId } = await post('/threads/{thread_id}/runs', `/threads/${threadId}/runs`, assistant);
  await post('/threads/{thread_id}/runs/{run_id}', `/threads/${threadId}/runs/${runId}`);
  await post('/threads/runs', '/threads/runs', assistant);
  const { id: storeId } = await post('/vector_stores', '/vector_stores');
  await post('/vector_stores/{vector_store_id}', `/vector_stores/${storeId}`);
  await post('/vector_stores/{vector_store_id}/search', `/vector_stores/${storeId}/search`);
  const files = `/vector_stores/${storeId}/files`;
  const named = { file_id: ids.file_id };
  await post('/vector_stores/{vector_store_id}/files', files, named);
  await post('/vector_stores/{vector_store_id}/files/{file_id}', `${files}/${ids.file_id}`);
  const batches = `/vector_stores/${storeId}/file_batches`;
  await post('/vector_stores/{vector_store_id}/file_batches', batches, { file_ids: [ids.file_id] });
});
