import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { auditRows } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';

const env = { ENCRYPTION_KEY: Buffer.alloc(32, 5).toString('base64') };

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await startApp(env);
  other = await startApp({ ...env, MONGODB_URI: app.databaseUri });
});
afterAll(async () => {
  await other.stop();
  await app.stop();
});

type Caller = { id: string; key: string };

const admin = async (method: string, path: string, body?: unknown) =>
  bodyOf(await app.rest(method, `/v1${path}`, { key: app.adminKey, body })) as Caller;

const newKey = (members: object = {}): Promise<Caller> =>
  admin('POST', '/api-keys/workspace/service', {
    name: 'caller',
    workspace_id: app.workspaceId,
    scopes: ['completions.write'],
    ...members,
  });

const callThrough = async (process: TestApp, key: string) =>
  process.rest('POST', '/v1/chat/completions', {
    key,
    body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] },
  });

/** Until a process holds calls to this amount of a limit. */
const refusesBy = (process: TestApp, key: string, value: number) =>
  eventually(async () => {
    const { status, body } = await callThrough(process, key);
    expect({ status, body }).toMatchObject({ status: 412, body: { limit: { value } } });
  });

const passes = (process: TestApp, key: string) =>
  eventually(async () => expect((await callThrough(process, key)).status).toBe(200));

/** Callers of both processes, one call after the other. */
function traffic(key: string) {
  const seen = { passed: 0, refused: 0, failed: 0 };
  let isOver = false;
  const loop = async (process: TestApp) => {
    while (!isOver) {
      const { status } = await callThrough(process, key);
      if (status === 200) seen.passed++;
      else if (status === 412) seen.refused++;
      else seen.failed++;
    }
  };
  const loops = [app, other, app, other].map(loop);
  return {
    seen,
    until: (check: () => boolean) => eventually(async () => expect(check()).toBe(true)),
    end: async () => {
      isOver = true;
      await Promise.all(loops);
    },
  };
}

const policyOf = ({ id }: Caller, credit_limit: number) =>
  admin('POST', '/policies/usage-limits', {
    name: 'edited',
    conditions: [{ key: 'api_key', value: id }],
    group_by: [{ key: 'api_key' }],
    type: 'requests',
    credit_limit,
    wait_ms: 0,
    workspace_id: app.workspaceId,
  });

describe('a policy that is changed under traffic', () => {
  it('binds all processes by its new amount, and says in the audit trail what was before', async () => {
    const caller = await newKey();
    const { id } = await policyOf(caller, 100_000);
    const path = `/policies/usage-limits/${id}`;
    const calls = traffic(caller.key);
    await calls.until(() => calls.seen.passed >= 40);
    await admin('PUT', path, { credit_limit: 20 });
    for (const process of [app, other]) await refusesBy(process, caller.key, 20);
    const { passed } = calls.seen;
    await calls.until(() => calls.seen.refused >= 20);
    expect(calls.seen.passed).toBe(passed);

    await admin('PUT', path, { credit_limit: 100_000 });
    for (const process of [app, other]) await passes(process, caller.key);
    await admin('PUT', path, { conditions: [{ key: 'api_key', value: 'another' }], credit_limit: 1 });
    for (const process of [app, other]) await passes(process, caller.key);
    await admin('PUT', path, { conditions: [{ key: 'api_key', value: caller.id }] });
    for (const process of [app, other]) await refusesBy(process, caller.key, 1);

    await admin('DELETE', path);
    for (const process of [app, other]) await passes(process, caller.key);
    await calls.end();
    expect(calls.seen.failed).toBe(0);
    // What happens to the limit by itself has entries of its own.
    const action = { $in: ['create', 'update', 'delete'] };
    const rows = await auditRows(app, { resourceType: 'usage_limit_policy', targetId: id, action });
    const amounts = rows.map(({ changes }) =>
      changes.find(({ member }: { member: string }) => ['creditLimit', 'status'].includes(member)),
    );
    expect(amounts).toEqual([
      undefined,
      { member: 'creditLimit', before: 100_000, after: 20 },
      { member: 'creditLimit', before: 20, after: 100_000 },
      { member: 'creditLimit', before: 100_000, after: 1 },
      undefined,
      { member: 'status', before: 'active', after: 'archived' },
    ]);
  }, 120_000);

  it('refills at its new rate once its unit is another one', async () => {
    const { id, key } = await newKey();
    const { id: policy } = await admin('POST', '/policies/rate-limits', {
      conditions: [{ key: 'api_key', value: id }],
      group_by: [{ key: 'api_key' }],
      ...{ type: 'requests', unit: 'rpw', value: 3 },
      workspace_id: app.workspaceId,
    });
    for (let call = 0; call < 3; call++) expect((await callThrough(app, key)).status).toBe(200);
    const refused = await callThrough(app, key);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(3600);
    await admin('PUT', `/policies/rate-limits/${policy}`, { unit: 'rpm' });
    for (const process of [app, other])
      await eventually(async () => {
        const { status, headers } = await callThrough(process, key);
        expect(status === 200 || Number(headers.get('retry-after')) <= 60).toBe(true);
      });
    const counters = await app.db
      .collection('limit_counters')
      .find({ limitId: `policy:${policy}` })
      .toArray();
    expect(counters).toEqual([expect.objectContaining({ seconds: 60, ver: 2, cap: 3 })]);
  }, 120_000);
});

describe('the limit of a key that is changed under traffic', () => {
  it('binds all processes by its new amount', async () => {
    const limit = (credit_limit: number) => ({
      usage_limits: { type: 'requests', credit_limit, wait_ms: 0 },
    });
    const { id, key } = await newKey(limit(100_000));
    const calls = traffic(key);
    await calls.until(() => calls.seen.passed >= 40);
    await admin('PUT', `/api-keys/${id}`, limit(10));
    for (const process of [app, other]) await refusesBy(process, key, 10);
    await admin('PUT', `/api-keys/${id}`, limit(100_000));
    for (const process of [app, other]) await passes(process, key);
    await calls.end();
    expect(calls.seen.failed).toBe(0);
  }, 120_000);

  it('is changed by one administrator after the other', async () => {
    const { id } = await newKey({ usage_limits: { type: 'requests', credit_limit: 1 } });
    const amounts = Array.from({ length: 4 }, (_each, at) => at + 2);
    await Promise.all(
      amounts.map((credit_limit) =>
        admin('PUT', `/api-keys/${id}`, { usage_limits: { type: 'requests', credit_limit } }),
      ),
    );
    const stored = await app.db
      .collection<{ _id: string; usageLimits: object[] }>('api_keys')
      .findOne({ _id: id });
    expect(stored?.usageLimits).toEqual([expect.objectContaining({ version: 1 + amounts.length })]);
  });
});
