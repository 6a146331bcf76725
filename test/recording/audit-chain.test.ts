import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Db } from 'mongodb';
import { createLogger } from '../../src/lib/logger.ts';
import {
  type AuditChain,
  auditEntriesIn,
  auditHeadsIn,
  type ChainedAuditEntry,
  createAuditChain,
  entryHash,
} from '../../src/recording/audit/chain.ts';
import type { IdentifiedAuditEntry } from '../../src/recording/audit/entry.ts';
import {
  type AuditNote,
  type ChainReport,
  verifyAuditTrail,
} from '../../src/recording/audit/verification.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { startApp, type TestApp } from '../support/app.ts';

const signer = (fill: number) => {
  const { sign } = createSecrets(Buffer.alloc(32, fill));
  return (text: string) => sign('audit chain', text);
};
const sign = signer(1);
const log = createLogger('silent');

let app: TestApp;
let db: Db;
let chain: AuditChain;

beforeAll(async () => {
  app = await startApp();
  db = nativeDb(app.db);
});
afterAll(() => app.stop());

let count = 0;
const entry = (
  organisationId = 'org',
  members: Partial<IdentifiedAuditEntry> = {},
): IdentifiedAuditEntry => ({
  _id: `entry-${++count}`,
  organisationId,
  workspaceId: null,
  userId: 'key',
  userType: 'api_key',
  resourceType: 'config',
  action: 'create',
  targetId: null,
  outcome: 'success',
  responseStatusCode: 200,
  method: 'POST',
  uri: '/v1/configs',
  requestId: 'request',
  requestBody: `{"number":${count}}`,
  queryParams: '',
  requestHeaders: '{}',
  clientIp: '127.0.0.1',
  userAgent: 'test',
  timestamp: new Date(count),
  ...members,
});

const entries = () => auditEntriesIn(db);
const newChain = () => createAuditChain({ db: () => db, sign, log });
const at = async (sequence: number, organisationId = 'org') =>
  (await entries().findOne({ organisationId, sequence })) as ChainedAuditEntry;
async function verify(
  notes: AuditNote[] = [],
  by = sign,
): Promise<Record<string, Omit<ChainReport, 'organisationId'>>> {
  const reports: Record<string, Omit<ChainReport, 'organisationId'>> = {};
  for await (const { organisationId, ...report } of verifyAuditTrail(db, by, notes))
    reports[organisationId] = report;
  return reports;
}
const breaks = async (notes?: AuditNote[]) =>
  (await verify(notes)).org?.breaks.map(({ what, sequence }) => `${what} ${sequence}`);

beforeEach(async () => {
  await entries().deleteMany({});
  await auditHeadsIn(db).deleteMany({});
  chain = newChain();
  await chain.append([entry(), entry(), entry(), entry(), entry(), entry('other'), entry('other')]);
  await chain.settle();
});

describe('a chain', () => {
  test('has a number and the hash before for each entry of its organisation, and a head', async () => {
    const [first, second] = [await at(1), await at(2)];
    expect(first).toMatchObject({ previousHash: null, unchainedBefore: 0, beforeDigest: null });
    expect(second.previousHash).toBe(first.hash);
    expect(second.hash).toBe(entryHash(sign, second));
    const heads = await auditHeadsIn(db).find({}).sort({ _id: 1 }).toArray();
    expect(heads).toEqual([
      { _id: 'org', sequence: 5, hash: (await at(5)).hash },
      { _id: 'other', sequence: 2, hash: (await at(2, 'other')).hash },
    ]);
  });

  test('is whole when nobody touched it', async () => {
    expect(await verify()).toEqual({
      org: {
        entries: 5,
        unchained: 0,
        newest: { sequence: 5, hash: (await at(5)).hash },
        breaks: [],
        breakCount: 0,
      },
      other: expect.objectContaining({ entries: 2, breakCount: 0 }),
    });
  });

  test('takes an entry once, however often and by whomever it is given', async () => {
    const again = entry();
    await chain.append([again]);
    await newChain().append([entry(), again, entry()]);
    await chain.append([again]);
    await chain.settle();
    expect(await breaks()).toEqual([]);
    expect(await entries().countDocuments({ organisationId: 'org' })).toBe(8);
    expect(await entries().countDocuments({ _id: again._id })).toBe(1);
  });

  test('keeps its order when several processes append to it at once', async () => {
    const chains = [chain, newChain(), newChain()];
    await Promise.all(Array.from({ length: 90 }, (_, index) => chains[index % 3]?.append([entry()])));
    await Promise.all(chains.map((each) => each.settle()));
    expect(await verify()).toMatchObject({ org: { entries: 95, newest: { sequence: 95 }, breakCount: 0 } });
    expect(await auditHeadsIn(db).findOne({ _id: 'org' })).toMatchObject({ sequence: 95 });
  });

  test('holds any text, also one that was cut inside a character', async () => {
    const requestBody = 'é😀\u0000\u2028'.concat('😀'.slice(0, 1));
    await chain.append([entry('org', { requestBody, userAgent: '{"$date":1}' })]);
    expect(await breaks()).toEqual([]);
  });

  test('may be ahead of its head, which was to be written when the process was killed', async () => {
    const { hash } = await at(3);
    await auditHeadsIn(db).updateOne({ _id: 'org' }, { $set: { sequence: 3, hash } });
    expect(await breaks()).toEqual([]);
    await auditHeadsIn(db).deleteOne({ _id: 'org' });
    expect(await breaks()).toEqual([]);
  });

  test('counts the entries that are older than itself', async () => {
    await entries().insertMany([entry('old'), entry('old')]);
    await chain.append([entry('old')]);
    expect(await verify()).toMatchObject({ old: { entries: 1, unchained: 2, breakCount: 0 } });
    await entries().insertOne(entry('old'));
    expect((await verify()).old?.breaks).toMatchObject([{ what: 'inserted', sequence: 0 }]);
    await entries().deleteMany({ organisationId: 'old', sequence: { $exists: false } });
    expect((await verify()).old?.breaks).toMatchObject([{ what: 'missing', sequence: 0 }]);
  });
});

