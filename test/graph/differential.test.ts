import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type DocumentNode,
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  typeFromAST,
  visit,
} from 'graphql';
import { operationFiles } from '../../rest-compat/index.ts';
import { readOperations } from '../../rest-compat/operation.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { type LocalRemote, serveRemote, subgraphHandler } from '../support/local-remote.ts';
import { randomQuery } from './random-query.ts';

// Every document runs twice: as it is, which the fused executor answers, and with one more root field that a remote
// subgraph answers, which sends the whole operation through stitching.

const { schema } = createGraph(readSources(subgraphs));
const operations = readOperations(schema, operationFiles());

let remote: LocalRemote;
let app: TestApp;
/** Seeded alike; each takes the mutations of one executor. */
let twins: { fused: Seeded; stitched: Seeded };

type Seeded = Tenant & { ids: Record<string, string> };

beforeAll(async () => {
  const sdl = 'type Query { remotePing: Boolean } type Mutation { remotePing: Boolean }';
  const ping = { remotePing: () => true };
  remote = await serveRemote(subgraphHandler(sdl, { Query: ping, Mutation: ping }));
  app = await startApp({ REMOTE_SUBGRAPHS: JSON.stringify([{ name: 'ping', url: remote.url }]) });
  twins = { fused: await seed(app), stitched: await seed(await app.createTenant()) };
  await app.logged();
  for (const twin of [twins.fused, twins.stitched]) {
    const { body } = await app.rest('GET', '/v1/logs', { key: twin.workspaceKey });
    twin.ids.log = (body as { data: { id: string }[] }).data[0]?.id ?? '';
  }
});
afterAll(async () => {
  await app.stop();
  await remote.stop();
});

/** Two configs with versions, an integration, a key, a second workspace and two logs, one of them of a failure. */
async function seed(tenant: Tenant): Promise<Seeded> {
  const { workspaceId, workspaceKey, adminKey } = tenant;
  const send = async (method: string, path: string, body: object, key = workspaceKey) => {
    const answer = await app.rest(method, path, { key, body });
    return answer.body as { id: string; data: { id: string } };
  };
  const config = { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }] };
  const { data: one } = await send('POST', '/v1/configs', { name: 'One', config, is_default: 1 });
  await send('PUT', `/v1/configs/${one.id}`, {
    name: 'Uno',
    config: { ...config, retry: { attempts: 1 } },
  });
  await send('POST', '/v1/configs', { name: 'Two', config });
  await send(
    'POST',
    '/v1/integrations',
    { name: 'Main', slug: 'main', ai_provider_id: 'openai', key: 'sk-0123' },
    adminKey,
  );
  const { id: apiKey } = await send(
    'POST',
    '/v1/api-keys/workspace/service',
    { name: 'Key', workspace_id: workspaceId, scopes: ['configs.list'] },
    adminKey,
  );
  for (const model of ['mock-1', 'mock-error-429']) {
    await app.rest('POST', '/v1/chat/completions', {
      key: workspaceKey,
      body: { model, messages: [{ role: 'user', content: 'Hello' }] },
      headers: { 'x-gateway-config': one.id },
    });
  }
  return {
    ...tenant,
    ids: {
      workspace: workspaceId,
      config: one.id,
      integration: 'main',
      provider: 'mock',
      'api-key': apiKey,
    },
  };
}

type Executor = keyof typeof twins;

const pinged = (document: DocumentNode): DocumentNode =>
  visit(document, {
    OperationDefinition: (node) => ({
      ...node,
      selectionSet: {
        ...node.selectionSet,
        selections: [
          { kind: Kind.FIELD as const, name: { kind: Kind.NAME as const, value: 'remotePing' } },
          ...node.selectionSet.selections,
        ],
      },
    }),
  });

async function run(by: Executor, document: DocumentNode, variables: object, key: string) {
  const text = print(by === 'stitched' ? pinged(document) : document);
  const { status, data, errors = [] } = await app.graphql(text, variables, key);
  if (by === 'stitched' && data) {
    expect(data.remotePing).toBe(true);
    delete data.remotePing;
  }
  const shown = errors.map(({ message, path, extensions }) => ({ message, path, extensions }));
  return { status, data, errors: shown.toSorted((a, b) => String(a.path).localeCompare(String(b.path))) };
}

async function expectSame(document: DocumentNode, variables: object, key: string) {
  const [fused, stitched] = [
    await run('fused', document, variables, key),
    await run('stitched', document, variables, key),
  ];
  expect({ document: print(document), variables, ...stitched }).toEqual({
    document: print(document),
    variables,
    ...fused,
  });
  return fused;
}

const operationOf = ({ definitions }: DocumentNode): OperationDefinitionNode | undefined =>
  definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);

/** Values for an operation's variables: the given ones, else the least that its types ask for. */
function variablesFor(document: DocumentNode, given: Record<string, unknown>): Record<string, unknown> {
  const definitions = operationOf(document)?.variableDefinitions ?? [];
  return Object.fromEntries(
    definitions.flatMap(({ variable: { name }, type, defaultValue }) => {
      if (name.value in given) return [[name.value, given[name.value]]];
      const declared = typeFromAST(schema, type) as GraphQLInputType;
      return isNonNullType(declared) && !defaultValue ? [[name.value, least(declared)]] : [];
    }),
  );
}

