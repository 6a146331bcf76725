import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { auditRows, dataOf, dumpResources, errorOf, makeKey } from '../subgraphs/support.ts';
import type { GraphAnswer, Tenant } from '../support/app.ts';
import { type CountedApp, startCountedApp } from '../support/counted-app.ts';

const secret = 'a-router-secret-of-thirty-two-characters';
const withSecret = { 'x-gateway-router-secret': secret };
const names = ['identity', 'catalog', 'routing', 'insights'];
const nobody = '0192aaaa-0000-7000-8000-000000000000';

let app: CountedApp;
let neighbour: Tenant;
let config: string;

async function createConfig(name: string): Promise<string> {
  const made = await app.rest('POST', '/v1/configs', { body: { name, config: { provider: '@mock' } } });
  return (made.body as { data: { id: string } }).data.id;
}

beforeAll(async () => {
  app = await startCountedApp({ SUBGRAPH_SECRET: secret });
  neighbour = await app.createTenant();
  config = await createConfig('Routed');
});
afterAll(() => app.stop());

type Ask = { variables?: object; key?: string | null; headers?: Record<string, string> };

async function ask(name: string, query: string, { variables = {}, key = app.adminKey, headers }: Ask = {}) {
  const path = `/subgraphs/${name}/graphql`;
  const sent = { ...withSecret, ...headers };
  const answer = await app.rest('POST', path, { key, headers: sent, body: { query, variables } });
  return { ...(answer.body as Omit<GraphAnswer, 'status'>), status: answer.status, headers: answer.headers };
}

const entities = (name: string, representations: unknown, selection: string, options: Ask = {}) =>
  ask(name, `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`, {
    ...options,
    variables: { r: representations },
  });

describe('a subgraph alone', () => {
  it('tells a router its SDL, from which the same graph composes', async () => {
    const services = await Promise.all(
      names.map(async (name) => {
        const { sdl } = dataOf(await ask(name, '{ _service { sdl } }', { key: null }))._service;
        return { name, typeDefs: parse(sdl) };
      }),
    );
    const { supergraphSdl, errors } = composeServices(services);
    expect(errors ?? []).toEqual([]);
    expect(supergraphSdl).toContain('type Workspace');
  });

  it('answers its own fields to whom they belong, and what belongs to others as its id', async () => {
    const query = 'query ($id: ID!) { config(id: $id) { name workspace { id } } }';
    const answer = await ask('routing', query, {
      variables: { id: config },
      key: app.workspaceKey,
      headers: { 'x-request-id': 'routed-1' },
    });
    expect(dataOf(answer)).toEqual({ config: { name: 'Routed', workspace: { id: app.workspaceId } } });
    expect(answer.headers.get('x-request-id')).toBe('routed-1');
    const bearer = { authorization: `Bearer ${app.workspaceKey}` };
    expect(dataOf(await ask('identity', '{ organisation { id } }', { key: null, headers: bearer }))).toEqual({
      organisation: { id: app.organisationId },
    });
    const foreign = await ask('routing', query, { variables: { id: config }, key: neighbour.adminKey });
    expect(errorOf(foreign)).toMatchObject({ code: 'NOT_FOUND' });
  });

  it('loads its entities by reference, in their order', async () => {
    const id = app.workspaceId;
    const references = [nobody, id, id].map((one) => ({ __typename: 'Workspace', id: one }));
    expect(dataOf(await entities('identity', references, '... on Workspace { id name }'))._entities).toEqual([
      null,
      { id, name: 'Default workspace' },
      { id, name: 'Default workspace' },
    ]);
  });

  it('reads no more often for many references than for one', async () => {
    const ids = [config, await createConfig('Second'), await createConfig('Third')];
    const load = (some: string[]) =>
      app.commandsOf(() =>
        entities(
          'routing',
          some.map((id) => ({ __typename: 'Config', id })),
          '... on Config { name versions(limit: 1) { id } workspace { id } }',
        ),
      );
    const one = await load([config]);
    const many = await load(ids);
    expect(dataOf(many.answer)._entities.map((entity: { name: string }) => entity.name)).toEqual([
      'Routed',
      'Second',
      'Third',
    ]);
    const reads = (commands: string[]) => commands.filter((command) => command.startsWith('find config'));
    expect(reads(many.commands)).toEqual(reads(one.commands));
    expect(reads(many.commands)).toContain('find configs');
  });

  it('loads an entity only for those who may read it at its root', async () => {
    const key = await makeKey(app, 'organisation-service', { only: ['workspaces.read'] });
    const references = [
      { __typename: 'Workspace', id: app.workspaceId },
      { __typename: 'ApiKey', id: nobody },
      { __typename: 'Organisation', id: app.organisationId },
    ];
    const selection = '... on Workspace { slug } ... on ApiKey { name } ... on Organisation { id }';
    const { data, errors } = await entities('identity', references, selection, { key });
    expect(data._entities).toEqual([{ slug: expect.anything() }, null, { id: app.organisationId }]);
    expect(errors).toMatchObject([{ path: ['_entities', 1], extensions: { code: 'FORBIDDEN' } }]);
  });

  it('keeps users, invites and members from those who may not read them', async () => {
    const key = await makeKey(app, 'workspace-service', { only: ['workspaces.read'] });
    for (const type of ['User', 'Invite', 'Member']) {
      const { errors } = await entities(
        'identity',
        [{ __typename: type, id: nobody }],
        `... on ${type} { id }`,
        {
          key,
        },
      );
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
    }
  });

  it("answers a reference to another's entity with what the router knew already", async () => {
    const reference = [{ __typename: 'Workspace', id: nobody, name: 'Claimed' }];
    expect(dataOf(await entities('routing', reference, '... on Workspace { id }'))._entities).toEqual([
      { id: nobody },
    ]);
  });

  it('knows nothing but itself', async () => {
    const { errors } = await ask('routing', '{ workspaces { total } }');
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });
});

