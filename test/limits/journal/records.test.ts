import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RecordWriter, readRecords } from '../../../src/limits/journal/records.ts';

type Entry = { place: number; name: string; used: number; held: number };

/** Records with their entries; a lease is named where it comes first. */
function written(records: readonly (readonly Entry[])[]): { bytes: Buffer; ends: number[] } {
  const writer = new RecordWriter();
  const named = new Set<number>();
  const parts: Buffer[] = [];
  const ends: number[] = [];
  for (const entries of records) {
    for (const { place, name, used, held } of entries) {
      if (!named.has(place)) writer.name(place, `counter ${name}`, `${place}-key`);
      named.add(place);
      writer.state(place, used, held);
    }
    const { bytes, length } = writer.take();
    parts.push(Buffer.from(bytes.subarray(0, length)));
    ends.push((ends.at(-1) ?? 0) + length);
  }
  return { bytes: Buffer.concat(parts), ends };
}

const amount = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
const entry = fc.record({
  place: fc.integer({ min: 1, max: 9 }),
  name: fc.string(),
  used: amount,
  held: amount,
});
const records = fc.array(fc.array(entry, { maxLength: 6 }), { minLength: 1, maxLength: 12 });

test('a journal that was cut off anywhere says what its whole records say', async () => {
  await fc.assert(
    fc.asyncProperty(records, fc.nat(), async (all, place) => {
      const { bytes, ends } = written(all);
      const cut = place % (bytes.length + 1);
      const whole = all.slice(0, ends.filter((end) => end <= cut).length);
      const found = await readRecords(bytes.subarray(0, cut));
      if (whole.length === 0) return expect(found).toBeNull();
      const last = new Map(whole.flat().map(({ place, used, held }) => [`${place}-key`, { used, held }]));
      const said = [...(found ?? [])].map(([key, { used, held }]) => [key, { used, held }] as const);
      expect(new Map(said)).toEqual(last);
    }),
  );
});

test('a journal of many counters is read back whole', async () => {
  const many = Array.from({ length: 20_000 }, (_, place) => ({
    place,
    name: 'n'.repeat(60),
    used: place,
    held: 1,
  }));
  const found = await readRecords(written([many]).bytes);
  expect(found?.get('19999-key')).toEqual({
    id: `counter ${'n'.repeat(60)}`,
    key: '19999-key',
    used: 19_999,
    held: 1,
  });
  expect(found?.size).toBe(20_000);
});

test('what is no journal is refused', async () => {
  const { bytes } = written([[{ place: 1, name: 'a', used: 1, held: 1 }]]);
  const state = Buffer.alloc(24);
  state.writeUInt32LE(20, 0);
  state.writeUInt32LE(7, 4);
  await expect(readRecords(Buffer.concat([bytes, state]))).rejects.toThrow('was not named');
});
