import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { writeLogs } from '../../../src/recording/log/write-logs.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';
import { bodyOf, id, refusalOf, time } from '../../rest-compat/support.ts';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { logEntry } from '../../support/logs.ts';
import { describeAccess } from '../access.ts';
import { auditRows, dataOf, dump, dumpResources, errorOf, makeKey } from '../support.ts';

let app: TestApp;
let neighbour: Tenant;
let subject: string;

beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  [subject = ''] = bodyOf(await give({ trace_id: 'subject', value: 1 })).feedback_ids;
});
afterAll(() => app.stop());

const give = (body: unknown, key = app.workspaceKey) => app.rest('POST', '/v1/feedback', { key, body });
const change = (feedbackId: string, body: unknown, key = app.workspaceKey) =>
  app.rest('PUT', `/v1/feedback/${feedbackId}`, { key, body });
const listed = async (args: object, key = app.workspaceKey) =>
  dataOf(
    await app.graphql(
      `query ($traceId: String, $createdAtMin: DateTime, $createdAtMax: DateTime) {
        feedbacks(traceId: $traceId, createdAtMin: $createdAtMin, createdAtMax: $createdAtMax) {
          total data { id traceId value weight metadata apiKeyId userId aiModel createdAt lastUpdatedAt }
        }
      }`,
      args,
      key,
    ),
  ).feedbacks;

describeAccess(() => ({ app, neighbour }), 'workspace-service', {
  createFeedback: {
    document: 'mutation { createFeedback(input: { traceId: "t", value: 1 }) { status } }',
    scopes: ['feedbacks.write'],
    audit: 'feedback.create',
  },
  updateFeedback: {
    document: 'mutation ($id: ID!) { updateFeedback(id: $id, input: { value: 2 }) { status } }',
    variables: () => ({ id: subject }),
    scopes: ['feedbacks.write'],
    audit: 'feedback.update',
  },
  feedbacks: { document: '{ feedbacks { total } }', scopes: ['feedbacks.read'] },
});

