import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listen } from '../../../src/http/server.ts';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { logExportModel } from '../../../src/subgraphs/insights/log-export/index.ts';
import { bodyOf, id, refusalOf, time } from '../../rest-compat/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { logEntry } from '../../support/logs.ts';
import { until } from '../../support/world.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dumpResources, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let directory: string;
/** A draft that stays one. */
let draft: string;

const minute = (number: number) => new Date(Date.UTC(2026, 0, 1, 0, number));

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-export-'));
  app = await startApp({ DATA_DIR: directory });
  neighbour = await app.createTenant();
  const owner = { organisationId: app.organisationId, workspaceId: app.workspaceId };
  await writeLogs(
    nativeDb(app.db),
    Array.from({ length: 12 }, (_, number) =>
      logEntry(owner, {
        traceId: `trace-${number}`,
        createdAt: minute(number),
        responseStatusCode: number % 2 ? 200 : 429,
        isSuccess: number % 2 === 1,
        aiModel: number < 6 ? 'gpt-4o' : 'gpt-5',
        metadata: number === 3 ? { _prompt: 'greeting', team: 'ads' } : {},
      }),
    ),
  );
  draft = await create({}, ['id']);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

const call = (method: string, path: string, body?: unknown, key = app.workspaceKey) =>
  app.rest(method, `/v1/logs/exports${path}`, { key, body });
const create = async (filters: object, fields: string[], key?: string): Promise<string> =>
  bodyOf(await call('POST', '', { filters, requested_data: fields }, key)).id;
const statusOf = async (exportId: string) => bodyOf(await call('GET', `/${exportId}`)).status;
/** Starts an export and waits for its end. */
async function run(exportId: string): Promise<string> {
  expect(bodyOf(await call('POST', `/${exportId}/start`))).toEqual({
    message: 'Export started.',
    object: 'export',
  });
  return until(async () => {
    const status = await statusOf(exportId);
    return status !== 'in_progress' && status;
  });
}
const linkTo = async (exportId: string): Promise<string> =>
  bodyOf(await call('GET', `/${exportId}/download`)).signed_url;
async function linesOf(exportId: string): Promise<any[]> {
  const answer = await fetch(await linkTo(exportId));
  expect(answer.headers.get('content-type')).toBe('application/jsonl');
  const text = await answer.text();
  return text.split('\n').flatMap((line) => (line ? [JSON.parse(line)] : []));
}
const store = (exportId: string, change: object) =>
  logExportModel(app.db).updateOne({ _id: exportId }, change);

const operation = (document: string, audit?: string) => ({
  document,
  variables: () => ({ id: draft }),
  scopes: ['logs.export'],
  audit,
  addressed: true,
});

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  createLogExport: {
    document: 'mutation { createLogExport(input: { filters: {}, requestedData: [id] }) { id } }',
    scopes: ['logs.export'],
    audit: 'log_export.create',
  },
  logExports: { document: '{ logExports { total } }', scopes: ['logs.export'] },
  logExportFieldRestrictions: {
    document: '{ logExportFieldRestrictions { deniedFields } }',
    scopes: ['logs.export'],
  },
  logExport: operation('query ($id: ID!) { logExport(id: $id) { id } }'),
  logExportDownload: operation('query ($id: ID!) { logExportDownload(id: $id) { signedUrl } }'),
  updateLogExport: operation(
    'mutation ($id: ID!) { updateLogExport(id: $id, input: { filters: {} }) { id } }',
    'log_export.update',
  ),
  startLogExport: operation(
    'mutation ($id: ID!) { startLogExport(id: $id) { message } }',
    'log_export.start',
  ),
  cancelLogExport: operation(
    'mutation ($id: ID!) { cancelLogExport(id: $id) { message } }',
    'log_export.cancel',
  ),
});