describe('the router secret', () => {
  it.each([
    ['missing', {}],
    ['empty', { 'x-gateway-router-secret': '' }],
    ['another', { 'x-gateway-router-secret': secret.replace('a', 'b') }],
    ['longer', { 'x-gateway-router-secret': `${secret}x` }],
  ])('%s lets nobody in, whatever the credential, before the body is read', async (_what, headers) => {
    for (const name of [...names, 'nothing']) {
      const answer = await app.rest('POST', `/subgraphs/${name}/graphql`, {
        key: app.adminKey,
        headers: { ...headers, 'content-type': 'application/json', 'x-request-id': 'refused-1' },
        body: '{"query":',
      });
      expect(answer).toMatchObject({
        status: 401,
        body: {
          errors: [
            {
              message: 'The header x-gateway-router-secret is missing or not valid.',
              extensions: { code: 'UNAUTHENTICATED', http: { status: 401 } },
            },
          ],
        },
      });
      expect(answer.headers.get('x-request-id')).toBe('refused-1');
    }
  });

  it('is no credential: fields and entities stay closed', async () => {
    expect(errorOf(await ask('routing', '{ configs { total } }', { key: null }))).toMatchObject({
      code: 'UNAUTHENTICATED',
    });
    const reference = [{ __typename: 'Config', id: config }];
    const { data, errors } = await entities('routing', reference, '... on Config { id }', { key: null });
    expect(data).toEqual({ _entities: [null] });
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    expect(await ask('routing', '{ configs { total } }', { key: 'sl-invalid' })).toMatchObject({
      status: 401,
      errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
    });
  });

  it('opens no other door', async () => {
    expect(await app.rest('GET', '/v1/configs', { key: null, headers: withSecret })).toMatchObject({
      status: 401,
    });
  });
});

