import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, MongoClient } from 'mongodb';
import {
  type EmbeddedOptions,
  type EmbeddedServer,
  startEmbedded,
} from '../../../src/storage/embedded/index.ts';

/** A running server with one connected client, in a directory of its own. */
export type Running = {
  directory: string;
  server: EmbeddedServer;
  client: MongoClient;
  db: Db;
  stop(): Promise<void>;
};

export function temporaryDirectory(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'embedded-test-'));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts a server for a test file; `stop` also removes the directory. */
export async function startServer(options: Partial<EmbeddedOptions> = {}): Promise<Running> {
  const directory = temporaryDirectory();
  const server = await startEmbedded({ directory: directory.path, ...options });
  const client = await MongoClient.connect(server.uri, { maxPoolSize: 50 });
  return {
    directory: directory.path,
    server,
    client,
    db: client.db(),
    async stop() {
      await client.close();
      await server.stop();
      directory.remove();
    },
  };
}

/** The error a promise ends with, as the driver reports it. */
export async function errorOf(
  promise: Promise<unknown>,
): Promise<{ code?: number; message: string } & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as { code?: number; message: string } & Record<string, unknown>;
  }
  throw new Error('expected a rejection');
}

/** Small repeatable random numbers (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
