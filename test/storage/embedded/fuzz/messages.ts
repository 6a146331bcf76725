import { type Document, serialize } from 'bson';
import type { Random } from './random.ts';

const opQuery = 2004;
const opMessage = 2013;

const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32LE(value | 0);
  return bytes;
};

function framed(requestId: number, code: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([int32(body.length + 16), int32(requestId), int32(0), int32(code), body]);
}

const bodySection = (document: Document | Buffer): Buffer =>
  Buffer.concat([Buffer.from([0]), Buffer.isBuffer(document) ? document : serialize(document)]);

function sequence(name: string, ...documents: Uint8Array[]): Buffer {
  const content = Buffer.concat([Buffer.from(`${name}\0`), ...documents]);
  return Buffer.concat([Buffer.from([1]), int32(content.length + 4), content]);
}

/** A well-formed OP_MSG. */
export const message = (requestId: number, ...sections: Buffer[]): Buffer =>
  framed(requestId, opMessage, int32(0), ...sections);

export const command = (requestId: number, document: Document): Buffer =>
  message(requestId, bodySection({ ...document, $db: 'wire' }));

/** A document with one element whose bytes are given, its own length right. */
function rawDocument(type: number, ...value: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from([type]), Buffer.from('a\0'), ...value, Buffer.from([0])]);
  return Buffer.concat([int32(content.length + 4), content]);
}

function nested(levels: number, type: 3 | 4): Buffer {
  let document = Buffer.from(serialize({}));
  for (let i = 0; i < levels; i++) {
    const content = Buffer.concat([Buffer.from([type, 0x30, 0]), document, Buffer.from([0])]);
    document = Buffer.concat([int32(content.length + 4), content]);
  }
  return document;
}

/** Elements whose inner lengths lie, above all such that send a careless reader backwards. */
function lyingDocument(random: Random): Buffer {
  const length = int32(random.pick([-1, -4, -7, -16, -100, 0, 1, 5, 1000, 2 ** 31 - 1, -(2 ** 31)]));
  const some = Buffer.from(random.list(random.below(20), () => random.below(256)));
  return rawDocument(
    random.pick([0x02, 0x03, 0x04, 0x05, 0x0c, 0x0d, 0x0e, 0x0f, 0x0b, 0x13, 0x20, 0xff]),
    ...random.pick([[length], [length, some], [int32(16 + some.length), length, some]]),
  );
}

const bytes = (random: Random, length: number): Buffer =>
  Buffer.from(random.list(length, () => random.below(256)));

function validMessage(random: Random, id: number): Buffer {
  return random.pick([
    () => command(id, { ping: 1 }),
    () => command(id, { find: 'things', filter: { a: { $gt: 1, $in: [1, 'x', null] } }, limit: 3 }),
    () =>
      message(
        id,
        bodySection({ insert: 'things', $db: 'wire' }),
        sequence('documents', serialize({ a: 1, list: ['x', 2] }), serialize({ b: 'text' })),
      ),
    () =>
      framed(
        id,
        opQuery,
        int32(0),
        Buffer.from('admin.$cmd\0'),
        int32(0),
        int32(-1),
        serialize({ isMaster: 1 }),
      ),
  ])();
}

function changed(random: Random, original: Buffer, from: number): Buffer {
  const copy = Buffer.from(original);
  for (let i = 0; i <= random.below(4); i++)
    copy[from + random.below(copy.length - from)] = random.below(256);
  return copy;
}

const odd = (random: Random): unknown =>
  random.pick([null, -1, 2 ** 40, 'x', [], [1], {}, { $a: 1 }, Buffer.alloc(3), true, Number.NaN]);

/** A message with something wrong with it; the request id is mostly left alone, so that answers can be told apart. */
export function malformed(random: Random, id: number): Buffer {
  return random.pick<() => Buffer>([
    () => bytes(random, random.below(300)),
    () => Buffer.concat([int32(16 + random.below(100)), int32(id), bytes(random, random.below(200))]),
    () => {
      const copy = validMessage(random, id);
      copy.writeInt32LE(
        random.pick([0, 1, 15, 16, 20, -1, 2 ** 31 - 1, 48_000_001, copy.length - 1, copy.length + 7]),
        0,
      );
      return copy;
    },
    () => {
      const whole = validMessage(random, id);
      return whole.subarray(0, random.below(whole.length));
    },
    () => {
      const cut = validMessage(random, id);
      const shorter = Buffer.from(cut.subarray(0, 17 + random.below(cut.length - 17)));
      shorter.writeInt32LE(shorter.length, 0);
      return shorter;
    },
    () => changed(random, validMessage(random, id), 16),
    () => changed(random, validMessage(random, id), 16),
    () =>
      framed(
        id,
        random.pick([0, 1, 2001, 2002, 2005, 2006, 2010, 2012, 2014, -1]),
        bytes(random, random.below(60)),
      ),
    () => message(id, bodySection(lyingDocument(random))),
    () =>
      message(
        id,
        bodySection({ insert: 'things', $db: 'wire' }),
        sequence('documents', lyingDocument(random)),
      ),
    () =>
      framed(id, opQuery, int32(0), Buffer.from('admin.$cmd\0'), int32(0), int32(-1), lyingDocument(random)),
    () => message(id, bodySection(nested(random.pick([100, 179, 200, 1000, 5000]), random.pick([3, 4])))),
    () =>
      message(
        id,
        bodySection({ insert: 'things', $db: 'wire' }),
        sequence('documents', nested(random.pick([150, 200, 3000]), random.pick([3, 4]))),
      ),
    () => message(id, ...random.list(1 + random.below(500), (i) => sequence(`s${i}`, serialize({})))),
    () =>
      message(
        id,
        bodySection({ ping: 1, $db: 'wire' }),
        ...random.list(300, () => sequence('documents', serialize({}))),
      ),
    () => message(id, bodySection({ ping: 1, $db: 'wire' }), bodySection({ ping: 1, $db: 'wire' })),
    () =>
      message(
        id,
        bodySection({ ping: 1, $db: 'wire' }),
        Buffer.from([random.below(256)]),
        int32(random.pick([-1, 0, 4, 2 ** 31 - 1])),
      ),
    () => message(id, Buffer.from([1]), int32(8), Buffer.from('abcd')),
    () =>
      command(id, {
        [random.pick([
          'find',
          'aggregate',
          'insert',
          'update',
          'delete',
          'count',
          'getMore',
          'nothing',
          '__proto__',
        ])]: odd(random),
      }),
    () =>
      command(id, {
        find: 'things',
        [random.pick(['filter', 'sort', 'limit', 'projection', 'hint', 'batchSize', 'collation', 'let'])]:
          odd(random),
      }),
    () => command(id, { update: 'things', updates: odd(random) }),
    () =>
      command(id, {
        aggregate: 'things',
        pipeline: random.pick([odd(random), [odd(random)], [{ $group: odd(random) }]]),
        cursor: odd(random),
      }),
  ])();
}
