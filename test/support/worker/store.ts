import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { startEmbedded } from '../../../src/storage/embedded/index.ts';

let uri: Promise<string> | undefined;

/** The connection string of the embedded store that all test files of a worker of Jest share, each with databases of its own. */
export function storeOfWorker(): Promise<string> {
  uri ??= start();
  return uri;
}

/** Runs until the worker ends: a thread that started for each app took as long as the app itself. */
async function start(): Promise<string> {
  const stores = process.env.SLUICE_TEST_STORES;
  if (stores === undefined) throw new Error('jest.config.mjs names no directory for the stores of workers.');
  const server = await startEmbedded({ directory: await mkdtemp(join(stores, 'store-')) });
  return server.uri;
}
