import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Bootstrap } from '../../seeds/bootstrap.ts';
import { type Ask, askAt } from '../../seeds/demo/graph.ts';
import { demo, seedDemo } from '../../seeds/demo.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

const LOGS = 600;
const DAYS = 10;
const now = new Date();

let directory: string;
let sluice: SluiceProcess;
let ask: Ask;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-demo-'));
  sluice = await startProcess(directory);
  const seeds = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  ask = askAt(sluice.url, seeds.admin_api_key);
  await seed();
}, 120_000);
afterAll(async () => {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const seed = () => seedDemo({ url: sluice.url, dataDirectory: directory, logs: LOGS, days: DAYS, now });

const counts = () =>
  ask<any>(
    `query ($from: DateTime!, $to: DateTime!) {
      users { total data { role } } workspaces { total } apiKeys { total } configs { total } integrations { total }
      auditLogs(startTime: $from, endTime: $to) { total }
      analytics(timeOfGenerationMin: $from, timeOfGenerationMax: $to) {
        requests { summary { total } } errors { summary { total } } cost { summary { total } }
        groups(by: model, orderBy: cost, pageSize: 10) { data { value requests cost } }
      }
    }`,
    { from: new Date(now.getTime() - 11 * 24 * 3_600_000), to: new Date(now.getTime() + 24 * 3_600_000) },
  );

it('has people of each role, three workspaces, twelve keys, six configs and calls that went wrong', async () => {
  const { users, workspaces, apiKeys, configs, analytics } = await counts();
  // A start makes a workspace and two keys of its own.
  expect([users.total, workspaces.total, apiKeys.total, configs.total]).toEqual([
    demo.people.length,
    4,
    demo.keys.length + 2,
    demo.configs.length,
  ]);
  expect([demo.keys.length, demo.configs.length]).toEqual([12, 6]);
  expect(new Set(users.data.map(({ role }: any) => role))).toEqual(new Set(['owner', 'admin', 'member']));
  expect(analytics.requests.summary.total).toBe(LOGS);
  expect(analytics.errors.summary.total).toBeGreaterThan(0);
  const groups = analytics.groups.data;
  expect(groups.reduce((sum: number, { requests }: any) => sum + requests, 0)).toBe(LOGS);
  expect(groups.find(({ value }: any) => value.endsWith('house-trial-7b')).cost).toBe(0);
});

it('has keys that were last used when their last call was made', async () => {
  const { apiKeys } = await ask<any>('{ apiKeys(pageSize: 100) { data { id name lastUsedAt } } }');
  const own = new Set(demo.keys.map(({ name }) => name));
  const used = apiKeys.data.filter(({ name, lastUsedAt }: any) => own.has(name) && lastUsedAt !== null);
  expect(used.length).toBeGreaterThanOrEqual(8);
  for (const { id, lastUsedAt } of used) {
    const { logHistory } = await ask<any>(
      'query ($filters: LogFilters) { logHistory(filters: $filters, limit: 1) { data { createdAt } } }',
      { filters: { apiKeyIds: [id] } },
    );
    expect(lastUsedAt).toBe(logHistory.data[0].createdAt);
  }
});

it('changes nothing when it is seeded again', async () => {
  const before = await counts();
  await seed();
  expect(await counts()).toEqual(before);
});
