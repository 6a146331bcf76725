import { spawnSync } from 'node:child_process';
import { createSecretKey, hash, randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { uuid } from '../../src/lib/ids.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { type Chunk, DraftBuffer, decodeDrafts } from '../../src/recording/log/codec/draft-codec.ts';
import type { ExchangeDraft, KeptBody } from '../../src/recording/log/draft.ts';
import { Overflow } from '../../src/recording/log/overflow/overflow.ts';
import { openSealed, seal } from '../../src/recording/log/overflow/sealed-file.ts';
import { createLogThread, type LogThread } from '../../src/recording/log/thread/log-thread.ts';
import { eventually } from '../support/eventually.ts';
import { draftOf } from '../support/logs.ts';
import { rounds } from '../support/long.ts';
import { startWorld, type World } from '../support/world.ts';

const log = createLogger('silent');
const key = createSecretKey(randomBytes(32));
let root: string;
let directory: string;
let count = 0;

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'sluice-handover-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));
beforeEach(() => {
  directory = join(root, String(count++));
});

const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

const bytesOf = (text: string) => Uint8Array.from(Buffer.from(text));

describe('drafts', () => {
  const body: fc.Arbitrary<KeptBody> = fc
    .tuple(fc.constantFrom(0, 1, 900, 300_000, 1_100_000), fc.nat(255))
    .map(([length, byte]) => ({ bytes: Buffer.alloc(length, byte), size: length + 7 }));
  const headers = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.array(fc.string())), {
    noNullPrototype: true,
  });
  const draft = fc
    .record({
      requestHeaders: headers,
      requestBody: fc.option(body),
      finalUntransformed: fc.option(body),
      transformed: fc.option(fc.record({ headers, body })),
      response: fc.option(
        fc.record({
          headers,
          size: fc.nat(),
          head: body.map(({ bytes }) => bytes),
          tail: body.map(({ bytes }) => bytes),
          isComplete: fc.boolean(),
        }),
      ),
      original: fc.option(fc.record({ headers, body })),
      keeps: fc.constantFrom('all' as const, 'failed answers' as const, 'none' as const),
    })
    .map(draftOf);

  /** With hashes for bytes: comparing large buffers one by one takes minutes. */
  const comparable = ({ finalUntransformed, transformed, original, ...draft }: ExchangeDraft) => {
    const { requestBody, response } = draft;
    return {
      ...draft,
      requestBody: requestBody && hashed(requestBody),
      finalUntransformed: finalUntransformed && hashed(finalUntransformed),
      transformed: transformed && { ...transformed, body: hashed(transformed.body) },
      response: response && { ...response, head: digest(response.head), tail: digest(response.tail) },
      original: original && { ...original, body: hashed(original.body) },
    };
  };
  const hashed = ({ bytes, size }: KeptBody) => ({ size, bytes: digest(bytes) });
  const digest = (bytes: Buffer) => hash('sha256', bytes);

  /** By way of bytes. */
  function handedOver(drafts: ExchangeDraft[]): ExchangeDraft[] {
    const chunks: Chunk[] = [];
    const buffer = new DraftBuffer(({ bytes, drafts }) =>
      chunks.push({ bytes: Uint8Array.from(bytes), drafts }),
    );
    for (const [index, each] of drafts.entries()) {
      buffer.add(each);
      if (index % 3 === 1) buffer.flush();
    }
    buffer.flush();
    expect(buffer.drafts).toBe(0);
    expect(chunks.reduce((sum, chunk) => sum + chunk.drafts, 0)).toBe(drafts.length);
    return chunks.flatMap(({ bytes }) => decodeDrafts(bytes));
  }

  test('come out as they went in, whatever they hold and however large they are', () => {
    fc.assert(
      fc.property(fc.array(draft, { maxLength: 12 }), (drafts) => {
        expect(handedOver(drafts).map(comparable)).toEqual(drafts.map(comparable));
      }),
      { numRuns: rounds(8, 30) },
    );
  });

  test('come out as they went in where each resembles the one before', () => {
    const few = fc
      .dictionary(
        fc.constantFrom('a', 'b', 'c', '__proto__', 'toString'),
        fc.constantFrom('1', '2', undefined, ['1']),
        { noNullPrototype: true },
      )
      .map((members) => Object.assign(Object.create(null) as typeof members, members));
    const similar = fc
      .record({
        requestHeaders: few,
        transformed: fc.option(
          few.map((headers) => ({ headers, body: { bytes: Buffer.from('body'), size: 4 } })),
        ),
        sensitiveHeaders: fc.subarray(['x-one', 'x-two']),
        quotable: fc.subarray(['a-key\nof two lines', 'a-"key"']),
        pricing: fc.constantFrom(null, { input: 1 } as never, { input: 2 } as never),
        endsCall: fc.boolean(),
      })
      .map(draftOf);
    fc.assert(
      fc.property(fc.array(similar, { maxLength: 12 }), (drafts) => {
        expect(JSON.parse(JSON.stringify(handedOver(drafts)))).toEqual(JSON.parse(JSON.stringify(drafts)));
      }),
      { numRuns: rounds(100, 300) },
    );
  });
});

