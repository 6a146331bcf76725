import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { embedLocally } from '../../src/knowledge/embed/local.ts';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { StoreIndex } from '../../src/knowledge/index/store-index.ts';
import type { AttributeFilter, Attributes, AttributeValue } from '../../src/knowledge/index.ts';

/** What a filter means, told a second time. */
function holds(filter: AttributeFilter, attributes: Attributes): boolean {
  switch (filter.type) {
    case 'and':
      return filter.filters.every((part) => holds(part, attributes));
    case 'or':
      return filter.filters.some((part) => holds(part, attributes));
    case 'in':
      return filter.value.some((value) => holds({ type: 'eq', key: filter.key, value }, attributes));
    case 'nin':
      return !holds({ ...filter, type: 'in' }, attributes);
    case 'ne':
      return !holds({ ...filter, type: 'eq' }, attributes);
  }
  const actual = attributes[filter.key];
  if (typeof actual !== typeof filter.value || actual === undefined) return false;
  const order = orderOf(actual, filter.value);
  return { eq: order === 0, gt: order > 0, gte: order >= 0, lt: order < 0, lte: order <= 0 }[filter.type];
}

const orderOf = (one: AttributeValue, other: AttributeValue): number =>
  typeof one === 'string'
    ? Buffer.compare(Buffer.from(one), Buffer.from(String(other)))
    : Number(one) - Number(other);

const values = fc.oneof(
  fc.constantFrom('', 'a', 'b', 'B', 'é', '😀', '1', 'true'),
  fc.constantFrom(0, 1, -1, 1.5, 1e20),
  fc.boolean(),
);
const keys = fc.constantFrom('colour', 'size', 'k');
const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom('eq', 'ne', 'gt', 'gte', 'lt', 'lte'), key: keys, value: values }),
  fc.record({ type: fc.constantFrom('in', 'nin'), key: keys, value: fc.array(values, { maxLength: 3 }) }),
);
const { filters } = fc.letrec((tie) => ({
  filters: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.record({ type: fc.constantFrom('and', 'or'), filters: fc.array(tie('filters'), { maxLength: 3 }) }),
  ),
}));

const attributesOf: Attributes[] = [
  {},
  ...['', 'a', 'b', 'é', '😀', '1'].map((colour) => ({ colour, size: colour.length })),
  ...[0, 1, -1, 1.5, 1e20].map((size) => ({ size, k: size > 0 })),
  { colour: true, size: '1', k: false },
  { colour: 1, size: true, k: 'true' },
];

let directory: string;
let index: StoreIndex;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'filters-'));
  index = new StoreIndex(join(directory, 'vs_1.sqlite'));
  attributesOf.forEach((attributes, at) => {
    const text = 'The same words everywhere';
    index.add({
      ...{ fileId: `file-${at}`, version: '1.1', filename: `${at}.txt`, attributes },
      segments: [{ chunks: [{ start: 0, end: text.length, text }], vectors: quantise([embedLocally(text)]) }],
    });
  });
});
afterAll(() => {
  index.close();
  rmSync(directory, { recursive: true });
});

it('find the files that they hold for, with strict types', () => {
  const text = 'same words';
  const queries = [{ text, vector: quantise([embedLocally(text)]) }];
  fc.assert(
    fc.property(filters, fc.constantFrom('hybrid' as const, 'vectors' as const), (given, ranking) => {
      const filter = given as AttributeFilter;
      const found = index.search({ queries, filter, ranking, most: 50, threshold: 0 });
      const expected = attributesOf.flatMap((attributes, at) =>
        holds(filter, attributes) ? [`file-${at}`] : [],
      );
      expect(found.map(({ fileId }) => fileId).sort()).toEqual(expected.sort());
    }),
    { numRuns: 300 },
  );
});
