import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { GatewayError } from '../../src/errors/index.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { createLimitAlarms, type LimitAlarms } from '../../src/limits/alarms/index.ts';
import {
  countersOfLimit,
  createCounterStore,
  createLimitEngine,
  editCounters,
  type RunningLimits,
} from '../../src/limits/engine/index.ts';
import type { Limit } from '../../src/limits/limit.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { describeAccess } from '../subgraphs/access.ts';
import { auditRows, dataOf } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { socketClient, until } from '../support/subscriptions.ts';
import { addUser } from '../support/users.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';
import { limitOf } from './engine/support.ts';

const byMember = (one: { member: string }, other: { member: string }) =>
  one.member.localeCompare(other.member);
const DOLLAR = 1_000_000_000;
const log = createLogger('silent');

let app: TestApp;
let neighbour: Tenant;
let receiver: WebhookReceiver;
const engines: RunningLimits[] = [];

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  app = await startApp();
  neighbour = await app.createTenant();
  await addUser(app, { email: 'owner@example.com', role: 'admin' });
  dataOf(
    await app.graphql(
      `mutation ($url: String!) { createWebhookEndpoint(input: { name: "limits", url: $url,
        events: [limit_threshold, limit_exhausted, limit_reset, limit_overshoot, limit_abandoned] }) { secret } }`,
      { url: receiver.url },
    ),
  );
});
afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
});
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});

/** What sees limits in another process; the app tells. */
const watcher = (): LimitAlarms =>
  createLimitAlarms({
    db: app.db,
    mail: { sendAlert: async () => undefined },
    webhooks: { publish: async () => undefined },
    events: { append: () => undefined },
    audit: { record: async () => undefined },
    recipientsOf: async () => [],
    // The app does what is due.
    leases: { hold: async () => Promise.reject(new GatewayError('IN_PROGRESS')) },
    now: () => new Date(),
    log,
  });

function engine(): RunningLimits {
  const alarms = watcher();
  const made = createLimitEngine({
    store: createCounterStore(() => nativeDb(app.db)),
    leaseMs: 1000,
    journalDirectory: null,
    onRead: alarms.watch,
    log,
  });
  made.start();
  engines.push(made);
  return made;
}

const own = (some: Partial<Limit> = {}): Limit =>
  limitOf({
    organisationId: app.organisationId,
    workspaceId: app.workspaceId,
    level: 'workspace',
    name: 'ws-main',
    amount: 10 * DOLLAR,
    alertThreshold: 5 * DOLLAR,
    waitMs: 0,
    ...some,
  });

async function spend(on: RunningLimits, limit: Limit, dollars: number, valueKey = ''): Promise<boolean> {
  const amount = dollars * DOLLAR;
  const outcome = await on.take([{ counter: on.counterOf(limit, valueKey, {}), amount }]);
  if (!('settle' in outcome)) return false;
  outcome.settle([amount]);
  return true;
}

const LIST = `query ($limitId: ID, $kind: LimitAlarmKind, $workspaceId: ID) {
  limitAlarms(limitId: $limitId, kind: $kind, workspaceId: $workspaceId) {
    total data { kind level limitName valueKey unit used amount threshold resetsAt workspaceId } } }`;
const list = async (limit: Limit, key?: string) =>
  dataOf(await app.graphql(LIST, { limitId: limit.id }, key)).limitAlarms.data;
const kindsOf = async (limit: Limit) =>
  (await list(limit)).map(({ kind }: { kind: string }) => kind).toSorted();
const messagesOf = (limit: Limit) =>
  receiver.received.map(({ body }) => JSON.parse(body)).filter(({ data }) => data.limit_id === limit.id);

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  limitAlarms: { document: '{ limitAlarms { total } }', scopes: ['policies.list'] },
});

