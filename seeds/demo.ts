import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Db } from 'mongodb';
import { createLogger } from '../src/lib/logger.ts';
import { keyUseModel } from '../src/recording/key-use/index.ts';
import { LOGS_COLLECTION } from '../src/recording/log/record.ts';
import { createLogWriter } from '../src/recording/log/writer.ts';
import { openStorage } from '../src/storage/connection.ts';
import { findEmbedded } from '../src/storage/embedded/index.ts';
import { readMasterKey } from '../src/storage/master-key.ts';
import { nativeDb } from '../src/storage/native-db.ts';
import { createSecrets } from '../src/storage/secrets.ts';
import { makeSetUpLink } from '../src/subgraphs/identity/sign-in-link/index.ts';
import type { Bootstrap } from './bootstrap.ts';
import { configs, seedCatalogue } from './demo/catalogue.ts';
import { type Ask, askAt } from './demo/graph.ts';
import { seedGuardrails } from './demo/guardrails.ts';
import { keys, seedKeys } from './demo/keys.ts';
import { seedLimits } from './demo/limits.ts';
import { seedMcp } from './demo/mcp.ts';
import { owner, people, seedPeople } from './demo/people.ts';
import {
  type Caller,
  callerOf,
  DEMO_SOURCE,
  habits,
  recordAt,
  sequence,
  timesBefore,
} from './demo/traffic.ts';

/** Logs that are written at once. */
const BATCH = 500;
const DAY_MS = 24 * 3_600_000;

export type DemoOptions = {
  /** Where the service answers. */
  url: string;
  /** Its DATA_DIR, with an embedded store that it holds open. */
  dataDirectory: string;
  /** Calls of the past, and the days over which they lie. */
  logs: number;
  days: number;
  now?: Date;
};

/** What the demo has, for whoever counts. */
export const demo = { people: [owner, ...people], keys, configs };

/**
 * Fills a running service with a tenant that looks alive: people of each role, workspaces, connections, configs, keys and
 * calls of the past weeks. What is there already stays, so that it may run any number of times. Everything but the calls comes
 * through the graph, and stands in the audit trail.
 */
export async function seedDemo({
  url,
  dataDirectory,
  logs,
  days,
  now = new Date(),
}: DemoOptions): Promise<void> {
  const seeds = JSON.parse(await readFile(join(dataDirectory, 'bootstrap.json'), 'utf8')) as Bootstrap;
  const storage = await openStorage({
    dataDirectory,
    mongodbUri: await findEmbedded(join(dataDirectory, 'store')),
  });
  try {
    const ask = askAt(url, seeds.admin_api_key);
    const anyone = askAt(url, null);
    const secrets = createSecrets(await readMasterKey(dataDirectory, null));
    const token = await makeSetUpLink({ db: storage.db, secrets, now: () => new Date() });
    if (token !== null)
      await anyone('mutation ($input: CreateOwnerInput!) { createOwner(input: $input) { userId } }', {
        input: { token, ...owner },
      });
    await seedCatalogue(ask);
    await seedLimits(ask);
    await seedGuardrails(ask);
    await seedMcp(ask);
    const userIds = await seedPeople(ask, anyone);
    const callers = await callersOf(ask, seeds, userIds);
    const uses = await seedCalls(nativeDb(storage.db), callers, { logs, days, now });
    await Promise.all(
      [...uses].map(([_id, usedAt]) =>
        keyUseModel(storage.db).updateOne({ _id }, { $max: { usedAt } }, { upsert: true }),
      ),
    );
  } finally {
    await storage.stop();
  }
}

async function callersOf(
  ask: Ask,
  seeds: Bootstrap,
  userIds: ReadonlyMap<string, string>,
): Promise<Caller[]> {
  const seeded = await seedKeys(ask, userIds);
  const found = await ask<{ workspaces: { data: { id: string; slug: string }[] } }>(
    '{ workspaces(pageSize: 100) { data { id slug } } }',
  );
  const ids = new Map(found.workspaces.data.map(({ id, slug }) => [slug, id]));
  return seeded.flatMap(({ id, name, workspaceSlug }) => {
    const workspaceId = workspaceSlug === null ? undefined : ids.get(workspaceSlug);
    return workspaceId !== undefined && name in habits
      ? [{ organisationId: seeds.organisation_id, workspaceId, apiKeyId: id, name }]
      : [];
  });
}

type Amount = { logs: number; days: number; now: Date };

/** Writes the calls of the past, unless there are any already. Answers the last call of each key that it wrote one of. */
async function seedCalls(
  db: Db,
  callers: readonly Caller[],
  { logs, days, now }: Amount,
): Promise<Map<string, Date>> {
  const uses = new Map<string, Date>();
  if (await db.collection(LOGS_COLLECTION).findOne({ source: DEMO_SOURCE })) return uses;
  const random = sequence(7);
  const incident = new Date(now.getTime() - 2 * DAY_MS);
  const writer = createLogWriter({ database: async () => db, log: createLogger('warn') });
  const times = timesBefore(now, { count: logs, days }, random);
  for (let start = 0; start < times.length; start += BATCH) {
    const entries = times.slice(start, start + BATCH).map((time) => {
      const caller = callerOf(callers, random);
      uses.set(caller.apiKeyId, time);
      return { record: recordAt(time, caller, random, incident), bodies: null };
    });
    await writer.write(entries);
    await writer.settle();
  }
  await writer.stop();
  return uses;
}