describe('drafts of another version', () => {
  type Head = { record: string[]; parts: string[] };
  const jsonAt = (bytes: Buffer, at: number) => {
    const length = bytes.readUInt32LE(at);
    return { json: JSON.parse(bytes.toString('utf8', at + 4, at + 4 + length)), end: at + 4 + length };
  };
  const withLength = (json: unknown) => {
    const text = Buffer.from(JSON.stringify(json));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    return Buffer.concat([length, text]);
  };

  /** A chunk of one draft, as a version would have written it whose columns differ. */
  function chunkOf(draft: ExchangeDraft, change: (head: Head, values: unknown[]) => void): Buffer {
    let bytes = Buffer.alloc(0);
    const buffer = new DraftBuffer((chunk) => {
      bytes = Buffer.from(chunk.bytes);
    });
    buffer.add(draft);
    buffer.flush();
    const head = jsonAt(bytes, 1);
    const first = jsonAt(bytes, head.end);
    const values: unknown[] = [];
    for (let at = 0; at < first.json.length; at += 2) values[first.json[at]] = first.json[at + 1];
    change(head.json, values);
    const differences = values.flatMap((value, place) => [place, value]);
    return Buffer.concat([
      bytes.subarray(0, 1),
      withLength(head.json),
      withLength(differences),
      bytes.subarray(first.end),
    ]);
  }

  const body = { bytes: Buffer.from('asked'), size: 5 };
  const asked = draftOf({ requestBody: body, finalUntransformed: { ...body, bytes: Buffer.from('sent!') } });

  test('are read by names: what was not there yet has its default, what is no more is left out', () => {
    const chunk = chunkOf(asked, (head, values) => {
      const place = head.record.indexOf('mode text');
      head.record.splice(place, 1);
      values.splice(place, 1);
      head.record.unshift('gone text');
      values.unshift('no more');
    });
    const [draft] = decodeDrafts(chunk);
    expect(draft).toEqual({ ...asked, record: { ...asked.record, mode: 'single' } });
  });

  test('are refused where bytes of a part would be misread', () => {
    const chunk = chunkOf(asked, (head, values) => {
      head.parts.push('newBytes');
      values.push(3);
    });
    expect(() => decodeDrafts(chunk)).toThrow('newBytes');
  });
});