describe('a log export', () => {
  it('is drawn up, changed, started and downloaded as lines of JSON, oldest first', async () => {
    const filters = { time_of_generation_min: minute(2).toISOString(), status_code: '200, 201' };
    const made = bodyOf(
      await call('POST', '', { filters, requested_data: ['id', 'trace_id'], description: 'January' }),
    );
    expect(made).toEqual({ id, total: 5, object: 'export' });
    const changed = { filters: { ...filters, ai_model: 'gpt-4o' } };
    expect(bodyOf(await call('PUT', `/${made.id}`, changed))).toEqual({ ...made, total: 2 });
    const shown = bodyOf(await call('GET', `/${made.id}`));
    expect(shown).toMatchObject({
      id: made.id,
      organisation_id: app.organisationId,
      workspace_id: app.workspaceId,
      filters: { ...changed.filters, page_size: 50_000, current_page: 0, trace_id: null },
      requested_data: ['id', 'trace_id'],
      status: 'draft',
      description: 'January',
      created_by: id,
      created_at: time,
      last_updated_at: time,
      object: 'export',
    });
    expect(await run(made.id)).toBe('success');
    expect(await linesOf(made.id)).toEqual([
      { id, trace_id: 'trace-3' },
      { id, trace_id: 'trace-5' },
    ]);
    const rows = await auditRows(app, {
      resourceType: 'log_export',
      targetId: made.id,
      outcome: 'success',
    });
    expect(rows.map(({ action }) => action)).toEqual(['create', 'update', 'start']);
    const document = 'query ($id: ID!) { logExport(id: $id) { records error startedAt finishedAt } }';
    const { logExport } = dataOf(await app.graphql(document, { id: made.id }, app.workspaceKey));
    expect(logExport).toEqual({ records: 2, error: null, startedAt: time, finishedAt: time });
  });

  it('has every field that can be asked for, redacted as the log is', async () => {
    const fields = (bodyOf(await app.rest('GET', '/openapi.json', { key: null })) as any).components.schemas
      .CreateLogExportInput.properties.requested_data.items.enum as string[];
    const exportId = await create({ trace_id: 'trace-3' }, fields);
    expect(await run(exportId)).toBe('success');
    const [line] = await linesOf(exportId);
    expect(Object.keys(line).sort()).toEqual([...fields].sort());
    expect(line).toMatchObject({
      created_at: minute(3).toISOString(),
      request: { url: '/v1/chat/completions', method: 'POST', body: { model: 'gpt-4o' } },
      response: { status: 200, body: { choices: [] } },
      is_success: true,
      ai_org: 'openai',
      ai_model: 'gpt-4o',
      req_units: 3,
      res_units: 5,
      total_units: 8,
      cost: null,
      cost_currency: 'USD',
      response_time: 13,
      response_status_code: 200,
      mode: 'single',
      config: null,
      prompt_slug: 'greeting',
      metadata: { team: 'ads' },
    });
  });

  it.each([
    ['a page', { page_size: 5, current_page: 1 }, [5, 6, 7, 8, 9]],
    ['the last page', { page_size: 5, current_page: 2 }, [10, 11]],
    ['a page behind the last', { page_size: 5, current_page: 3 }, []],
    ['models', { ai_org_model: 'openai__gpt-5,openai__none' }, [6, 7, 8, 9, 10, 11]],
    ['a prompt', { prompt_slug: 'greeting' }, [3]],
    ['metadata', { metadata: { team: 'ads' } }, [3]],
    ['weighted feedback', { weighted_feedback_min: 2, weighted_feedback_max: 4 }, [7]],
  ])('selects %s', async (_what, filters, numbers) => {
    const feedback = [
      { trace_id: 'trace-7', value: 4 },
      { trace_id: 'trace-7', value: 8, weight: 0.25 },
      { trace_id: 'trace-8', value: 10 },
    ];
    bodyOf(await app.rest('POST', '/v1/feedback', { body: feedback }));
    const exportId = await create(filters, ['trace_id']);
    expect(await run(exportId)).toBe('success');
    const lines = await linesOf(exportId);
    expect(lines.map(({ trace_id }) => trace_id)).toEqual(numbers.map((number) => `trace-${number}`));
  });

  const valid = { filters: {}, requested_data: ['id'] };
  it.each([
    ['no filters', { requested_data: ['id'] }, 'filters'],
    ['no fields', { ...valid, requested_data: [] }, 'requested_data'],
    ['a field that is none', { ...valid, requested_data: ['secret'] }, 'requested_data[0]'],
    ['too large a page', { ...valid, filters: { page_size: 50_001 } }, 'filters.page_size'],
    ['a status that is none', { ...valid, filters: { status_code: '200,abc' } }, 'filters.status_code'],
    ['a model without its provider', { ...valid, filters: { ai_org_model: 'gpt' } }, 'filters.ai_org_model'],
    [
      'feedback out of range',
      { ...valid, filters: { weighted_feedback_min: 11 } },
      'filters.weighted_feedback_min',
    ],
  ])('is refused with %s', async (_what, body, param) => {
    const before = await dumpResources(app);
    expect(refusalOf(await call('POST', '', body))).toMatchObject({ status: 400, param });
    expect(await dumpResources(app)).toBe(before);
  });

  it("is seen by a user's key that made it, and by service keys", async () => {
    const [mine, other] = [await makeKey(app, 'workspace-user'), await makeKey(app, 'workspace-user')];
    const exportId = await create({}, ['id'], mine);
    expect(bodyOf(await call('GET', '', undefined, mine))).toMatchObject({
      object: 'list',
      total: 1,
      data: [{ id: exportId }],
    });
    expect(bodyOf(await call('GET', '', undefined, other)).total).toBe(0);
    expect(refusalOf(await call('POST', `/${exportId}/start`, undefined, other)).status).toBe(404);
    expect(bodyOf(await call('GET', `/${exportId}`)).id).toBe(exportId);
    expect(bodyOf(await call('GET', `?workspace_id=${app.workspaceId}`, undefined, app.adminKey)).total).toBe(
      bodyOf(await call('GET', '')).total,
    );
    expect(refusalOf(await call('GET', '?page_size=101')).param).toBe('page_size');
  });
});