function least(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return least(type.ofType);
  if (isListType(type)) return [least(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]?.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).filter(isRequiredInputField);
    return Object.fromEntries(fields.map((field) => [field.name, least(field.type)]));
  }
  const values: Record<string, unknown> = {
    Int: 1,
    Float: 1,
    Boolean: true,
    JSON: {},
    DateTime: '2026-01-01T00:00:00Z',
  };
  return values[type.name] ?? 'sample';
}

const resourceOf = (label: string) => /operations\/([\w-]+)\.graphql/.exec(label)?.[1] ?? '';

/** What the path parameters of a resource's documents are called. */
const idNames = (id: string | undefined, workspaceId: string) => ({
  id,
  slug: id,
  logId: id,
  workspaceId,
  ...today(),
});

const today = () => ({
  startTime: new Date(Date.now() - 3_600_000).toISOString(),
  endTime: new Date(Date.now() + 3_600_000).toISOString(),
});

describe('each REST document that reads', () => {
  it.each(
    operations.filter(({ definition }) => definition.operation === 'query').map((o) => [o.label, o] as const),
  )('%s: same data, same errors', async (label, { document }) => {
    const { ids, workspaceId, adminKey, workspaceKey } = twins.fused;
    const known = variablesFor(document, idNames(ids[resourceOf(label)], workspaceId));
    const keys = [adminKey, workspaceKey];
    const answers = await Promise.all(keys.map((key) => expectSame(document, known, key)));
    // One of the two keys may read it.
    expect(answers.some(({ errors }) => errors.length === 0)).toBe(true);
    await expectSame(document, variablesFor(document, idNames('nope', 'nope')), adminKey);
    await expectSame(document, { ...known, pageSize: 0, currentPage: -1 }, adminKey);
    await expectSame(
      document,
      Object.fromEntries(Object.keys(known).map((name) => [name, { not: 'this' }])),
      adminKey,
    );
  });
});

describe('the examples of the README', () => {
  it('answer the same', async () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    const queries = [...readme.matchAll(/"query": "((?:[^"\\]|\\.)*)"/g)].map(([, query = '']) =>
      JSON.parse(`"${query}"`),
    );
    expect(queries.length).toBeGreaterThan(0);
    for (const query of queries) {
      if (/remotePing|costCenter/.test(query)) continue;
      const { errors } = await expectSame(parse(query), {}, twins.fused.workspaceKey);
      expect(errors).toEqual([]);
    }
  });
});

const handWritten: Record<string, string> = {
  'a join over three subgraphs':
    '{ logs { data { id responseStatusCode config { id name workspace { id name organisation { name } } } provider { slug integration { slug } } apiKey { name workspace { slug } } } } }',
  'an entity without its key': '{ logs { data { config { name } workspace { name } } } }',
  'aliases of one field with other arguments':
    '{ configs { data { a: versions(limit: 1) { number } b: versions(limit: 5) { number } c: name d: name } } }',
  'fragments, directives and type names':
    'query ($on: Boolean = true) { __typename configs { __typename data { ...C ... on Config @include(if: $on) { slug } ... @skip(if: $on) { status } } } } fragment C on Config { workspace { __typename ...W } } fragment W on Workspace { name }',
  'several root fields of several subgraphs':
    '{ workspaces { total } configs { total } providers { total } integrations { total } logs { total } organisation { id name } }',
  'an error of one nullable field among data':
    '{ logs { data { id request { url body } config { name } } } }',
  'a refused root field': '{ auditLogs { total } }',
  'a root field that must not be null and is not there': '{ config(id: "nope") { id } }',
  'an argument out of bounds': '{ configs(pageSize: 0) { total } }',
  'an argument out of bounds below a list': '{ configs { data { name versions(limit: 1000) { number } } } }',
  'a field that asks for another scope':
    '{ logs { data { apiKey { name } workspace { name } provider { slug } } } }',
  'JSON with names of its own': '{ configs { data { config } } apiKeys { data { defaults } } }',
  times: '{ workspaces { data { createdAt lastUpdatedAt } } }',
};

describe('queries written by hand', () => {
  it.each(Object.entries(handWritten))('%s: same data, same errors', async (_what, text) => {
    const { adminKey, workspaceKey } = twins.fused;
    for (const key of [adminKey, workspaceKey, await keyFor(['logs.list', 'configs.list'])]) {
      await expectSame(parse(text), {}, key);
    }
  });

  it('has errors among them, and data', async () => {
    const key = await keyFor(['logs.list', 'logs.view', 'configs.read']);
    const document = parse(
      '{ logs { data { responseStatusCode config { name workspace { name } } provider { slug } } } }',
    );
    const { data, errors } = await expectSame(document, {}, key);
    expect(data.logs.data).toHaveLength(2);
    expect(errors.map(({ path, extensions }) => [path?.join('.'), extensions.code])).toEqual([
      ['logs.data.0.config.workspace', 'FORBIDDEN'],
      ['logs.data.0.provider', 'FORBIDDEN'],
      ['logs.data.1.config.workspace', 'FORBIDDEN'],
      ['logs.data.1.provider', 'FORBIDDEN'],
    ]);
  });
});