describe('overflow', () => {
  const open = () => new Overflow({ directory, key, log });

  /** Every piece that can be taken, as text. */
  async function taken(from: Overflow): Promise<string[]> {
    const pieces: string[] = [];
    while (!from.isEmpty) {
      const file = await from.take();
      if (!file) {
        // Still being written.
        await pause();
        continue;
      }
      for await (const bytes of openSealed(file.path, key)) pieces.push(Buffer.from(bytes).toString());
      await rm(file.path);
      from.tidySoon();
    }
    return pieces;
  }

  function append(to: Overflow, ...texts: string[]): void {
    for (const text of texts) expect(to.append({ bytes: bytesOf(text), drafts: 1 })).toBe(true);
  }

  test('gives back what it was given, in order', async () => {
    const overflow = open();
    const texts = Array.from({ length: 40 }, (_, index) => `${index} `.repeat(200_000));
    append(overflow, ...texts);
    expect(overflow.drafts).toBe(40);
    expect(await taken(overflow)).toEqual(texts);
    expect(overflow.drafts).toBe(0);
    while ((await readdir(directory)).length > 0) await pause();
    append(overflow, 'more');
    expect(await taken(overflow)).toEqual(['more']);
    await overflow.stop();
    expect(await readdir(directory)).toEqual([]);
  });

  test('what a process leaves is taken over by the next one, and what it was killed in the middle of is left out', async () => {
    const first = open();
    append(first, 'one', 'two');
    await first.stop();
    const [name = ''] = await readdir(directory);
    const [file = ''] = await readdir(join(directory, name));
    // The beginning of a piece of a hundred bytes.
    await appendFile(join(directory, name, file), Buffer.from([100, 0, 0, 0, 1, 2, 3]));
    await utimes(join(directory, name), 0, 0);

    const second = open();
    second.start();
    while (second.isEmpty) await pause();
    expect(await taken(second)).toEqual(['one', 'two']);
    await second.stop();
    expect(await readdir(directory)).toEqual([]);
  });

  test('what a process left that was killed here is taken over at once', async () => {
    const first = open();
    append(first, 'one');
    await first.stop();
    const [name = ''] = await readdir(directory);
    const dead = spawnSync(process.execPath, ['--version']).pid;
    const left = join(directory, name.replace(`-${process.pid}-`, `-${dead}-`));
    await rename(join(directory, name), left);
    await utimes(left, new Date(), new Date());
    const second = open();
    second.start();
    while (second.isEmpty) await pause();
    expect(await taken(second)).toEqual(['one']);
    await second.stop();
  });

  test('what belongs to a living process stays with it', async () => {
    const first = open();
    append(first, 'mine');
    const second = open();
    second.start();
    expect(await taken(first)).toEqual(['mine']);
    expect(second.isEmpty).toBe(true);
    await first.stop();
    await second.stop();
  });

  test('nothing on disk can be read without the key', async () => {
    const overflow = open();
    append(overflow, 'Bearer sl-very-secret '.repeat(100));
    await overflow.stop();
    const [name = ''] = await readdir(directory);
    const [file = ''] = await readdir(join(directory, name));
    const path = join(directory, name, file);
    expect((await readFile(path)).includes('very-secret')).toBe(false);
    await expect(openSealed(path, createSecretKey(randomBytes(32))).next()).rejects.toThrow();
  });

  test('no two pieces are sealed with one nonce', () => {
    const heads = Array.from({ length: 1000 }, () => seal(bytesOf('the same'), key).parts[0] as Uint8Array);
    expect(new Set(heads.map((head) => Buffer.from(head).toString('hex'))).size).toBe(1000);
  });

  test('says so when there is no room, and keeps what it has', async () => {
    const overflow = open();
    const bytes = new Uint8Array(20 * 1024 * 1024);
    expect(overflow.append({ bytes, drafts: 5 })).toBe(true);
    expect(overflow.append({ bytes, drafts: 7 })).toBe(false);
    expect(overflow.drafts).toBe(5);
    expect(await taken(overflow)).toHaveLength(1);
    await overflow.stop();
  });

  test('what a disk refuses waits in memory, in order, and can be had from there', async () => {
    const overflow = new Overflow({ directory: '/dev/null/nowhere', key, log });
    append(overflow, 'one', 'two', 'three');
    let chunk = overflow.takeRefused();
    while (!chunk) {
      await pause();
      chunk = overflow.takeRefused();
    }
    expect(Buffer.from(chunk.bytes).toString()).toBe('one');
    expect(overflow.drafts).toBe(2);
    append(overflow, 'four');
    expect(Buffer.from(overflow.takeRefused()?.bytes ?? []).toString()).toBe('two');
    // What is never taken is told as lost in the end.
    expect(await overflow.stop()).toBe(2);
  });

  test('what a disk refuses is written once it takes it', async () => {
    await writeFile(directory, 'a file where a directory is wanted');
    const overflow = open();
    append(overflow, 'one', 'two');
    await pause();
    await rm(directory);
    expect(await overflow.stop()).toBe(0);
    const next = open();
    next.start();
    while (next.isEmpty) await pause();
    expect(await taken(next)).toEqual(['one', 'two']);
    expect(await next.stop()).toBe(0);
  });

  test('a file over which its taker ends again and again is left to the next process', async () => {
    const overflow = open();
    append(overflow, 'deadly');
    for (let turn = 0; turn < 3; turn++) {
      let file = await overflow.take();
      while (!file) {
        await pause();
        file = await overflow.take();
      }
      overflow.giveBackFailed(file);
    }
    expect(overflow.isEmpty).toBe(true);
    await overflow.stop();
    expect(await readdir(directory)).toHaveLength(1);
  });
});