describe('the states of a log export', () => {
  it('allow what the specification says, and nothing else', async () => {
    const refused = async (path: string, method = 'POST', body?: unknown) =>
      expect(refusalOf(await call(method, path, body))).toMatchObject({ status: 400, code: 'AB01' });
    const exportId = await create({}, ['id']);
    await refused(`/${exportId}/cancel`);
    await refused(`/${exportId}/download`, 'GET');
    expect(await run(exportId)).toBe('success');
    await refused(`/${exportId}/start`);
    await refused(`/${exportId}/cancel`);
    await refused(`/${exportId}`, 'PUT', { filters: {} });
  });

  it('lead from a failure to another start, and nothing half-written is left', async () => {
    const blocker = join(directory, 'exports');
    await rm(blocker, { recursive: true, force: true });
    await writeFile(blocker, 'in the way');
    const exportId = await create({}, ['id']);
    expect(await run(exportId)).toBe('failed');
    expect(refusalOf(await call('GET', `/${exportId}/download`)).status).toBe(400);
    await rm(blocker);
    expect(await run(exportId)).toBe('success');
    expect((await linesOf(exportId)).length).toBe(12);
    expect((await readdir(blocker)).length).toBe(1);
  });

  it('end with a cancellation, while the process that writes it is away', async () => {
    const exportId = await create({}, ['id']);
    const lease = { _id: `log export ${exportId}` as never, owner: 'other', until: new Date('2100-01-01') };
    await app.db.collection('leases').insertOne(lease);
    bodyOf(await call('POST', `/${exportId}/start`));
    expect(await run(await create({}, ['id']))).toBe('success');
    expect(await statusOf(exportId)).toBe('in_progress');
    expect(bodyOf(await call('POST', `/${exportId}/cancel`))).toEqual({
      message: 'Export cancelled.',
      object: 'export',
    });
    await app.db.collection('leases').deleteOne({ _id: lease._id });
    expect(await run(await create({}, ['id']))).toBe('success');
    expect(await statusOf(exportId)).toBe('stopped');
    expect(refusalOf(await call('POST', `/${exportId}/start`)).status).toBe(400);
  });

  it('go on after the death of a process, but not for ever', async () => {
    const [orphan, poison] = [await create({}, ['id']), await create({}, ['id'])];
    await store(orphan, { status: 'in_progress', startedAt: new Date(), attempt: 'dead', attempts: 1 });
    await store(poison, { status: 'in_progress', startedAt: new Date(), attempt: 'dead', attempts: 3 });
    await writeFile(join(directory, 'exports', `${orphan}.dead.jsonl.part`), '{"half":');
    expect(await run(await create({}, ['id']))).toBe('success');
    expect(await until(async () => (await statusOf(orphan)) === 'success')).toBe(true);
    expect(await linesOf(orphan)).toHaveLength(12);
    expect(await until(async () => (await statusOf(poison)) === 'failed')).toBe(true);
    const names = await readdir(join(directory, 'exports'));
    expect(names.filter((name) => name.includes('part') || name.includes('dead'))).toEqual([]);
  });

  it('end with its time, content included', async () => {
    const exportId = await create({}, ['id']);
    expect(await run(exportId)).toBe('success');
    await store(exportId, { expiresAt: new Date(0) });
    expect(await run(await create({}, ['id']))).toBe('success');
    await until(async () => (await call('GET', `/${exportId}`)).status === 404);
    expect((await readdir(join(directory, 'exports'))).filter((name) => name.startsWith(exportId))).toEqual(
      [],
    );
  });
});