describe('a limit', () => {
  it('raises each alarm once, however many processes see it', async () => {
    const limit = own();
    const [one, other] = [engine(), engine()];
    expect(await spend(one, limit, 4)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await kindsOf(limit)).toEqual([]);
    expect(await spend(other, limit, 2)).toBe(true);
    await eventually(async () => expect(await kindsOf(limit)).toEqual(['limit_threshold']));
    expect(await spend(one, limit, 4)).toBe(true);
    await eventually(async () =>
      expect(await kindsOf(limit)).toEqual(['limit_exhausted', 'limit_threshold']),
    );
    await eventually(async () => expect(messagesOf(limit)).toHaveLength(2));
    expect(await spend(other, limit, 1)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect(await kindsOf(limit)).toEqual(['limit_exhausted', 'limit_threshold']);
    expect(
      messagesOf(limit)
        .map(({ type }) => type)
        .toSorted(),
    ).toEqual(['limit_exhausted', 'limit_threshold']);
    expect(messagesOf(limit)[0].data).toMatchObject({
      ...{ limit_level: 'workspace', limit_name: 'ws-main', unit: 'dollars', limit: 10, alert_threshold: 5 },
      ...{ value_key: '', resets_at: null, workspace_id: app.workspaceId },
    });
  }, 120_000);

  it('tells the administrators and its own addresses by mail, with figures', async () => {
    const limit = own({ alertEmails: ['finance@example.com'], window: { kind: 'monthly' } });
    await spend(engine(), limit, 7);
    await eventually(async () => expect(messagesOf(limit)).toHaveLength(1));
    const mails = dataOf(
      await app.graphql('{ outbox(kind: limit_threshold) { data { to subject text } } }'),
    ).outbox.data.filter(({ text }: { text: string }) => text.includes('$7.00 of $10.00'));
    expect(mails.map(({ to }: { to: string }) => to).toSorted()).toEqual([
      'finance@example.com',
      'owner@example.com',
    ]);
    expect(mails[0].subject).toBe('The limit of workspace "ws-main" has crossed its alert threshold');
    expect(mails[0].text).toMatch(/begins anew at \d{4}-\d\d-01T00:00:00\.000Z/);
  }, 120_000);

  it('of groups raises an alarm for each value, and a policy mails nobody but its own addresses', async () => {
    const limit = own({ level: 'policy', name: 'p', groupBy: ['metadata._user'] });
    const on = engine();
    await spend(on, limit, 6, 'metadata._user:alice');
    await spend(on, limit, 6, 'metadata._user:bob');
    await eventually(async () => expect(await list(limit)).toHaveLength(2));
    await eventually(async () => expect(messagesOf(limit)).toHaveLength(2));
    expect((await list(limit)).map(({ valueKey }: { valueKey: string }) => valueKey).toSorted()).toEqual([
      'metadata._user:alice',
      'metadata._user:bob',
    ]);
    const mails = dataOf(await app.graphql('{ outbox(pageSize: 500) { data { subject } } }')).outbox.data;
    expect(mails.some(({ subject }: { subject: string }) => subject.includes('policy'))).toBe(false);
    const rows = await auditRows(app, { resourceType: 'usage_limit_policy', action: 'threshold_crossed' });
    expect(rows.flatMap(({ changes }) => changes).toSorted(byMember)).toEqual([
      { member: 'metadata._user:alice', before: null, after: 6 },
      { member: 'metadata._user:bob', before: null, after: 6 },
    ]);
  }, 120_000);

  it('that a call does not fit into any more counts as used up', async () => {
    const limit = own({ alertThreshold: null });
    const on = engine();
    await spend(on, limit, 9.95);
    expect(await spend(on, limit, 1)).toBe(false);
    await eventually(async () => expect(await kindsOf(limit)).toEqual(['limit_exhausted']));
  }, 120_000);

  it('that calls have passed says so, and one that was lowered below its usage does not', async () => {
    const limit = own({ alertThreshold: null });
    const on = engine();
    const outcome = await on.take([{ counter: on.counterOf(limit, '', {}), amount: 9 * DOLLAR }]);
    if (!('settle' in outcome)) throw new Error('The call was refused.');
    outcome.settle([11 * DOLLAR]);
    await eventually(async () =>
      expect(await kindsOf(limit)).toEqual(['limit_exhausted', 'limit_overshoot']),
    );
    const lowered = own({ alertThreshold: null });
    expect(await spend(on, lowered, 9)).toBe(true);
    const counted = () => countersOfLimit(nativeDb(app.db), lowered, { first: 1 });
    await eventually(async () => expect(await counted()).toMatchObject([{ fill: 9 * DOLLAR }]));
    const after = { ...lowered, version: 2, amount: 5 * DOLLAR };
    await editCounters(nativeDb(app.db), lowered, after);
    expect(await spend(on, after, 1)).toBe(false);
    await eventually(async () => expect(await kindsOf(lowered)).toEqual(['limit_exhausted']));
  }, 120_000);

  it('of which a silent process holds a part says so once', async () => {
    const limit = own({ alertThreshold: null });
    const on = engine();
    expect(await spend(on, limit, 1)).toBe(true);
    const [counter] = await eventually(async () => {
      const found = await countersOfLimit(nativeDb(app.db), limit, { first: 1 });
      expect(found).toMatchObject([{ fill: DOLLAR }]);
      return found;
    });
    const dead = { s: 1, g: 3 * DOLLAR, u: DOLLAR, h: 0, t: new Date(Date.now() - 60_000) };
    await app.db
      .collection<{ _id: string }>('limit_counters')
      .updateOne({ _id: counter?._id ?? '' }, { $set: { 'L.dead-1': dead }, $inc: { room: -2 * DOLLAR } });
    const other = engine();
    await eventually(async () => {
      expect(await spend(on, limit, 0.001)).toBe(true);
      expect(await spend(other, limit, 0.001)).toBe(true);
      expect(await kindsOf(limit)).toEqual(['limit_abandoned']);
    });
  }, 120_000);

  it('of a rate raises none', async () => {
    const limit = own({ kind: 'rate', window: { kind: 'bucket', seconds: 3600 }, alertThreshold: null });
    const on = engine();
    await spend(on, limit, 10);
    expect(await spend(on, limit, 1)).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await list(limit)).toEqual([]);
  }, 120_000);

  it('shows its alarms to subscribers and lists of its own tenant alone', async () => {
    const limit = own();
    const [mine, theirs] = [socketClient(app.url, app.adminKey), socketClient(app.url, neighbour.adminKey)];
    const query = 'subscription { limitAlarmRaised { kind limitId used amount } }';
    const seen = mine.subscribe(query);
    const unseen = theirs.subscribe(query);
    // A subscription is open a moment after it was asked for; each try raises an alarm of its own.
    await until(async () => {
      await spend(engine(), own({ id: `${limit.id}-${engines.length}` }), 6);
      return seen.waiting().length > 0;
    });
    expect(seen.waiting()[0]?.data?.limitAlarmRaised).toEqual({
      ...{ kind: 'limit_threshold', limitId: expect.stringContaining(limit.id), used: 6, amount: 10 },
    });
    expect(unseen.waiting()).toEqual([]);
    mine.close();
    theirs.close();
    const listed = dataOf(await app.graphql(LIST, {}, neighbour.adminKey)).limitAlarms;
    expect(listed).toEqual({ total: 0, data: [] });
    const elsewhere = await app.graphql(LIST, { workspaceId: neighbour.workspaceId });
    expect(elsewhere.errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  }, 120_000);
});
