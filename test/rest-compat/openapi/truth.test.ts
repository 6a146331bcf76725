import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  Method,
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
  Response,
  Schema,
} from '../../../rest-compat/openapi/document.ts';
import { inferenceOperations } from '../../../src/dataplane/call/operations.ts';
import { uuid } from '../../../src/lib/ids.ts';
import { type Answer, type RestOptions, startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { eventually } from '../../support/eventually.ts';
import { addUser } from '../../support/users.ts';
import { bodyOf } from '../support.ts';
import { mistakesOf } from './schema-mistakes.ts';

type Call = { path: string; method: Method; operation: OpenApiOperation };

let app: TestApp;
let neighbour: Tenant;
let document: OpenApi;
let token: string;
let neighbourToken: string;
/** Users of the organisation that nobody has used yet, in the workspace and outside. */
let members: string[];
let strangers: string[];
/** A group of the identity provider. */
let groupId: string;
/** A guardrail of the organisation that is enforced. */
let enforcedId: string;
/** What the writes made, by the path that it was sent to. */
const made = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  [token, neighbourToken] = [await app.token(), await app.token(neighbour)];
  document = (await app.rest('GET', '/openapi.json', { key: null })).body as OpenApi;
  const integration = {
    name: 'Main',
    slug: 'openai-main',
    ai_provider_id: 'openai',
    workspace_id: app.workspaceId,
  };
  bodyOf(await app.rest('POST', '/v1/integrations', { key: app.adminKey, body: integration }));
  const log = {
    request: { url: 'https://provider.example', body: {} },
    response: { body: {} },
    metadata: { _user: 'ann', team: 'ads' },
  };
  bodyOf(await app.rest('POST', '/v1/logs', { body: log }));
  members = await users({ inWorkspace: 'member' });
  strangers = await users({});
  const group = await app.graphql(
    'mutation { createScimGroup(input: { displayName: "Analysts" }) { id } }',
    {},
    app.adminKey,
  );
  groupId = group.data.createScimGroup.id;
  const checks = [{ id: 'default.wordCount', parameters: { maxWords: 500 } }];
  const enforced = { name: 'Enforced', checks };
  enforcedId = bodyOf(await app.rest('POST', '/v1/org-guardrails', { key: app.adminKey, body: enforced })).id;
  for (const { operation, path } of callsOf('put')) {
    const body = enforcements[operation.operationId]?.();
    if (body) bodyOf(await app.rest('PUT', path, { key: app.adminKey, body }));
  }
});
afterAll(() => app.stop());

const users = (place: { inWorkspace?: 'member' }): Promise<string[]> =>
  Promise.all(Array.from({ length: 16 }, async () => (await addUser(app, place))._id));

/** What truth-of-threads.test.ts, truth-of-responses.test.ts, truth-of-mcp.test.ts and test/files ask. */
const askedElsewhere =
  /^\/v1\/(assistants|threads|responses|conversations|files|uploads|batches|vector_stores)\b|^\/v[12]\/mcp-|^\/v0\.1\//;

/** The administration's operations, each on the first of its surfaces; not the links that need no credential. */
const callsOf = (...methods: Method[]): Call[] =>
  everyCall(...methods).filter(
    ({ path, operation: { tags, operationId, security } }) =>
      security.length > 0 &&
      tags.every((tag) => !/^(Inference|Authentication)$/.test(tag) && !operationId.includes('_')) &&
      !askedElsewhere.test(path),
  );

const everyCall = (...methods: Method[]): Call[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation ? [{ path, method, operation }] : [];
    }),
  );

/** What a query needs and the description cannot know. */
const queries: Record<string, string> = {
  start_time: '2000-01-01T00:00:00Z',
  end_time: '2999-01-01T00:00:00Z',
  slugs: 'search-team',
  type: 'workspace-service',
  time_of_generation_min: new Date(Date.now() - 3_600_000).toISOString(),
  time_of_generation_max: new Date(Date.now() + 3_600_000).toISOString(),
};

/** What answers of an unknown item as of one that the credential may not touch. */
const asForbidden = new Set(['getGuardrail', 'updateGuardrail', 'deleteGuardrail']);