describe('exports of several organisations', () => {
  /** Takes each object once the test lets it. */
  const bucket = createServer((request, response) => {
    const name = /exports\/([\w-]+)\./.exec(request.url ?? '')?.[1] ?? '';
    request.resume().on('end', () => {
      if (request.method === 'PUT') held.set(name, () => response.end());
      else response.end();
    });
  });
  const held = new Map<string, () => void>();
  let shared: TestApp;
  beforeAll(async () => {
    const port = await listen(bucket, '127.0.0.1', 0);
    shared = await startApp({
      EXPORT_S3_ENDPOINT: `http://127.0.0.1:${port}`,
      EXPORT_S3_BUCKET: 'exports',
      EXPORT_S3_REGION: 'eu-west-1',
      EXPORT_S3_ACCESS_KEY_ID: 'access',
      EXPORT_S3_SECRET_ACCESS_KEY: 'secret',
    });
  });
  afterAll(async () => {
    for (const letGo of held.values()) letGo();
    await shared.stop();
    bucket.closeAllConnections();
    bucket.close();
  });

  async function started({ workspaceKey: key }: Tenant): Promise<string> {
    const body = { filters: {}, requested_data: ['id'] };
    const made = bodyOf(await shared.rest('POST', '/v1/logs/exports', { key, body })).id as string;
    bodyOf(await shared.rest('POST', `/v1/logs/exports/${made}/start`, { key }));
    return made;
  }
  const written = (...names: string[]) => until(() => names.every((name) => held.has(name)));
  function letGo(name: string): void {
    held.get(name)?.();
    held.delete(name);
  }

  it('are written a few at once, one of each, and whoever had a turn waits for the others', async () => {
    const [a, b, c, d] = await Promise.all([0, 1, 2, 3].map(() => shared.createTenant()));
    const [first, second] = [await started(a as Tenant), await started(a as Tenant)];
    const ofB = await started(b as Tenant);
    await written(first, ofB);
    const ofC = await started(c as Tenant);
    await written(ofC);
    const ofD = await started(d as Tenant);
    expect([...held.keys()].sort()).toEqual([first, ofB, ofC].sort());
    letGo(first);
    await written(ofD);
    expect(held.has(second)).toBe(false);
    letGo(ofB);
    await written(second);
    for (const name of [ofC, ofD, second]) letGo(name);
    await until(async () => (await logExportModel(shared.db).countDocuments({ status: 'success' })) === 5);
  });
});

describe('the link to the content of an export', () => {
  it('lets in whoever has it, and nobody who changed it or comes too late', async () => {
    const exportId = await create({}, ['id']);
    await run(exportId);
    const link = await linkTo(exportId);
    expect((await fetch(link, { method: 'HEAD' })).status).toBe(200);
    const other = await create({}, ['id']);
    for (const forged of [
      link.replace(/expires=\d+/, 'expires=9999999999'),
      link.replace(/expires=\d+/, 'expires=1'),
      link.replace(/signature=../, 'signature=zz'),
      link.replace(/&signature=.*/, ''),
      link.replace(exportId, other),
    ]) {
      expect({ forged, status: (await fetch(forged)).status }).toEqual({ forged, status: 403 });
    }
  });

  it('says so where the content is gone', async () => {
    const exportId = await create({}, ['id']);
    await run(exportId);
    const link = await linkTo(exportId);
    await rm(join(directory, 'exports'), { recursive: true });
    expect((await fetch(link)).status).toBe(404);
  });
});

describe('fields that may not be exported', () => {
  const restrict = (settings: object) =>
    app.graphql(
      'mutation ($input: UpdateOrganisationSettingsInput!) { updateOrganisationSettings(input: $input) { settings { deniedExportFields } } }',
      { input: settings },
    );
  const override = (settings: object) =>
    app.graphql(
      'mutation ($id: ID!, $input: UpdateWorkspaceSettingsInput!) { updateWorkspaceSettings(id: $id, input: $input) { settings { deniedExportFields logMode } } }',
      { id: app.workspaceId, input: settings },
    );
  const denied = async () => bodyOf(await call('GET', '/field-restrictions')).denied_fields;

  it('are those of the organisation, or of the workspace where it may differ', async () => {
    expect(await denied()).toEqual([]);
    const exportId = await create({}, ['id', 'request']);
    dataOf(await restrict({ deniedExportFields: ['request', 'response'] }));
    expect(await denied()).toEqual(['request', 'response']);
    const refusal = { status: 403, code: 'AB03', param: 'requested_data[1]' };
    const body = { filters: {}, requested_data: ['id', 'request'] };
    expect(refusalOf(await call('POST', '', body))).toEqual(refusal);
    expect(refusalOf(await call('PUT', `/${exportId}`, body))).toEqual(refusal);
    expect(refusalOf(await call('POST', `/${exportId}/start`)).status).toBe(403);
    expect((await override({ deniedExportFields: ['metadata'] })).errors?.[0]?.extensions).toMatchObject({
      code: 'VALIDATION_FAILED',
      param: 'input.deniedExportFields',
    });
    dataOf(await restrict({ allowExportOverride: true }));
    dataOf(await override({ deniedExportFields: ['metadata'] }));
    expect(await denied()).toEqual(['metadata']);
    dataOf(await override({ deniedExportFields: null }));
    expect(await denied()).toEqual(['request', 'response']);
    dataOf(await restrict({ deniedExportFields: [], allowExportOverride: false }));
    expect(await denied()).toEqual([]);
  });
});
