import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Bootstrap } from '../../seeds/bootstrap.ts';
import { eventually } from '../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const bodyOfCall = (model: string) => ({
  model: `@mock/${model}`,
  messages: [{ role: 'user', content: 'Hello' }],
});

let directory: string;
let sluice: SluiceProcess;
let seeds: Bootstrap;
let ahead = 0;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-periods-'));
  // A Wednesday in the middle of a month, some weeks from now.
  await moveTo(nextWednesdayAfterThe10th());
  sluice = await startProcess(join(directory, 'data'), {
    MOVED_CLOCK: join(directory, 'clock'),
    NODE_OPTIONS: `--import=${join(import.meta.dirname, '../support/moved-clock.mjs')}`,
  });
  seeds = JSON.parse(await readFile(join(directory, 'data', 'bootstrap.json'), 'utf8'));
}, 300_000);
afterAll(async () => {
  await sluice?.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

function nextWednesdayAfterThe10th(): number {
  const day = new Date(Date.now() + 40 * DAY);
  day.setUTCHours(12, 0, 0, 0);
  while (day.getUTCDay() !== 3 || day.getUTCDate() < 10 || day.getUTCDate() > 16)
    day.setUTCDate(day.getUTCDate() + 1);
  return day.getTime();
}

/** The time by the clock of the gateway and of its store. */
const clock = () => Date.now() + ahead;

async function moveBy(milliseconds: number): Promise<void> {
  const file = join(directory, 'clock');
  ahead += milliseconds;
  await writeFile(`${file}.new`, String(ahead));
  await rename(`${file}.new`, file);
}

const moveTo = (time: number) => moveBy(time - clock());

async function ask(method: string, path: string, body: object | null, key: string) {
  const answer = await fetch(`${sluice.url}${path}`, {
    method,
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

async function made(path: string, body: object, key = seeds.admin_api_key): Promise<any> {
  const { status, body: answer } = await ask('POST', `/v1${path}`, body, key);
  if (status !== 200) throw new Error(`${path} answered ${status}: ${JSON.stringify(answer)}`);
  return answer;
}

let count = 0;
const keyWith = async (limits: object): Promise<string> =>
  (
    await made('/api-keys/workspace/service', {
      ...{ name: `periods-${++count}`, workspace_id: seeds.workspace_id, scopes: ['completions.write'] },
      ...limits,
    })
  ).key;
const call = (key: string, model = 'mock-1') => ask('POST', '/v1/chat/completions', bodyOfCall(model), key);
const graph = async (query: string) =>
  (await ask('POST', '/graphql', { query }, seeds.admin_api_key)).body.data;

/** A limit of one call, used up: the key to call with, and when it begins anew. */
type Used = { key: string; until: number };

/** Holds until shortly before the moment, and not after it. */
async function beginsAnew({ key, until }: Used, status: number, slack: number): Promise<void> {
  await moveTo(until - slack);
  // The gateway looks at its clock's file now and then, and hears the store's time with its next report.
  await eventually(async () => {
    const refused = await call(key);
    expect(refused.status).toBe(status);
    const seconds = Number(refused.headers.get('retry-after') ?? Number.NaN);
    expect(seconds * 1000).toBeGreaterThan(slack - MINUTE);
    expect(seconds * 1000).toBeLessThanOrEqual(slack + 1000);
  }, 15_000);
  await moveTo(until + 1000);
  // The process hears the store's time with its next report.
  await eventually(async () => expect((await call(key)).status).toBe(200), 15_000);
}

/** What the store says that was used of a limit without groups, in the period of a time. */
const usedOf = async (limitId: string, time = clock()): Promise<unknown> =>
  (
    await graph(
      `{ limitCounters(limitId: "${limitId}", at: "${new Date(time).toISOString()}") { data { used held } } }`,
    )
  ).limitCounters.data[0];

const midnight = (time: number) => time - (time % DAY);

test('a budget begins anew with each week, month and number of days, at midnight in UTC', async () => {
  const wednesday = midnight(clock());
  const once = { type: 'requests', credit_limit: 1, wait_ms: 0 };
  const first = new Date(clock());
  const periods: [object, number][] = [
    [
      {
        periodic_reset_days: 30,
        next_usage_reset_at: new Date(wednesday + 2 * DAY + 9 * HOUR).toISOString(),
      },
      wednesday + 2 * DAY,
    ],
    [{ periodic_reset_days: 3 }, wednesday + 3 * DAY],
    [{ periodic_reset: 'weekly' }, wednesday + 5 * DAY],
    [{ periodic_reset: 'monthly' }, Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 1)],
  ];
  const used: Used[] = [];
  for (const [period, until] of periods) {
    const key = await keyWith({ usage_limits: { ...once, ...period } });
    expect((await call(key)).status).toBe(200);
    const refused = await call(key);
    expect(refused).toMatchObject({
      status: 412,
      body: { limit: { resets_at: new Date(until).toISOString() } },
    });
    used.push({ key, until });
  }
  const forever = await keyWith({ usage_limits: once });
  expect((await call(forever)).status).toBe(200);
  for (const each of used) await beginsAnew(each, 412, 5 * MINUTE);
  expect(await call(forever)).toMatchObject({ status: 412, body: { limit: { resets_at: null } } });
}, 240_000);

test('a policy begins anew with each month, for each value of its groups', async () => {
  const { id } = await made(
    '/policies/usage-limits',
    {
      ...{ name: 'A call of a user', conditions: [{ key: 'metadata.team', value: 'periods' }] },
      ...{
        group_by: [{ key: 'metadata._user' }],
        type: 'requests',
        credit_limit: 1,
        periodic_reset: 'monthly',
        wait_ms: 0,
      },
    },
    seeds.workspace_api_key,
  );
  const asUser = (user: string) =>
    fetch(`${sluice.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gateway-api-key': seeds.workspace_api_key,
        'content-type': 'application/json',
        'x-gateway-metadata': JSON.stringify({ team: 'periods', _user: user }),
      },
      body: JSON.stringify(bodyOfCall('mock-1')),
    }).then(({ status }) => status);
  await eventually(async () => {
    await asUser('probe');
    expect(await asUser('probe')).toBe(412);
  });
  expect([await asUser('ann'), await asUser('ann'), await asUser('bob')]).toEqual([200, 412, 200]);
  const month = new Date(clock());
  await moveTo(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 1) + 1000);
  await eventually(async () => expect(await asUser('ann')).toBe(200), 15_000);
  expect([await asUser('ann'), await asUser('bob'), await asUser('bob')]).toEqual([412, 200, 412]);
  // The month before is history.
  await eventually(async () => {
    const shown = await graph(
      `{ limitCounters(limitId: "policy:${id}", search: "ann", at: "${month.toISOString()}") { data { used until } } }`,
    );
    expect(shown.limitCounters.data).toMatchObject([{ used: 1 }]);
  });
}, 120_000);

test('a rate of every unit is whole again when its time is over, and not before', async () => {
  const units: [string, number][] = [
    ['rps', 1000],
    ['rpm', MINUTE],
    ['rph', HOUR],
    ['rpd', DAY],
    ['rpw', 7 * DAY],
  ];
  for (const [unit, length] of units) {
    const key = await keyWith({ rate_limits: [{ type: 'requests', unit, value: 1, wait_ms: 0 }] });
    expect((await call(key)).status).toBe(200);
    const refused = await call(key);
    if (unit === 'rps') {
      await moveBy(5 * length);
      await eventually(async () => expect((await call(key)).status).toBe(200));
      continue;
    }
    expect(refused).toMatchObject({ status: 429, body: { error: { code: 'rate_limit_exceeded' } } });
    // What was used comes back from when the store has heard of it.
    await eventually(async () => expect(await usedOf(refused.body.limit.id)).toMatchObject({ used: 1 }));
    const left = Number(refused.headers.get('retry-after-ms'));
    expect(left).toBeGreaterThan(length - MINUTE / 2);
    expect(left).toBeLessThanOrEqual(length);
    await moveBy(length / 2);
    expect((await call(key)).status).toBe(429);
    await moveBy(length / 2 + MINUTE);
    await eventually(async () => expect((await call(key)).status).toBe(200), 15_000);
  }
}, 240_000);

test('a call that ends in another period than it began in counts where it began', async () => {
  const key = await keyWith({
    usage_limits: { type: 'requests', credit_limit: 2, periodic_reset: 'weekly', wait_ms: 0 },
  });
  expect((await call(key)).status).toBe(200);
  const began = clock();
  const late = call(key, 'mock-delay-4000');
  await eventually(async () => {
    const metrics = await (await fetch(`${sluice.url}/metrics`)).text();
    expect(metrics).toMatch(/^sluice_limits_open_reservations(?:\{[^}]*\})? 1$/m);
  });
  // What is left of the week is held by the call that is late.
  const { body } = await call(key);
  expect(body.error.code).toBe('usage_limit_reserved');
  const limitId = body.limit.id;
  await moveBy(7 * DAY);
  await eventually(async () => expect((await call(key)).status).toBe(200), 3000);
  expect((await late).status).toBe(200);
  await eventually(async () => {
    expect(await usedOf(limitId, began)).toEqual({ used: 2, held: 0 });
    expect(await usedOf(limitId)).toEqual({ used: 1, held: 0 });
  }, 15_000);
}, 120_000);