describe('the thread', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterAll(() => world.stop());

  const createThread = (): LogThread =>
    createLogThread(
      {
        maskedHeaders: [],
        bodies: 'full',
        maxBodyBytes: 1000,
        retentionDays: 30,
        bodyRetentionDays: 30,
        traceCollector: null,
        uri: world.app.databaseUri,
        spoolDirectory: directory,
        overflowKey: key,
        logLevel: 'silent',
      },
      log,
      () => undefined,
    );

  const stored = (traceId: string) => world.app.db.collection('logs').countDocuments({ traceId });

  test('stores what an earlier process left on disk', async () => {
    const traceId = uuid();
    const first = createThread();
    // Not started: there is no thread that would take them.
    for (let each = 0; each < 50; each++) {
      const draft = draftOf();
      first.add({ ...draft, record: { ...draft.record, traceId } });
    }
    await first.stop();
    expect(await stored(traceId)).toBe(0);

    const second = createThread();
    second.start();
    while ((await stored(traceId)) < 50) await second.drain();
    await second.stop();
    expect(await stored(traceId)).toBe(50);
    expect(await readdir(directory)).toEqual([]);
  });

  test('stores what was kept, though nobody asks for it', async () => {
    const thread = createThread();
    thread.start();
    const draft = draftOf();
    const traceId = uuid();
    await thread.keep({ ...draft, record: { ...draft.record, traceId } });
    await eventually(async () => expect(await stored(traceId)).toBe(1));
    await thread.stop();
  });

  test('keeps a draft on disk before it says so, and nothing that could be read there', async () => {
    const thread = createThread();
    const draft = draftOf({ requestHeaders: { authorization: 'Bearer sl-very-secret' } });
    await thread.keep(draft);
    const [name = ''] = readdirSync(directory);
    const [file = ''] = readdirSync(join(directory, name));
    const path = join(directory, name, file);
    expect(readFileSync(path).includes('very-secret')).toBe(false);
    const pieces: ExchangeDraft[] = [];
    for await (const bytes of openSealed(path, key)) pieces.push(...decodeDrafts(bytes));
    expect(pieces.map(({ record }) => record._id)).toEqual([draft.record._id]);
    await thread.stop();
  });

  test('stores what was kept once, together with what was added, and tidies up', async () => {
    const thread = createThread();
    thread.start();
    const traceId = uuid();
    const large = { bytes: Buffer.alloc(900_000, 'x'), size: 900_000 };
    for (let each = 0; each < 300; each++) {
      // Some files are full before their time.
      const draft = draftOf({ requestBody: each % 100 < 4 ? large : null });
      const kept = thread[each % 3 === 0 ? 'add' : 'keep']({
        ...draft,
        record: { ...draft.record, traceId },
      });
      if (each % 50 === 1) await kept;
    }
    await thread.drain();
    expect(await stored(traceId)).toBe(300);
    expect(thread.counters).toMatchObject({ written: 300, dropped: 0 });
    await thread.stop();
    expect(thread.counters.waiting).toBe(0);
    expect(await readdir(directory)).toEqual([]);
  });

  test('takes what is to be kept into memory while the disk refuses it', async () => {
    await writeFile(directory, 'a file where a directory is wanted');
    const thread = createThread();
    thread.start();
    const traceId = uuid();
    for (let each = 0; each < 3; each++) {
      const draft = draftOf();
      await thread.keep({ ...draft, record: { ...draft.record, traceId } });
    }
    await thread.drain();
    expect(await stored(traceId)).toBe(3);
    await rm(directory);
    await thread.stop();
  });

  test('stores far more than it can take at once, and drains all of it', async () => {
    const traceId = uuid();
    const thread = createThread();
    thread.start();
    const body = { bytes: Buffer.alloc(1000, 'x'), size: 1000 };
    for (let each = 0; each < 5000; each++) {
      const draft = draftOf({ requestBody: body });
      thread.add({ ...draft, record: { ...draft.record, traceId } });
    }
    await thread.drain();
    expect(await stored(traceId)).toBe(5000);
    expect(thread.counters).toMatchObject({ written: 5000, dropped: 0 });
    await thread.stop();
    expect(await readdir(directory)).toEqual([]);
  });

  test('stores what comes while it stops, or leaves it on disk for the next one', async () => {
    const traceId = uuid();
    const withTrace = () => {
      const draft = draftOf();
      return { ...draft, record: { ...draft.record, traceId } };
    };
    const first = createThread();
    first.start();
    first.add(withTrace());
    const stopped = first.stop();
    first.add(withTrace());
    await stopped;
    const second = createThread();
    second.start();
    while ((await stored(traceId)) < 2) await second.drain();
    await second.stop();
    expect(await stored(traceId)).toBe(2);
    expect(first.counters.dropped).toBe(0);
  });

  test('sets a file aside that it cannot read, and goes on', async () => {
    const other = new Overflow({ directory, key: createSecretKey(randomBytes(32)), log });
    other.append({ bytes: bytesOf('sealed with another key'), drafts: 1 });
    await other.stop();
    const thread = createThread();
    thread.start();
    const damaged = async () => (await readdir(directory)).some((name) => name.startsWith('damaged-'));
    while (!(await damaged())) await pause();
    const draft = draftOf();
    thread.add(draft);
    await thread.drain();
    expect(await stored(draft.record.traceId)).toBe(1);
    await thread.stop();
  });
});