describe('feedback', () => {
  it('is given as one object or as several, and answered in the order of the input', async () => {
    const one = bodyOf(await give({ trace_id: 'order', value: -10 }));
    expect(one).toEqual({ status: 'success', message: 'Feedback stored.', feedback_ids: [id] });
    const several = bodyOf(
      await give([
        { trace_id: 'order', value: 10, weight: 0.25, metadata: { comment: 'good', tags: ['a'] } },
        { trace_id: 'order-2', value: 0, weight: 0 },
      ]),
    );
    const { total, data } = await listed({ traceId: 'order' });
    expect(total).toBe(2);
    expect(data).toEqual([
      {
        id: several.feedback_ids[0],
        traceId: 'order',
        value: 10,
        weight: 0.25,
        metadata: { comment: 'good', tags: ['a'] },
        apiKeyId: id,
        userId: null,
        aiModel: null,
        createdAt: time,
        lastUpdatedAt: time,
      },
      expect.objectContaining({ id: one.feedback_ids[0], value: -10, weight: 1, metadata: {} }),
    ]);
    const [other] = (await listed({ traceId: 'order-2' })).data;
    expect(other).toMatchObject({ id: several.feedback_ids[1], weight: 0 });
    const rows = await auditRows(app, { resourceType: 'feedback', action: 'create', outcome: 'success' });
    expect(rows.slice(-2).map(({ targetId }) => targetId)).toEqual([one.feedback_ids[0], null]);
  });

  it('is changed by its id; metadata that is not given stays', async () => {
    const [made] = bodyOf(
      await give({ trace_id: 'change', value: 3, weight: 0.5, metadata: { by: 'ann' } }),
    ).feedback_ids;
    expect(bodyOf(await change(made, { value: -1 }))).toEqual({
      status: 'success',
      message: 'Feedback updated.',
      feedback_ids: [made],
    });
    expect((await listed({ traceId: 'change' })).data).toMatchObject([
      { id: made, value: -1, weight: 1, metadata: { by: 'ann' } },
    ]);
    bodyOf(await change(made, { value: 5, weight: 0.75, metadata: {} }));
    expect((await listed({ traceId: 'change' })).data).toMatchObject([
      { value: 5, weight: 0.75, metadata: {} },
    ]);
  });

  it("knows the model of its trace's last log, and the log its feedback", async () => {
    const owner = { organisationId: app.organisationId, workspaceId: app.workspaceId };
    const log = (change: object) => logEntry(owner, { traceId: 'modelled', ...change });
    await writeLogs(nativeDb(app.db), [
      log({ aiModel: 'latest', createdAt: new Date(2) }),
      log({ aiModel: 'first', createdAt: new Date(1) }),
      logEntry({ ...owner, workspaceId: 'another' }, { traceId: 'modelled', aiModel: 'of-another' }),
      log({ traceId: 'without-model', aiModel: null }),
    ]);
    bodyOf(
      await give([
        { trace_id: 'modelled', value: 1 },
        { trace_id: 'without-model', value: 2 },
        { trace_id: 'modelled', value: 3 },
      ]),
    );
    expect((await listed({ traceId: 'modelled' })).data.map((each: any) => each.aiModel)).toEqual([
      'latest',
      'latest',
    ]);
    expect((await listed({ traceId: 'without-model' })).data[0].aiModel).toBeNull();
    const document = `{ logs(filters: { traceId: "modelled" }) { data { workspaceId feedback(limit: 1) { value } } } }`;
    const { data } = dataOf(await app.graphql(document, {}, await app.token())).logs;
    const ofWorkspace = (log: any) => log.workspaceId === app.workspaceId;
    expect(data.filter(ofWorkspace).map((log: any) => log.feedback)).toEqual(
      Array.from({ length: 2 }, () => [{ value: expect.any(Number) }]),
    );
    expect(data.find((log: any) => !ofWorkspace(log)).feedback).toEqual([]);
    const blind = await makeKey(app, 'workspace-service', { without: ['feedbacks.read'] });
    expect(errorOf(await app.graphql(document, {}, blind)).code).toBe('FORBIDDEN');
  });

  it('is listed by the time at which it was given, never that of another tenant', async () => {
    const { data } = await listed({ createdAtMin: new Date().toISOString() });
    expect(data).toEqual([]);
    expect((await listed({ createdAtMax: new Date(0).toISOString() })).total).toBe(0);
    expect((await listed({}, neighbour.workspaceKey)).total).toBe(0);
    expect((await listed({ createdAtMin: new Date(0).toISOString() })).total).toBeGreaterThan(0);
  });

  const item = { trace_id: 't', value: 1 };
  it.each([
    ['no item', [], ''],
    ['too many items', Array.from({ length: 101 }, () => item), ''],
    ['no trace id', { value: 1 }, 'trace_id'],
    ['an empty trace id', { ...item, trace_id: '' }, 'trace_id'],
    ['a trace id that is too long', [item, { ...item, trace_id: 'x'.repeat(257) }], '[1].trace_id'],
    ['no value', [{ trace_id: 't' }], '[0].value'],
    ['a value below -10', { ...item, value: -11 }, 'value'],
    ['a value above 10', [{ ...item, value: 11 }], '[0].value'],
    ['a value that is no whole number', { ...item, value: 1.5 }, 'value'],
    ['a weight below 0', { ...item, weight: -0.1 }, 'weight'],
    ['a weight above 1', { ...item, weight: 1.1 }, 'weight'],
    ['metadata that is no object', { ...item, metadata: ['a'] }, 'metadata'],
    ['metadata that is too long', { ...item, metadata: { a: 'x'.repeat(16_384) } }, 'metadata'],
  ])('is refused with %s, and nothing is stored', async (_what, body, param) => {
    const before = await dumpResources(app);
    const refusal = refusalOf(await give(body));
    expect(refusal).toMatchObject({ status: 400, code: 'AB01' });
    if (param) expect(refusal.param).toBe(param);
    if (!Array.isArray(body) && 'trace_id' in body && !String(param).startsWith('trace')) {
      const { trace_id: _, ...update } = body;
      expect(refusalOf(await change(subject, update))).toMatchObject({ status: 400, param });
    }
    expect(await dumpResources(app)).toBe(before);
  });

  it('is refused from organisation-wide credentials (service.md, Scheme B, 4)', async () => {
    const token = await app.token();
    const headers = { authorization: `Bearer ${token}` };
    for (const [method, path, body] of [
      ['POST', '/v2/feedback', item],
      ['PUT', `/v2/feedback/${subject}`, { value: 1 }],
    ] as const) {
      expect(refusalOf(await app.rest(method, path, { key: null, headers, body })).status).toBe(403);
      const inWorkspace = { ...headers, 'x-gateway-workspace-id': app.workspaceId };
      expect((await app.rest(method, path, { key: null, headers: inWorkspace, body })).status).toBe(200);
    }
    expect(refusalOf(await give(item, app.adminKey)).status).toBe(403);
  });

  it.each([
    ['of another tenant', () => change(subject, { value: 9 }, neighbour.workspaceKey)],
    ['that nobody has', () => change('none', { value: 9 })],
  ])('%s is not found', async (_whose, attempt) => {
    expect(refusalOf(await attempt())).toMatchObject({ status: 404, code: 'AB08' });
  });

  it('never keeps a secret that stands in a remark', async () => {
    const secret = 'sk-planted-in-feedback-0001';
    bodyOf(await give({ trace_id: secret, value: 1, metadata: { remark: `try ${secret}`, token: secret } }));
    expect(await dump(app)).not.toContain(secret);
    expect((await listed({ traceId: secret })).total).toBe(1);
  });
});
