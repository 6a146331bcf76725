import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { leaseModel } from '../../../src/storage/leases.ts';
import { dumpResources, makeKey } from '../../subgraphs/support.ts';
import { type RestOptions, startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { bodyOf, refusalOf } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let withoutRead: string;
let id: string;
let slug: string;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  withoutRead = await makeKey(app, 'workspace-service', { without: ['configs.read'] });
});
afterAll(() => app.stop());

beforeEach(async () => {
  const made = await app.rest('POST', '/v1/configs', {
    body: { name: 'Mine', config: { provider: '@mock' } },
  });
  id = bodyOf(made).data.id;
  slug = bodyOf(await app.rest('GET', `/v1/configs/${id}`)).data.slug;
});

const read = () => app.rest('GET', `/v1/configs/${id}`);
const tagNow = async () => (await read()).headers.get('etag') ?? '';
const change = (name: string, headers: Record<string, string> = {}, options: RestOptions = {}, at = id) =>
  app.rest('PUT', `/v1/configs/${at}`, { body: { name }, headers, ...options });
const remove = (headers: Record<string, string>) => app.rest('DELETE', `/v1/configs/${id}`, { headers });

describe('an update with If-Match', () => {
  it('changes the resource that is still as it was read, and its answer carries no ETag', async () => {
    const tag = await tagNow();
    const updated = await change('Next', { 'if-match': `"other", ${tag}` });
    expect(updated.status).toBe(200);
    expect(updated.headers.get('etag')).toBeNull();
    expect(await tagNow()).not.toBe(tag);
    expect(bodyOf(await read()).data.name).toBe('Next');
  });

  it('changes nothing once the resource changed', async () => {
    const tag = await tagNow();
    await change('By somebody else');
    const before = await dumpResources(app);
    const refused = await change('Too late', { 'if-match': tag });
    expect(refusalOf(refused)).toEqual({ status: 412, code: 'AB01', param: null });
    expect(refused.headers.get('x-request-id')).toBeTruthy();
    expect(await dumpResources(app)).toBe(before);
  });

  it('takes only the exact tag: a weakened one promises too little', async () => {
    const tag = await tagNow();
    expect((await change('x', { 'if-match': `W/${tag}` })).status).toBe(412);
    for (const malformed of [tag.slice(1, -1), '"', '', '*, "a"', '"a" "b"']) {
      expect(refusalOf(await change('x', { 'if-match': malformed }))).toMatchObject({
        status: 400,
        param: 'if-match',
      });
    }
    expect(await tagNow()).toBe(tag);
  });

  it('of * asks only that the resource exists', async () => {
    expect((await change('Any', { 'if-match': '*' })).status).toBe(200);
    expect((await change('Any', { 'if-match': '*' }, {}, 'no-such-config')).status).toBe(404);
    expect((await change('Any', { 'if-none-match': '*' })).status).toBe(412);
    expect((await change('Any', { 'if-none-match': '"other"' })).status).toBe(200);
  });

  it('is refused like any other where the caller may not read or may not be', async () => {
    const tag = await tagNow();
    const before = await dumpResources(app);
    const statusOf = async (key: string | null) => (await change('x', { 'if-match': tag }, { key })).status;
    expect(await statusOf(null)).toBe(401);
    expect(await statusOf(withoutRead)).toBe(403);
    expect(await statusOf(neighbour.workspaceKey)).toBe(404);
    expect(await dumpResources(app)).toBe(before);
  });

  it('wins exactly once among many that expect the same, by whatever name they call the resource', async () => {
    const tag = await tagNow();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        change(`Writer ${index}`, { 'if-match': tag }, {}, index % 2 ? id : slug),
      ),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    expect(winners).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 412)).toHaveLength(19);
    expect(bodyOf(await read()).data.name).toBe(`Writer ${winners[0]}`);
    expect(await leaseModel(app.db).countDocuments()).toBe(0);
  });

  it('waits for another one, which an update without a condition does not', async () => {
    const lease = `write ${app.organisationId} /configs/{slug}`;
    await leaseModel(app.db).create({
      _id: lease,
      owner: 'elsewhere',
      until: new Date(Date.now() + 600_000),
    });
    let answered = false;
    const waiting = change('Conditional', { 'if-match': '*' }).then((answer) => {
      answered = true;
      return answer;
    });
    expect((await change('Unconditional')).status).toBe(200);
    expect(answered).toBe(false);
    await leaseModel(app.db).deleteOne({ _id: lease });
    expect((await waiting).status).toBe(200);
    expect(bodyOf(await read()).data.name).toBe('Conditional');
  });
});

describe('a removal with If-Match', () => {
  it('removes only what is still as it was read', async () => {
    const tag = await tagNow();
    await change('By somebody else');
    expect((await remove({ 'if-match': tag })).status).toBe(412);
    expect((await read()).status).toBe(200);
    expect((await remove({ 'if-match': await tagNow() })).status).toBe(200);
    expect((await read()).status).toBe(404);
  });

  it('is compared with the whole list where the query says what to remove of it', async () => {
    const { body } = await app.rest('POST', '/v1/integrations', {
      key: app.adminKey,
      body: { name: 'Main', ai_provider_id: 'openai' },
    });
    const path = `/v1/integrations/${(body as { slug: string }).slug}/models`;
    const models = await app.rest('GET', path, { key: app.adminKey });
    const call = (tag: string) =>
      app.rest('DELETE', `${path}?slugs[]=none`, { key: app.adminKey, headers: { 'if-match': tag } });
    expect((await call('"other"')).status).toBe(412);
    expect((await call(models.headers.get('etag') ?? '')).status).not.toBe(412);
  });
});

it('a request to a path whose ETag says nothing about it cannot be conditional', async () => {
  for (const param of ['if-match', 'if-none-match']) {
    const answer = await app.rest('POST', '/v1/configs', {
      headers: { [param]: '*' },
      body: { name: 'x', config: { provider: '@mock' } },
    });
    expect(refusalOf(answer)).toMatchObject({ status: 400, param });
  }
});
