// `npm run bench:console -- <logs> <days>`: how long the one query of each page of a console takes over all logs. Exits with 1
// when a budget is missed, or an answer has errors.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/connection.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { seed } from '../analytics/seed.ts';
import { type Running, startSluice } from '../processes.ts';
import { startServer } from '../store/server.ts';
import { type PageQuery, pages } from './pages.ts';

const LOGS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 30);
const PORT = 18097;
const ROUNDS = 7;

type Answer = { data?: unknown; errors?: { message: string }[] };

async function ask(key: string, { query, variables }: PageQuery): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${PORT}/graphql`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as Answer;
}

/** Whether the median of some rounds is within the budget. */
async function time(key: string, page: PageQuery): Promise<boolean> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    const { errors } = await ask(key, page);
    if (errors) throw new Error(`${page.name}: ${errors.map(({ message }) => message).join(' ')}`);
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(ROUNDS / 2)] ?? 0;
  const figures = [times[0], median, times.at(-1)].map((value = 0) => value.toFixed(0)).join(' | ');
  const isMet = median <= page.budgetMs;
  console.log(`| ${page.name} | ${figures} | ${page.budgetMs} | ${isMet ? 'yes' : 'no'} |`);
  return isMet;
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-console-'));
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
    const startedAt = performance.now();
    const owner = { organisationId: workspace.organisationId, workspaceId: workspace._id };
    await seed(db, owner, { logs: LOGS, days: DAYS });
    const rate = (LOGS * 1000) / (performance.now() - startedAt);
    console.log(
      `${LOGS} logs over ${DAYS} days, written at ${Math.round(rate)} a second; milliseconds of ${ROUNDS} rounds.\n`,
    );
    console.log('| page | best | median | worst | budget | met |');
    console.log('|---|--:|--:|--:|--:|---|');
    const logs = db.collection<{ _id: string; createdAt: Date }>('logs');
    const old = await logs.find({}, { sort: { createdAt: -1 }, skip: 50_000, limit: 1 }).next();
    if (!old) throw new Error('These are too few logs: more than 50,000 are needed.');
    for (const page of pages({ now: new Date(), days: DAYS, id: old._id })) {
      // Feedback is a matter of workspaces, which a key of the organisation does not see.
      const key = page.name === 'Detail' ? sluice.workspaceKey : sluice.adminKey;
      if (!(await time(key, page))) process.exitCode = 1;
    }
  } finally {
    for (const process of running.reverse()) await process.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