describe('a break is found where', () => {
  const members = Object.keys({ ...entry(), sequence: 3, previousHash: '', hash: '' });

  test.each(members.filter((name) => name !== '_id'))('%s was changed', async (name) => {
    const stored = (await at(3)) as Record<string, unknown>;
    const value = stored[name];
    const other =
      value instanceof Date
        ? new Date(value.getTime() + 1)
        : typeof value === 'number'
          ? value + 7
          : `${value}x`;
    await entries().updateOne({ _id: (await at(3))._id }, { $set: { [name]: other } });
    const found = (await verify()).org;
    expect(found?.breakCount).toBeGreaterThan(0);
    expect(found?.breaks[0]?.sequence).toBe(3);
  });

  test('a member was added or taken away', async () => {
    await entries().updateOne({ sequence: 2, organisationId: 'org' }, { $set: { note: 'x' } as object });
    await entries().updateOne({ sequence: 4, organisationId: 'org' }, { $unset: { clientIp: '' } });
    expect(await breaks()).toEqual(['altered 2', 'altered 4']);
  });

  test('an entry has another id', async () => {
    const stored = await at(3);
    await entries().deleteOne({ _id: stored._id });
    await entries().insertOne({ ...stored, _id: 'another' });
    expect(await breaks()).toEqual(['altered 3']);
  });

  test('an entry was removed from the middle', async () => {
    await entries().deleteMany({ organisationId: 'org', sequence: { $in: [2, 3] } });
    expect((await verify()).org?.breaks).toEqual([
      { what: 'missing', sequence: 2, detail: 'the entries 2 to 3 are gone' },
    ]);
  });

  test('the newest was removed, also after others have come', async () => {
    await entries().deleteOne({ organisationId: 'org', sequence: 5 });
    expect(await breaks()).toEqual(['head 5']);
    await newChain().append([entry()]);
    expect(await breaks()).toEqual(['missing 5']);
  });

  test('all were removed', async () => {
    await entries().deleteMany({ organisationId: 'org' });
    expect(await breaks()).toEqual(['head 1']);
  });

  test('two changed places', async () => {
    const [second, fourth] = [await at(2), await at(4)];
    await entries().updateOne({ _id: second._id }, { $set: { sequence: 99 } });
    await entries().updateOne({ _id: fourth._id }, { $set: { sequence: 2 } });
    await entries().updateOne({ _id: second._id }, { $set: { sequence: 4 } });
    expect((await verify()).org?.breaks).toEqual([
      { what: 'reordered', sequence: 2, detail: 'the entry was written as number 4' },
      { what: 'reordered', sequence: 4, detail: 'the entry was written as number 2' },
    ]);
  });

  test('one was slipped in at the end, without a number, or in the place of another', async () => {
    const { _id: _ours, ...copy } = await at(5);
    await entries().insertOne({ ...copy, _id: 'end', sequence: 6, previousHash: copy.hash });
    await entries().insertOne(entry());
    expect(await breaks()).toEqual(['inserted 0', 'inserted 6']);
    await entries().deleteMany({ _id: { $in: ['end', (await at(3))._id] } });
    await entries().insertOne({ ...copy, _id: 'middle', sequence: 3 });
    expect(await breaks()).toEqual(['inserted 0', 'altered 3']);
  });

  test('one was written with another key, chained as it should be', async () => {
    const forged = { ...(await at(3)), requestBody: 'nothing of note' };
    await entries().replaceOne({ _id: forged._id }, { ...forged, hash: entryHash(signer(2), forged) });
    expect(await breaks()).toEqual(['altered 3']);
    expect((await verify([], signer(2))).org?.breakCount).toBeGreaterThan(3);
  });

  test('a genuine entry of another history of the same chain took the place', async () => {
    const kept = await at(5);
    await entries().deleteMany({ organisationId: 'org', sequence: { $gte: 4 } });
    await auditHeadsIn(db).deleteOne({ _id: 'org' });
    await newChain().append([entry()]);
    await entries().insertOne(kept);
    expect(await breaks()).toEqual(['inserted 5']);
  });

  test('the head names another entry', async () => {
    await auditHeadsIn(db).updateOne({ _id: 'org' }, { $set: { hash: 'f'.repeat(64) } });
    expect(await breaks()).toEqual(['head 5']);
  });

  test('entries and head were taken back, of which only a note outside the database can tell', async () => {
    const note = { organisationId: 'org', sequence: 5, hash: (await at(5)).hash };
    expect(await breaks([note])).toEqual([]);
    await entries().deleteMany({ organisationId: 'org', sequence: { $gt: 3 } });
    const { hash } = await at(3);
    await auditHeadsIn(db).updateOne({ _id: 'org' }, { $set: { sequence: 3, hash } });
    expect(await breaks([])).toEqual([]);
    expect(await breaks([note])).toEqual(['note 4']);
    await newChain().append([entry(), entry()]);
    expect(await breaks([note])).toEqual(['note 5']);
    expect((await verify([{ ...note, organisationId: 'gone' }])).gone?.breaks).toMatchObject([
      { what: 'note', sequence: 1 },
    ]);
  });
});