/** What stands in a path and is no id. */
const words: Record<string, string> = { '{groupBy}': 'model', '{metadataKey}': 'team' };

const inviteOf = (name: string) => ({
  email: `${name}@example.com`,
  role: 'member',
  workspaces: [{ id: app.workspaceId, role: 'member' }],
});

const exclusions = () => ({ workspaces: [{ workspace_id: app.workspaceId, excluded: true }] });

/** Bodies of updates without which the reads of the same paths would show nothing. */
const enforcements: Record<string, () => unknown> = {
  updateOrganisationDefaults: () => ({ input_guardrails: [enforcedId], output_guardrails: [enforcedId] }),
  updateInputGuardrailExclusions: exclusions,
  updateOutputGuardrailExclusions: exclusions,
};

/** Bodies that name what only this test knows. */
const bodies: Record<string, () => unknown> = {
  ...enforcements,
  updateIntegrationModels: () => ({ models: [{ slug: 'search-team', enabled: true, is_custom: true }] }),
  createAccessPolicy: () => ({
    principal: `${uuid()}@example.com`,
    resource: `prn:${app.tsgId}::::`,
    role: 'view_only_admin',
  }),
  createUserInvite: () => inviteOf(uuid()),
  createWorkspaceMembers: () => ({ users: [{ id: strangers.pop(), role: 'member' }] }),
  identifyApiKey: () => ({ secret: app.workspaceKey }),
  createScimWorkspaceMapping: () => ({
    workspace_id: app.workspaceId,
    role: 'member',
    scim_group_id: groupId,
  }),
  createSecretReference: () => ({
    name: 'Vault',
    manager_type: 'hashicorp_vault',
    secret_path: 'secret/data/openai',
    auth_config: {
      vault_auth_type: 'token',
      vault_addr: 'https://vault.example.com',
      vault_token: 'hvs.some-token',
    },
  }),
  updateIntegrationWorkspaces: () => ({ workspaces: [{ id: app.workspaceId, enabled: true }] }),
};

const newExport = () =>
  app.rest('POST', '/v1/logs/exports', { body: { filters: {}, requested_data: ['id'] } });

/** An export in a state that only a run would bring it to. */
async function exportThat(status: string): Promise<Answer> {
  const answer = await newExport();
  const { id } = answer.body as { id: string };
  await app.db
    .collection('log_exports')
    .updateOne({ _id: id as never }, { $set: { status, attempt: 'none' } });
  return answer;
}

/** A key that a policy has rotated, so that its secret waits for somebody. */
async function rotatedKey(): Promise<Answer> {
  const body = { name: 'x', scopes: ['logs.list'], rotation_policy: { rotation_period_days: 1 } };
  const answer = await app.rest('POST', '/v1/api-keys/workspace/service', { body });
  const key = { _id: bodyOf(answer).id as never };
  const keys = app.db.collection('api_keys');
  await keys.updateOne(key, { $set: { 'rotationPolicy.nextRotationAt': new Date(Date.now() - 1000) } });
  await eventually(async () => expect(await keys.findOne(key)).toHaveProperty('unseenSecret'));
  return answer;
}

/** Items for the actions that one item takes only once. */
const items: Record<string, () => Promise<Answer>> = {
  startLogExport: newExport,
  cancelLogExport: () => exportThat('in_progress'),
  downloadLogExport: () => exportThat('success'),
  revealApiKey: rotatedKey,
  rotateApiKey: () =>
    app.rest('POST', '/v1/api-keys/workspace/service', { body: { name: 'x', scopes: ['logs.list'] } }),
  resendUserInvite: () =>
    app.rest('POST', '/v1/admin/users/invites', { key: app.adminKey, body: inviteOf(uuid()) }),
};

/** What the operations take that know no `name`. */
const otherBodies: Record<string, object> = {
  startLogExport: {},
  cancelLogExport: {},
  rotateApiKey: {},
  revealApiKey: {},
  identifyApiKey: { secret: 'another' },
  resendUserInvite: {},
  checkAdmission: { path: '/v1/models' },
  checkGuardrails: { text: 'another' },
  createFeedback: { trace_id: 'another', value: 0 },
};

/** The ways in which posts name what they made. */
type Made = { id?: string; data?: { id?: string; slug?: string }; feedback_ids?: string[] };

