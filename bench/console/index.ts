// `npm run bench:console -- <logs> <days>`: how long each query of the console takes over all logs; a page that opens asks one.
// Exits with 1 when a budget is missed, or an answer has errors. The queries are those of `npm run codegen`.
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/connection.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { tokenOf } from '../access-token.ts';
import { seed } from '../analytics/seed.ts';
import { type Running, type RunningSluice, startSluice } from '../processes.ts';
import { startServer } from '../store/server.ts';
import { memoryOfConsole } from './memory.ts';
import { type Asked, asked, type Shown } from './pages.ts';
import { graphOf, prepareShown } from './shown.ts';

const LOGS = Number(process.argv[2] ?? 1_000_000);
const DAYS = Number(process.argv[3] ?? 30);
const PORT = 18097;
const ROUNDS = 7;
const DEBUGGER = 18197;
/** What the gateway may hold for a console that nobody uses. */
const IDLE_MB = 3;

/** The documents of the console's pages: what each of its queries is called, and its text. */
function queries(): [name: string, text: string][] {
  const file = new URL('../../console/documents.json', import.meta.url);
  const texts = Object.values<string>(JSON.parse(readFileSync(file, 'utf8')));
  return texts.flatMap((text) => {
    const name = /^query (\w+)/m.exec(text)?.[1];
    return name ? [[name, text]] : [];
  });
}

type Measured = { name: string; ask(): Promise<unknown>; budgetMs: number };

/** Whether the median of some rounds is within the budget. */
async function time({ name, ask, budgetMs }: Measured): Promise<boolean> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const startedAt = performance.now();
    await ask().catch((cause: Error) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
    times.push(performance.now() - startedAt);
  }
  times.sort((a, b) => a - b);
  const median = times[Math.floor(ROUNDS / 2)] ?? 0;
  const figures = [times[0], median, times.at(-1)].map((value = 0) => value.toFixed(0)).join(' | ');
  const isMet = median <= budgetMs;
  console.log(`| ${name} | ${figures} | ${budgetMs} | ${isMet ? 'yes' : 'no'} |`);
  return isMet;
}

/** Every query of the console in every way in which its page asks; throws for one that nobody says how to ask. */
async function measured(sluice: RunningSluice, shown: Shown): Promise<Measured[]> {
  const token = await tokenOf(sluice, sluice.tsgId);
  const keyFor = ({ ofWorkspace, ofAccount }: Asked) =>
    ofAccount ? token : ofWorkspace ? sluice.workspaceKey : sluice.adminKey;
  const ways = asked(new Date(), DAYS, shown);
  return queries().flatMap(([name, text]) => {
    const own = ways[name];
    if (!own) throw new Error(`Say in bench/console/pages.ts how the console asks ${name}.`);
    return own.map((way) => ({
      name: way.as ? `${name}, ${way.as}` : name,
      ask: () => graphOf(PORT, keyFor(way))(text, way.variables),
      budgetMs: way.budgetMs,
    }));
  });
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
    const sluice = await startSluice(PORT, { flags: [`--inspect=127.0.0.1:${DEBUGGER}`] });
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
    for (const page of await measured(sluice, await prepareShown(sluice, db, owner.organisationId))) {
      if (!(await time(page))) process.exitCode = 1;
    }
    const idle = await memoryOfConsole(sluice, DEBUGGER);
    const isMet = idle < IDLE_MB;
    if (!isMet) process.exitCode = 1;
    console.log(
      `\nThe heap of the gateway, once a console was opened and left: ${idle.toFixed(2)} MB more (budget ${IDLE_MB} MB, ${isMet ? 'met' : 'missed'}).`,
    );
  } finally {
    for (const process of running.reverse()) await process.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
