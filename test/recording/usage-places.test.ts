import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { reportsIn } from '../../src/recording/usage/reports.ts';

const names = ['usage', 'meta', 'usageMetadata', 'usage_info'];

/** The plain reading of "a member under one of the names that is an object". */
function membersByExpression(text: string): { name: string; from: number }[] {
  const pattern = new RegExp(`"(${names.join('|')})"\\s*:\\s*\\{`, 'g');
  return [...text.matchAll(pattern)].map((match) => ({
    name: match[1] ?? '',
    from: match.index + match[0].length - 1,
  }));
}

/** The object that begins at a place: the shortest piece of the text that JSON reads. */
function objectFrom(text: string, from: number): unknown {
  for (let end = text.indexOf('}', from); end >= 0; end = text.indexOf('}', end + 1))
    try {
      return JSON.parse(text.slice(from, end + 1));
    } catch {
      // A brace within a string, or of an inner object.
    }
  return null;
}

const key = fc.constantFrom(...names, 'usages', 'use', 'metadata', 'x');
const word = fc.constantFrom('usage', '"usage":{"a":1}', '\\"meta": {', '{', '}', '"', '\\', 'é', '', '}"');
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { depthSize: 'small' },
    word,
    fc.nat(9),
    fc.constant(null),
    fc.array(tie('any'), { maxLength: 2 }),
    fc.dictionary(key, tie('any'), { maxKeys: 3 }),
  ),
})).any;

it('finds what stands under a name, whatever else says so, and wherever the text is cut off', () => {
  const text = fc
    .tuple(
      fc.dictionary(key, value, { maxKeys: 4 }),
      fc.constantFrom(0, 1, '\t'),
      fc.double({ min: 0, max: 1, noNaN: true }),
    )
    .map(([body, indent, part]) => {
      const whole = JSON.stringify(body, null, indent).replaceAll('":', part > 0.5 ? '" :' : '":');
      return whole.slice(0, Math.ceil(whole.length * Math.min(1, part * 2)));
    });
  fc.assert(
    fc.property(text, (json) => {
      const expected = membersByExpression(json);
      // Of many only the ends are looked at.
      fc.pre(expected.length <= 8);
      const reports = expected.flatMap(({ name, from }) => {
        const members = objectFrom(json, from);
        return members === null ? [] : [{ name, members }];
      });
      expect(reportsIn(json, names)).toEqual(reports);
    }),
    { numRuns: 3000 },
  );
});

it('looks at the first and the last few of very many', () => {
  const text = JSON.stringify(Array.from({ length: 100 }, (_, at) => ({ usage: { at } })));
  const found = reportsIn(text, names).map(({ members }) => members.at);
  expect(found).toEqual([0, 1, 2, 3, 96, 97, 98, 99]);
});
