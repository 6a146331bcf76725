import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { slugFrom } from '../../src/lib/ids.ts';

test.each([
  ['My Config!', /^my-config-[0-9a-f]{6}$/],
  ['  Évaluation № 2 ', /^e-valuation-no-2-[0-9a-f]{6}$/],
  ['模型', /^[0-9a-f]{6}$/],
  [`${'long '.repeat(60)}name`, /^long(-long){7}-[0-9a-f]{6}$/],
])('a slug made from %j can be read', (name, slug) => {
  expect(slugFrom(name)).toMatch(slug);
});

test('a slug is within 50 characters of [a-z0-9_-], whatever the name', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 255 }), (name) => {
      expect(slugFrom(name, 'ws-')).toMatch(/^ws-[a-z0-9_-]{6,47}$/);
    }),
  );
});
