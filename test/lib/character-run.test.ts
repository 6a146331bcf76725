import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { runFinder } from '../../src/lib/character-run.ts';

const text = fc.string({ unit: fc.constantFrom('a', '.', ' ', '\n', 'é', '\u00a0', '😀'), maxLength: 60 });

it('finds the runs that an expression finds', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 9 }), (given, least) => {
      const find = runFinder((character) => /\S/.test(character), least);
      expect(find(given)).toBe(new RegExp(`\\S{${least}}`).test(given));
    }),
  );
});