/** Organisation-wide where the operation may need it; what belongs to one workspace is made by a key of it. */
const keyFor = ({ path }: Call, tenant: Tenant = app): string => {
  if (!path.startsWith('/v1/')) return tenant === app ? token : neighbourToken;
  return /^\/v1\/(analytics|logs|feedback|gateway|providers|virtual-keys|configs|guardrails|policies|api-keys\/workspace)/.test(
    path,
  )
    ? tenant.workspaceKey
    : tenant.adminKey;
};

const queryOf = ({ operation }: Call): string => {
  const required = operation.parameters.filter(
    (parameter): parameter is OpenApiParameter =>
      'name' in parameter && parameter.in === 'query' && parameter.required === true,
  );
  const values = { ...queries, workspace_slug: app.workspaceId };
  return required.map(({ name }) => `${name}=${values[name as keyof typeof values]}`).join('&');
};

/** Users come from invites, not from a POST: each of these paths gets one of its own. */
function pathOfSomebody({ path }: Call): string | null {
  if (!/\/users\/\{userId\}|\/workspaces\/\{workspaceId\}\/users/.test(path)) return null;
  const isMember = path.includes('{workspaceId}');
  const user = path.includes('{userId}') ? (isMember ? members : strangers).pop() : '';
  return path.replace('{workspaceId}', app.workspaceId).replace('{userId}', user ?? '');
}

const isPublic = ({ operation }: Call): boolean => operation.security.length === 0;

const withWords = (path: string): string =>
  Object.entries(words).reduce((text, [placeholder, word]) => text.replace(placeholder, word), path);

/** `/v1/configs/{slug}/versions` -> the slug of the first row of `/v1/configs`. */
async function pathOf(call: Call): Promise<string> {
  const somebody = pathOfSomebody(call);
  if (somebody !== null) return somebody;
  const path = withWords(call.path);
  const [list = '', rest] = path.split(/\/\{\w+\}/);
  if (rest === undefined) return list;
  const { data, mappings = data } = bodyOf(await app.rest('GET', list, { key: keyFor(call) }));
  return call.path.replace(/\{\w+\}/, mappings[0].id ?? mappings[0].slug);
}

/** Where a POST goes: a list, or an item that is there for it alone. */
async function postPathOf(call: Call): Promise<string> {
  const { path, operation } = call;
  const item = items[operation.operationId];
  return item ? path.replace(/\{\w+\}/, bodyOf(await item()).id) : (pathOfSomebody(call) ?? path);
}

const madeBelow = (call: Call): string => {
  const { path } = call;
  const somebody = pathOfSomebody(call);
  if (somebody !== null) return somebody;
  const [list = ''] = path.split('/{');
  const [, id = ''] = [...made].find(([sentTo]) => sentTo.startsWith(list)) ?? [];
  return path.replace(/\{\w+\}/, id);
};

function described({ operation, method, path }: Call, status: number): Schema {
  const answer = operation.responses[status];
  if (!answer) throw new Error(`${method} ${path} answers ${status}, which its description does not know.`);
  const resolved =
    '$ref' in answer
      ? document.components.responses[answer.$ref.replace('#/components/responses/', '')]
      : (answer as Response);
  return resolved?.content?.['application/json']?.schema ?? {};
}

const mistakes = (call: Call, answer: Answer) =>
  mistakesOf(answer.body, described(call, answer.status), document.components.schemas);

async function send(call: Call, path: string, body?: unknown, options: RestOptions = {}) {
  const query = queryOf(call);
  const target = query ? `${path}?${query}` : path;
  return app.rest(call.method.toUpperCase(), target, { key: keyFor(call), body, ...options });
}

/** Headers that the description promises and the answer does not have. */
const lackingHeaders = ({ operation }: Call, answer: Answer): string[] => {
  const { headers = {} } = operation.responses[answer.status] as Response;
  return Object.keys(headers).filter(
    (name) => name !== 'Idempotent-Replayed' && answer.headers.get(name) === null,
  );
};

const exampleOf = ({ operation }: Call): unknown =>
  (bodies[operation.operationId] ?? (() => operation.requestBody?.content['application/json']?.example))();