const keys = new Map<string, string>();

/** A key of the workspace that may do just this. */
async function keyFor(scopes: string[]): Promise<string> {
  const known = keys.get(scopes.join());
  if (known) return known;
  const { adminKey, workspaceId } = twins.fused;
  const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: adminKey,
    body: { name: 'Limited', workspace_id: workspaceId, scopes },
  });
  const { key } = body as { key: string };
  keys.set(scopes.join(), key);
  return key;
}

describe('random queries', () => {
  it('answer the same', async () => {
    const { ids, workspaceId, adminKey, workspaceKey } = twins.fused;
    const limited = await keyFor(['logs.list', 'configs.list']);
    let [answered, failed] = [0, 0];
    for (let seed = 1; seed <= 150; seed += 1) {
      const text = randomQuery(schema, seed, [...Object.values(ids), workspaceId]);
      const key = [adminKey, workspaceKey, limited][seed % 3] ?? adminKey;
      const { data, errors } = await expectSame(parse(text), {}, key);
      if (data) answered += 1;
      if (errors.length > 0) failed += 1;
    }
    expect(Math.min(answered, failed)).toBeGreaterThan(20);
  });
});

describe('each REST document that writes', () => {
  /** Values of the variables that make a write succeed; the others run with the least that their types ask for. */
  const inputs: Record<string, object> = {
    createConfig: {
      input: { name: 'Three', config: { strategy: { mode: 'single' }, targets: [{ provider: '@mock' }] } },
    },
    updateConfig: { input: { name: 'Third' } },
    createIntegration: { input: { name: 'Other', slug: 'other', aiProviderId: 'openai', key: 'sk-0123' } },
    updateIntegration: { input: { description: 'Changed' } },
    createProvider: { input: { name: 'Second', slug: 'second', integrationId: 'mock' } },
    updateProvider: { input: { note: 'Changed' } },
    createWorkspace: { input: { name: 'Another' } },
    updateWorkspace: { input: { description: 'Changed' } },
    updateApiKey: { input: { name: 'Renamed' } },
    insertLogs: {
      input: [{ request: { url: 'https://example.com', body: {} }, response: { status: 200, body: {} } }],
    },
    createWorkspaceServiceApiKey: { input: { name: 'New', scopes: ['configs.list'] } },
  };

  it('does the same, answers the same and leaves the same behind', async () => {
    const writes = operations.filter(({ definition }) => definition.operation === 'mutation');
    // What is deleted is not there for the others.
    const isDelete = (label: string) => / delete/.test(label);
    const ordered = writes.toSorted((a, b) => Number(isDelete(a.label)) - Number(isDelete(b.label)));
    const succeeded = new Set<string>();
    for (const by of ['fused', 'stitched'] as const) transcripts[by] = [];
    for (const { label, document, definition } of ordered) {
      const name = definition.name?.value ?? '';
      for (const scoped of ['adminKey', 'workspaceKey'] as const) {
        for (const by of ['fused', 'stitched'] as const) {
          const twin = twins[by];
          const given = { ...idNames(twin.ids[resourceOf(label)], twin.workspaceId), ...inputs[name] };
          const answer = await run(by, document, variablesFor(document, given), twin[scoped]);
          if (answer.errors.length === 0) succeeded.add(name);
          transcripts[by].push({ name, scoped, ...answer });
        }
      }
    }
    expect([...succeeded]).toEqual(expect.arrayContaining(Object.keys(inputs)));
    expect(plain(transcripts.stitched)).toEqual(plain(transcripts.fused));
    expect(plain(await everything(twins.stitched))).toEqual(plain(await everything(twins.fused)));
  });

  const transcripts: Record<Executor, object[]> = { fused: [], stitched: [] };

  /** What the tenant's administrator sees of it, audit trail included. */
  async function everything({ adminKey }: Seeded) {
    const document = parse(`query ($startTime: DateTime!, $endTime: DateTime!) {
      configs { data { name status versions { number } } }
      workspaces { data { name description } }
      integrations { data { slug description } }
      auditLogs(startTime: $startTime, endTime: $endTime, pageSize: 100) {
        records { action resourceType responseStatusCode }
      }
    }`);
    const answer = await run('fused', document, today(), adminKey);
    expect(answer.errors).toEqual([]);
    return answer;
  }

  /** Ids, times and keys differ between the twins; the first of each is the first of the other. */
  function plain(value: object): unknown {
    const seen = new Map<string, string>();
    const text = JSON.stringify(value)
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replace(/sl-[\w*.-]+/g, '<key>')
      .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => {
        if (!seen.has(id)) seen.set(id, `<id ${seen.size}>`);
        return seen.get(id) ?? '';
      })
      .replace(/\b(pc|ws|key|cv|int|pv)-[\w-]{4,}/g, '<slug>');
    return JSON.parse(text);
  }
});
