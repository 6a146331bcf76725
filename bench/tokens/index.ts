// `npm run bench:tokens -- <seconds a row>`: how long a service account of the root waits for a token for a tenant five
// levels below it, and for a read with that token, with 10 tenants and with 10,000. Exits with 1 when a budget is missed.

import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStorage } from '../../src/storage/connection.ts';
import { tokenOf, tokenRequest } from '../access-token.ts';
import { type LoadResult, load, type Request } from '../load.ts';
import { type Running, type RunningSluice, startSluice } from '../processes.ts';
import { startServer } from '../store/server.ts';
import { paced } from './paced.ts';
import { growTo, LEVELS } from './tenants.ts';

const SECONDS = Number(process.argv[2] ?? 10);
const PORT = 18095;
/** Milliseconds that the slowest answer of a hundred may take; of a machine that is full every answer waits for others. */
const BUDGET = 20;
const PER_SECOND = 100;

type Row = { what: string; request: Request };
type Measured = Pick<LoadResult, 'perSecond' | 'p50' | 'p99' | 'failures'>;

async function rowsFor(sluice: RunningSluice, tenants: number, tenant: string): Promise<Row[]> {
  const headers = { authorization: `Bearer ${await tokenOf(sluice, tenant)}` };
  return [
    { what: `token, ${tenants} tenants`, request: tokenRequest(sluice, tenant) },
    {
      what: `GET /v2/configs, ${tenants} tenants`,
      request: { method: 'GET', path: '/v2/configs', headers, body: '' },
    },
  ];
}

/** Prints one line; false when its budget is missed or an answer was no 200. */
function report(what: string, how: string, { perSecond, p50, p99, failures }: Measured, hasBudget: boolean) {
  const isMet = failures === 0 && (!hasBudget || p99 < BUDGET);
  const figures = `${Math.round(perSecond)} | ${p50.toFixed(2)} | ${p99.toFixed(2)}`;
  console.log(
    `| ${what} | ${how} | ${figures} | ${hasBudget ? BUDGET : '–'} | ${failures} | ${isMet ? 'yes' : 'no'} |`,
  );
  return isMet;
}

async function measure({ what, request }: Row): Promise<boolean> {
  const options = { seconds: SECONDS };
  // Compiled as it runs; what counts is a service that has been up.
  await load(PORT, request, { ...options, connections: 8 });
  const alone = await load(PORT, request, { ...options, connections: 1 });
  const full = await load(PORT, request, { ...options, connections: 32 });
  const usual = await paced(PORT, request, { ...options, perSecond: PER_SECOND });
  const met = [
    report(what, '1 connection', alone, true),
    report(what, `${PER_SECOND} a second`, usual, true),
    report(what, '32 connections', full, false),
  ];
  return met.every(Boolean);
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-tokens-'));
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
    console.log(
      `Tenants on ${LEVELS} levels below the account's; ${SECONDS} s a row; times in milliseconds.\n`,
    );
    console.log('| what | load | answers/s | p50 | p99 | budget p99 | failures | met |');
    console.log('|---|---|--:|--:|--:|--:|--:|---|');
    for (const tenants of [10, 10_000]) {
      const tenant = await growTo(storage.db, sluice.tsgId, tenants);
      for (const row of await rowsFor(sluice, tenants, tenant)) {
        if (!(await measure(row))) process.exitCode = 1;
      }
    }
  } finally {
    for (const process of running.reverse()) await process.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
