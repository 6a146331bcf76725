import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { OpenApi } from '../../../rest-compat/openapi/document.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { bodyOf } from '../support.ts';
import { describedBy } from './described.ts';

let app: TestApp;
let neighbour: Tenant;
let document: OpenApi;
/** Keys with other rights: to read, and to do something else. */
let reader: string;
let stranger: string;
const ids: Record<string, string> = {};

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  document = (await app.rest('GET', '/openapi.json', { key: null })).body as OpenApi;
  const keyWith = async (scope: string) =>
    bodyOf(
      await app.rest('POST', '/v1/api-keys/workspace/service', {
        key: app.adminKey,
        body: { name: scope, workspace_id: app.workspaceId, scopes: [scope] },
      }),
    ).key;
  [reader, stranger] = [await keyWith('completions.read'), await keyWith('logs.list')];
  const made = await app.rest('POST', '/v1/responses', {
    body: { model: '@mock/mock-1', input: 'Hello', background: true },
  });
  ids.response_id = bodyOf(made).id;
  await eventually(async () =>
    expect((await app.rest('GET', `/v1/responses/${ids.response_id}`)).body).toMatchObject({
      status: 'completed',
    }),
  );
});
afterAll(() => app.stop());

const { mistakesIn, exampleOf } = describedBy(() => document);

const ONE = '/v1/conversations/{conversation_id}';
const filled = (template: string) => template.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'none');

/** In an order in which each finds what it needs. */
const steps: [method: string, template: string][] = [
  ['GET', '/v1/responses/{response_id}'],
  ['GET', '/v1/responses/{response_id}/input_items'],
  ['POST', '/v1/responses/{response_id}/cancel'],
  ['DELETE', '/v1/responses/{response_id}'],
  ['POST', '/v1/conversations'],
  ['GET', ONE],
  ['POST', ONE],
  ['POST', `${ONE}/items`],
  ['GET', `${ONE}/items`],
  ['GET', `${ONE}/items/{item_id}`],
  ['DELETE', `${ONE}/items/{item_id}`],
  ['DELETE', ONE],
];

it.each(steps)('%s %s answers and refuses as it is described', async (method, template) => {
  const described = document.paths[template]?.[method.toLowerCase() as 'post'];
  const body = described?.requestBody ? exampleOf(method, template) : undefined;
  const expectAnswer = async (status: number, options: object, query = '') => {
    const answer = await app.rest(method, filled(template) + query, { body, ...options });
    expect([answer.status, mistakesIn(template, method, answer)]).toEqual([status, []]);
    return answer;
  };
  await expectAnswer(401, { key: null });
  await expectAnswer(403, { key: stranger });
  if (method !== 'GET') await expectAnswer(403, { key: reader });
  await expectAnswer(400, {}, '?colour=red');
  if (template.includes('{')) await expectAnswer(404, { key: neighbour.workspaceKey });
  if (body) {
    await expectAnswer(415, { body: 'text', headers: { 'content-type': 'text/plain' } });
    await expectAnswer(400, { body: { ...body, colour: 'red' } });
  }
  const answer: any = (await expectAnswer(200, method === 'GET' ? { key: reader } : {})).body;
  if (template === '/v1/conversations') ids.conversation_id = answer.id;
  if (template === `${ONE}/items`) ids.item_id = answer.data[0].id;
  if (method === 'DELETE') await expectAnswer(404, {});
});

it('every operation of the family is asked', () => {
  const described = Object.entries(document.paths)
    .filter(([path]) => /^\/v1\/(responses\/|conversations)/.test(path))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`));
  expect(described.sort()).toEqual(steps.map(([method, path]) => `${method} ${path}`).sort());
});