/** Runs the calls one after the other and gathers what their descriptions got wrong. */
async function wrongOnes(calls: Call[], run: (call: Call) => Promise<Answer>) {
  const wrong: object[] = [];
  for (const call of calls) {
    const answer = await run(call);
    const found =
      answer.status === 200 || answer.status === 201
        ? [...mistakes(call, answer), ...lackingHeaders(call, answer)]
        : [JSON.stringify(answer.body)];
    if (found.length > 0) wrong.push({ operation: call.operation.operationId, status: answer.status, found });
  }
  return wrong;
}

describe('what the description says is true:', () => {
  it('every example body is taken, and every post answers as described', async () => {
    const wrong = await wrongOnes(callsOf('post'), async (call) => {
      const answer = await send(call, await postPathOf(call), exampleOf(call));
      const { id, data, feedback_ids: ids } = answer.body as Made;
      // What an action answers is no new item.
      if (!(call.operation.operationId in otherBodies) || ids)
        made.set(call.path, id ?? data?.id ?? data?.slug ?? ids?.[0] ?? '');
      return answer;
    });
    expect(wrong).toEqual([]);
  });

  it('every read answers as described, with rows', async () => {
    const empty: string[] = [];
    const wrong = await wrongOnes(callsOf('get'), async (call) => {
      const answer = await send(call, await pathOf(call));
      const { data, records = data } = answer.body as { data?: unknown; records?: unknown };
      // Entities come from calls, as limit-entities.test.ts makes them.
      const mayBeEmpty = call.path.endsWith('/entities');
      if (Array.isArray(records) && records.length === 0 && !mayBeEmpty) empty.push(call.path);
      return answer;
    });
    expect(wrong).toEqual([]);
    expect(empty).toEqual([]);
  });

  it('every read for everybody answers as described', async () => {
    const open = everyCall('get').filter((call) => isPublic(call) && call.path.includes('/model-configs/'));
    const wrong = await wrongOnes(open, ({ path }) => {
      const known = path.replace('{provider}', 'openai').replace('{model}', 'gpt-4o');
      return app.rest('GET', known, { key: null });
    });
    expect(wrong).toEqual([]);
    expect(open).toHaveLength(9);
  });

  it('every read answers 304 to whoever has its answer, every write obeys the headers it names', async () => {
    const wrong: object[] = [];
    const expectStatus = (call: Call, status: number, answer: Answer) => {
      const isDescribed = call.operation.responses[status] !== undefined;
      if (answer.status !== status || !isDescribed) {
        wrong.push({ operation: call.operation.operationId, status: answer.status, isDescribed });
      }
    };
    const named = ({ operation }: Call, name: string) =>
      operation.parameters.some((parameter) => '$ref' in parameter && parameter.$ref.endsWith(`/${name}`));
    for (const call of callsOf('get')) {
      const path = await pathOf(call);
      const etag = (await send(call, path)).headers.get('etag') ?? '';
      expectStatus(call, 304, await send(call, path, undefined, { headers: { 'if-none-match': etag } }));
    }
    for (const call of callsOf('put', 'delete').filter((each) => named(each, 'If-Match'))) {
      const headers = { 'if-match': '"another"' };
      expectStatus(call, 412, await send(call, madeBelow(call), exampleOf(call), { headers }));
    }
    for (const call of callsOf('post').filter((each) => named(each, 'Idempotency-Key'))) {
      const headers = { 'idempotency-key': `once-${call.path}` };
      const [path, body] = [await postPathOf(call), exampleOf(call)];
      const first = await send(call, path, body, { headers });
      const again = await send(call, path, body, { headers });
      if (again.headers.get('idempotent-replayed') !== 'true') wrong.push({ call, first, again });
      const other = otherBodies[call.operation.operationId] ?? { name: 'another' };
      expectStatus(call, 422, await send(call, path, other, { headers }));
    }
    expect(wrong).toEqual([]);
  });

  it('every update and delete answers as described', async () => {
    // Calls make entities, and rest-compat/limit-entities.test.ts sets them back.
    const updates = callsOf('put').filter(({ path }) => !path.includes('{entityId}'));
    expect(await wrongOnes(updates, (call) => send(call, madeBelow(call), exampleOf(call)))).toEqual([]);
    // An integration that a provider uses stays.
    const { data } = bodyOf(await app.rest('GET', '/v1/providers'));
    for (const { slug, integration_id: integration } of data) {
      if (integration !== made.get('/v1/integrations')) continue;
      bodyOf(await app.rest('DELETE', `/v1/providers/${slug}`));
    }
    const deepestFirst = callsOf('delete').sort((a, b) => b.path.length - a.path.length);
    const wrong = await wrongOnes(deepestFirst, async (call) => {
      const path = madeBelow(call);
      // Models go by either of two paths; each call finds one that is there.
      if (/models$/.test(path))
        bodyOf(await app.rest('PUT', path, { key: app.adminKey, body: bodies.updateIntegrationModels?.() }));
      return send(call, path);
    });
    expect(wrong).toEqual([]);
  });

  it('every refusal is described: no credential, a strange parameter, an unknown body, a neighbour', async () => {
    const wrong: object[] = [];
    const expectRefusal = async (call: Call, status: number, answer: Answer) => {
      const found = mistakes(call, answer);
      if (answer.status !== status || found.length > 0) {
        wrong.push({ operation: call.operation.operationId, status: answer.status, found });
      }
    };
    for (const call of callsOf('get', 'post', 'put', 'delete')) {
      const path = call.path.replace(/\{\w+\}/, 'none');
      const body = exampleOf(call);
      const method = call.method.toUpperCase();
      await expectRefusal(call, 401, await send(call, path, body, { key: null }));
      await expectRefusal(
        call,
        400,
        await app.rest(method, `${path}?colour=red`, { key: keyFor(call), body }),
      );
      if (withWords(call.path).includes('{')) {
        const unknown = asForbidden.has(call.operation.operationId) ? 403 : 404;
        await expectRefusal(call, unknown, await send(call, path, body, { key: keyFor(call, neighbour) }));
      }
      if (!call.operation.requestBody) continue;
      const headers = { 'content-type': 'text/plain' };
      await expectRefusal(
        call,
        415,
        await app.rest(method, path, { key: keyFor(call), body: 'text', headers }),
      );
    }
    expect(wrong).toEqual([]);
  });

  it('no surface answers without its credential', async () => {
    const wrong: object[] = [];
    for (const call of everyCall('get', 'post', 'put', 'delete')) {
      if (!/^\/(admin|v2|iam)\//.test(call.path) || isPublic(call)) continue;
      for (const key of [null, app.adminKey]) {
        const answer = await send(call, call.path.replace(/\{\w+\}/, 'none'), exampleOf(call), { key });
        const found = mistakes(call, answer);
        if (answer.status !== 401 || found.length > 0) {
          wrong.push({ operation: call.operation.operationId, status: answer.status, found });
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('inference answers and refuses as described', async () => {
    const all = everyCall('get', 'post', 'put', 'delete');
    const calls = all.filter(({ operation }) => operation.tags.includes('Inference'));
    const namesOf = (some: Call[]) => some.map(({ operation }) => operation.operationId);
    // What the gateway keeps where no provider is named is described as its own.
    const own = new Set(namesOf(all.filter((call) => !calls.includes(call))));
    expect(namesOf(calls).sort()).toEqual(
      inferenceOperations
        .map(({ operationId }) => operationId)
        .filter((name) => !own.has(name))
        .sort(),
    );
    // What the mock provider has; the others: test/dataplane/call/routes.test.ts
    const answered = calls.filter((call) => call.path === '/v1/models' || exampleOf(call) !== undefined);
    expect(answered).toHaveLength(4);
    const wrong = await wrongOnes(answered, (call) =>
      send(call, call.path, exampleOf(call), { key: app.workspaceKey }),
    );
    expect(wrong).toEqual([]);
    const { schemas } = document.components;
    for (const call of calls) {
      const path = call.path.replace(/\{\w+\}/, 'none');
      const { status, body } = await send(call, path, exampleOf(call), { key: null });
      const failure = call.operation.responses.default;
      const described =
        (failure && 'content' in failure && failure.content?.['application/json']?.schema) || {};
      const found = mistakesOf(body, described, schemas);
      expect({ path: call.path, status, found }).toEqual({ path: call.path, status: 401, found: [] });
    }
  });
});
