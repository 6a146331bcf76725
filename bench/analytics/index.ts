// `npm run bench:analytics -- <logs> <days>`: how long every graph and group takes over a window of all logs, and whether
// what they say is what a recount of the logs says. Exits with 1 when a budget is missed, or a figure differs.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { operationFiles } from '../../rest-compat/index.ts';
import { openStorage } from '../../src/storage/connection.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { type Running, startSluice } from '../processes.ts';
import { startServer } from '../store/server.ts';
import { seed } from './seed.ts';

const LOGS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 30);
const PORT = 18096;
const ROUNDS = 7;
/** Milliseconds that the median of an answer may take. */
const BUDGET = 300;
const DAY = 24 * 3_600_000;
/** A filter that lets every log through and has each looked at: a recount. */
const RECOUNT = { metadata: '{}' };

const pathValues: Record<string, string> = { groupBy: 'api_key', metadataKey: 'team' };

/** Every path of the contract's analytics, as the REST documents have it. */
const paths = operationFiles()
  .filter(({ path }) => path.endsWith('/analytics.graphql'))
  .flatMap(({ text }) => [...text.matchAll(/path: "([^"]+)"/g)])
  .map(([, path = '']) => path.replace(/\{(\w+)\}/g, (_, name: string) => pathValues[name] ?? name));

type Ask = (path: string, min: Date, max: Date, query?: Record<string, string>) => Promise<unknown>;

const askWith =
  (key: string, workspace: string): Ask =>
  async (path, min, max, query = {}) => {
    const search = new URLSearchParams({
      workspace_slug: workspace,
      time_of_generation_min: min.toISOString(),
      time_of_generation_max: max.toISOString(),
      ...query,
    });
    const headers = { 'x-gateway-api-key': key };
    const response = await fetch(`http://127.0.0.1:${PORT}/v1${path}?${search}`, { headers });
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response.json();
  };

async function time(ask: Ask, path: string, query: Record<string, string> = {}): Promise<boolean> {
  const max = new Date();
  const min = new Date(max.getTime() - DAYS * DAY);
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await ask(path, min, max, query);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(ROUNDS / 2)] ?? 0;
  const figures = [times[0], median, times.at(-1)].map((value = 0) => value.toFixed(0)).join(' | ');
  const shown = [path, ...Object.entries(query).map(([name, value]) => `${name}=${value}`)].join(' ');
  console.log(`| ${shown} | ${figures} | ${BUDGET} | ${median <= BUDGET ? 'yes' : 'no'} |`);
  return median <= BUDGET;
}

/** Half days of which one is compared; each path begins at another one. */
const EVERY = 10;

/** Compares answers for half days with a recount of their logs; answers what differs. */
async function compare(ask: Ask): Promise<string[]> {
  const end = Date.now();
  const differing: string[] = [];
  for (const [index, path] of paths.entries()) {
    for (let half = 1 + (index % EVERY); half <= DAYS * 2; half += EVERY) {
      const [min, max] = [new Date(end - (half * DAY) / 2), new Date(end - ((half - 1) * DAY) / 2)];
      const [summed, recounted] = [await ask(path, min, max), await ask(path, min, max, RECOUNT)];
      if (!isDeepStrictEqual(summed, recounted)) differing.push(`${path}, ${min.toISOString()}`);
    }
  }
  return differing;
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-analytics-'));
  const running: Pick<Running, 'stop'>[] = [];
  try {
    const store = await startServer(join(directory, 'store'));
    running.push(store);
    Object.assign(process.env, {
      MONGODB_URI: store.uri,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    });
    const sluice = await startSluice(PORT);
    running.push(sluice);
    const storage = await openStorage({ dataDirectory: directory, mongodbUri: store.uri });
    running.push(storage);
    const db = nativeDb(storage.db);
    const workspace = await db.collection<{ _id: string; organisationId: string }>('workspaces').findOne({});
    if (!workspace) throw new Error('There is no workspace.');
    const owner = { organisationId: workspace.organisationId, workspaceId: workspace._id };
    const startedAt = performance.now();
    await seed(db, owner, { logs: LOGS, days: DAYS });
    const seconds = (performance.now() - startedAt) / 1000;
    console.log(
      `${LOGS} logs over ${DAYS} days, written with their roll-ups at ${Math.round(LOGS / seconds)} a second; ` +
        `${await db.collection('log_rollups').countDocuments()} roll-up documents. ` +
        `Times of ${ROUNDS} rounds in milliseconds.\n`,
    );
    const ask = askWith(sluice.workspaceKey, owner.workspaceId);
    console.log('| what | best | median | worst | budget | met |');
    console.log('|---|--:|--:|--:|--:|---|');
    for (const path of paths) if (!(await time(ask, path))) process.exitCode = 1;
    const filtered = { ai_org_model: 'openai__gpt-4o', status_code: '200,429' };
    if (!(await time(ask, '/analytics/graphs/latency', filtered))) process.exitCode = 1;
    const columns = { columns: 'cost,avg_tokens,p95_latency,success_rate,cache_hit_rate,last_seen' };
    if (!(await time(ask, '/analytics/groups/model', columns))) process.exitCode = 1;
    const differing = await compare(ask);
    console.log(
      differing.length === 0
        ? `\nThe answers for half days, every ${EVERY}th for each path, equal a recount of their logs.`
        : `\nAnswers that differ from a recount:\n${differing.join('\n')}`,
    );
    if (differing.length > 0) process.exitCode = 1;
  } finally {
    for (const process of running.reverse()) await process.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