describe('a neighbour', () => {
  it('sees no entity of another tenant', async () => {
    const made = await app.graphql(
      `mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id } }`,
      { input: { name: 'Foreign', workspaceId: app.workspaceId, scopes: ['logs.view'] } },
    );
    const keyId = dataOf(made).createWorkspaceServiceApiKey.id;
    const own = dataOf(
      await app.graphql(
        'query ($w: ID!) { integrations { data { id } } providers(workspaceId: $w) { data { id } } }',
        { w: app.workspaceId },
      ),
    );
    await app.rest('POST', '/v1/chat/completions', {
      body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
    await app.logged();
    const logs = dataOf(await app.graphql('{ logs { data { id } } }')).logs.data;
    const all = [
      ['identity', 'Organisation', app.organisationId],
      ['identity', 'Workspace', app.workspaceId],
      ['identity', 'ApiKey', keyId],
      ['catalog', 'Integration', own.integrations.data[0].id],
      ['catalog', 'Provider', own.providers.data[0].id],
      ['routing', 'Config', config],
      ['insights', 'Log', logs[0].id],
    ];
    for (const [name, type, id] of all) {
      const load = async (key: string) => {
        const answer = await entities(name, [{ __typename: type, id }], `... on ${type} { id }`, { key });
        return answer.data?._entities;
      };
      expect([type, await load(neighbour.adminKey)]).toEqual([type, [null]]);
      expect([type, await load(app.adminKey)]).toEqual([type, [{ id }]]);
    }
  });
});

describe('a mutation through a subgraph', () => {
  const create = 'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }';
  const variables = { input: { name: 'Through a router', config: { provider: '@mock' } } };

  it('is done and audited as through any other door, and the trail has no secret', async () => {
    const answer = await ask('routing', create, { variables, key: app.workspaceKey });
    const { id } = dataOf(answer).createConfig;
    const [row, ...more] = await auditRows(app, { targetId: id });
    expect(more).toEqual([]);
    expect(row).toMatchObject({ action: 'create', outcome: 'success', uri: '/subgraphs/routing/graphql' });
    expect(row?.requestHeaders).toContain('x-gateway-router-secret');
    expect(JSON.stringify(row)).not.toContain(secret);
  });

  it('is refused without its scope, recorded, and changes nothing', async () => {
    const key = await makeKey(app, 'workspace-service', { without: ['configs.create'] });
    const before = await dumpResources(app);
    expect(errorOf(await ask('routing', create, { variables, key }))).toMatchObject({ code: 'FORBIDDEN' });
    expect(await dumpResources(app)).toBe(before);
    const refused = await auditRows(app, { outcome: 'refused', uri: '/subgraphs/routing/graphql' });
    expect(refused).toHaveLength(1);
  });
});

describe('a malformed request', () => {
  const bad = (representation: unknown) => [{ __typename: 'Config', id: config }, representation];

  it.each([
    ['null', null],
    ['a text', 'Config'],
    ['a list', []],
    ['nothing', {}],
    ['no id', { __typename: 'Config' }],
    ['an id that is no text', { __typename: 'Config', id: { $gt: '' } }],
    ['no type', { id: 'a' }],
    ['a type that is no text', { __typename: ['Config'], id: 'a' }],
    ['an unknown type', { __typename: 'Nothing', id: 'a' }],
    ['a root type', { __typename: 'Query', id: 'a' }],
    ['a type that is no entity', { __typename: 'ConfigPage', id: 'a' }],
    ['a name of every object', { __typename: 'constructor', id: 'a' }],
  ])('with %s as a representation is the caller’s mistake', async (_what, representation) => {
    const { errors } = await entities('routing', bad(representation), '__typename ... on Config { id }');
    expect(errors).toHaveLength(1);
    expect(errors?.[0]?.extensions.code).toMatch(/VALIDATION_FAILED|BAD_USER_INPUT/);
  });

  it('is answered as at the public door', async () => {
    const post = (body: string) =>
      app.rest('POST', '/subgraphs/routing/graphql', {
        headers: { ...withSecret, 'content-type': 'application/json' },
        body,
      });
    expect(await post('{"query":')).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'MALFORMED_BODY' } }] },
    });
    expect(await post(`{"query":"${'x'.repeat(1024 * 1024)}"}`)).toMatchObject({
      status: 413,
      body: { errors: [{ extensions: { code: 'BODY_TOO_LARGE' } }] },
    });
    expect(await post(`{"query":"{ ${'__typename '.repeat(6000)} }"}`)).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'GRAPHQL_PARSE_FAILED' } }] },
    });
  });

  it('for a subscription is refused: they are for WebSockets and event streams', async () => {
    const query = 'subscription { logAdded { id } }';
    const refused = { status: 400, errors: [{ extensions: { code: 'BAD_REQUEST' } }] };
    expect(await ask('insights', query)).toMatchObject(refused);
    expect(await app.graphql(query)).toMatchObject(refused);
  });

  it('with more representations than an operation may cost is refused', async () => {
    const many = Array.from({ length: 13_000 }, () => ({ __typename: 'Config', id: config }));
    const { errors } = await entities(
      'routing',
      many,
      '... on Config { id name slug status isDefault createdAt lastUpdatedAt updatedBy }',
    );
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
  });

  it('to a subgraph that is not there answers 404', async () => {
    for (const path of ['/subgraphs/billing/graphql', '/subgraphs/routing/graphql/more', '/subgraphs/']) {
      expect(await app.rest('POST', path, { headers: withSecret, body: {} })).toMatchObject({
        status: 404,
        body: { errors: [{ extensions: { code: 'NOT_FOUND' } }] },
      });
    }
  });
});

it('shows browsers no page', async () => {
  const headers = { ...withSecret, accept: 'text/html' };
  const page = await app.rest('GET', '/subgraphs/routing/graphql', { headers });
  expect(page.status).toBe(406);
  expect(page.headers.get('content-type')).not.toMatch(/html/);
});

it('is counted under a door of its own', async () => {
  await ask('routing', '{ __typename }');
  const { body } = await app.rest('GET', '/metrics');
  expect(body).toMatch(/sluice_requests_total\{door="subgraph",status="2xx"\} [1-9]/);
});
