import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { OpenApi, Response } from '../../../rest-compat/openapi/document.ts';
import { startApp, type TestApp } from '../../support/app.ts';
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
const filled = (template: string) => template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');

/** The operations in an order in which each finds what it needs; the name of the id that an answer brings. */
const steps: [method: string, template: string, body?: object, keeps?: string][] = [
  ['POST', '/assistants', { model: '@mock/mock-1' }, 'assistant_id'],
  ['GET', '/assistants/{assistant_id}'],
  ['POST', '/assistants/{assistant_id}', { name: 'Ada' }],
  ['GET', '/assistants'],
  ['POST', '/threads', {}, 'thread_id'],
  ['GET', '/threads/{thread_id}'],
  ['POST', '/threads/{thread_id}', { metadata: { a: 'b' } }],
  ['POST', '/threads/{thread_id}/messages', { role: 'user', content: 'Hello' }, 'message_id'],
  ['GET', '/threads/{thread_id}/messages/{message_id}'],
  ['POST', '/threads/{thread_id}/messages/{message_id}', { metadata: { a: 'b' } }],
  ['GET', '/threads/{thread_id}/messages'],
  ['DELETE', '/threads/{thread_id}/messages/{message_id}'],
  ['DELETE', '/threads/{thread_id}'],
  ['DELETE', '/assistants/{assistant_id}'],
];

it.each(steps.map((step) => [step.slice(0, 2).join(' '), step] as const))(
  '%s answers and refuses as it is described',
  async (_label, step) => {
    const [method, path, body, keeps] = step;
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
    if (method === 'DELETE') await expectAnswer(404, {});
  },
);

it('every operation of the family is asked', () => {
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(assistants|threads)/.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  expect(described.sort()).toEqual(steps.map(([method, path]) => `${method} /v1${path}`).sort());
});
