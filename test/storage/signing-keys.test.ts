import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '../../src/lib/logger.ts';
import { type Changes, createChanges } from '../../src/storage/changes.ts';
import { openStorage, type Storage } from '../../src/storage/connection.ts';
import { createLeases } from '../../src/storage/leases.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import {
  createSigningKeys,
  revokeAll,
  rotateNow,
  type SigningKeys,
  signingKeyModel,
} from '../../src/storage/signing-keys/index.ts';
import { type TestDatabase, testDatabase } from '../support/database.ts';

const log = createLogger('silent');
const secrets = createSecrets(randomBytes(32));
const minute = 60_000;
const day = 24 * 60 * minute;

let directory: string;
let database: TestDatabase;
let storage: Storage;
/** Milliseconds since the epoch. */
let time: number;
let changes: Changes;
let keys: SigningKeys;
const now = () => new Date(time);

/** The keys as another process has them; it hears of changes from the database alone. */
function process(own = createChanges(storage.db, log)) {
  return createSigningKeys({ db: storage.db, secrets, changes: own, now, log });
}
const rotation = () => ({ db: storage.db, secrets, leases: createLeases(log), now });
const stored = () => signingKeyModel(storage.db).find().lean();
const idsOf = (of: SigningKeys) => of.published().map(({ kid }) => kid);

/** What a start after some days does. */
async function startAgain(days: number): Promise<void> {
  time += days * day;
  keys.stop();
  changes = createChanges(storage.db, log);
  keys = process(changes);
  await keys.start();
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-signing-'));
  database = testDatabase();
  storage = await openStorage({ dataDirectory: directory, mongodbUri: database.uri || null });
});
afterAll(async () => {
  await storage.stop();
  await database.drop();
  await rm(directory, { recursive: true, force: true });
});
beforeEach(async () => {
  await signingKeyModel(storage.db).deleteMany({});
  time = Date.UTC(2026, 0, 1);
  changes = createChanges(storage.db, log);
  keys = process(changes);
  await keys.start();
  keys.stop();
});

describe('the first start', () => {
  it('makes a key that signs and is published', async () => {
    expect(idsOf(keys)).toEqual([keys.current().id]);
    expect(keys.published()).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: keys.current().id,
        use: 'sig',
        alg: 'ES256',
      },
    ]);
  });

  it('of several processes at once agrees on one', async () => {
    await signingKeyModel(storage.db).deleteMany({});
    const several = Array.from({ length: 5 }, () => process());
    await Promise.all(several.map((one) => one.start()));
    for (const one of several) one.stop();
    expect(new Set(several.map((one) => one.current().id)).size).toBe(1);
    expect(await stored()).toHaveLength(1);
  });

  it('stores the private key sealed, bound to its document', async () => {
    const [document] = await stored();
    expect(JSON.stringify(document)).not.toContain('"d"');
    expect(JSON.parse(secrets.decrypt(document?.sealedPrivateKey ?? '', document?._id ?? ''))).toMatchObject({
      d: expect.any(String),
    });
    expect(() => secrets.decrypt(document?.sealedPrivateKey ?? '', 'another')).toThrow();
  });
});

describe('a rotation', () => {
  it('publishes the next key five minutes before it signs, and the last one until its tokens are over', async () => {
    const old = keys.current().id;
    const { _id: next } = await rotateNow(rotation());
    await changes.publish('signing_key');
    expect(idsOf(keys)).toEqual([old, next]);
    expect(keys.current().id).toBe(old);
    time += 5 * minute - 1;
    expect(keys.current().id).toBe(old);
    time += 1;
    expect(keys.current().id).toBe(next);
    // The longest-lived tokens are those for MCP servers.
    time += 60 * minute;
    expect(idsOf(keys)).toEqual([old, next]);
    expect(await keys.find(old)).not.toBeNull();
    time += 2 * minute;
    expect(idsOf(keys)).toEqual([next]);
    expect(await keys.find(old)).toBeNull();
  });

  it('comes by itself after thirty days, once for all processes', async () => {
    const old = keys.current().id;
    await startAgain(29);
    expect(await stored()).toHaveLength(1);
    time += 2 * day;
    const several = Array.from({ length: 3 }, () => process());
    await Promise.all(several.map((one) => one.start()));
    for (const one of several) one.stop();
    expect(await stored()).toHaveLength(2);
    await startAgain(1);
    expect(keys.current().id).not.toBe(old);
    expect((await stored()).map(({ _id }) => _id)).toEqual([keys.current().id]);
  });

  it('that revokes drops every earlier key at once', async () => {
    const old = keys.current().id;
    await rotateNow(rotation());
    const { _id: next } = await revokeAll(rotation());
    await changes.publish('signing_key');
    expect(idsOf(keys)).toEqual([next]);
    expect(keys.current().id).toBe(next);
    expect(await keys.find(old)).toBeNull();
  });
});

describe('an id that is not known', () => {
  it('is looked up once, and again after a change', async () => {
    const other = process();
    await other.start();
    other.stop();
    const { _id: next } = await rotateNow(rotation());
    expect(other.find('nobody')).toBeInstanceOf(Promise);
    expect(await other.find(next)).not.toBeNull();
    expect(await other.find('nobody')).toBeNull();
    expect(other.find('nobody')).toBeNull();
    expect(other.find(next)).not.toBeInstanceOf(Promise);
  });

  it('says so when the database does not answer', async () => {
    const closed = await openStorage({ dataDirectory: join(directory, 'closed'), mongodbUri: storage.uri });
    const other = createSigningKeys({ db: closed.db, secrets, changes, now, log });
    await other.start();
    other.stop();
    await closed.stop();
    await expect(other.find('nobody')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(other.find(keys.current().id)).not.toBeNull();
  });
});
