import { describe, expect, test } from '@jest/globals';
import { cutFinder } from '../../../../src/guardrails/checks/pattern/cuts.ts';
import { findAll } from '../../../../src/guardrails/checks/personal-data/find.ts';
import { recognisers } from '../../../../src/guardrails/checks/personal-data/recognisers/index.ts';
import { spacedForms } from '../../../../src/guardrails/checks/secrets/forms.ts';
import { MAX_PRIVATE_KEY, wholeKey } from '../../../../src/guardrails/checks/secrets/private-key.ts';
import { secretsIn } from '../../../../src/guardrails/checks/secrets/secrets.ts';
import { rounds } from '../../../support/long.ts';
import { confidential } from '../confidential.ts';
import { prose } from '../prose.ts';
import { seeded } from '../random.ts';

test.each([
  ['curl -u admin:', /\bcurl\b[^\n]{0,20}?\s-u\s(?<value>\w+:\w+)/g, 0],
  ['curl\nthen -u admin:', /\bcurl\b[^\n]{0,20}?\s-u\s(?<value>\w+:\w+)/g, 19],
  ['on 12 - 3', /\b\d{2}(?<sign> ?- ?| )\d{2}\k<sign>\d{4}/g, 3],
  ['on 12 - ', /\b\d{2}(?<sign> ?- ?| )\d{2}\k<sign>\d{4}/g, 3],
  ['12 34 and so on', /\b\d{2} \d{2}/g, 15],
  ['so 12 34 5', /\b\d{2}(?: \d{2}){1,3}/g, 3],
  // Of the two that begin here, the first goes on.
  ['so aab ab', /a(?:a|b| ){1,9}c/g, 3],
])('%j: a match of %s may begin at %i', (text, pattern, at) => {
  expect(cutFinder([pattern], 1000)(text, text.length)).toBe(at);
});

describe('what has a space in it is held from where it begins, whatever of it has come', () => {
  const random = seeded(77);
  const reach = 100_000;
  const personal = cutFinder(
    recognisers.flatMap(({ spaced }) => spaced),
    reach,
  );
  const secret = cutFinder([...spacedForms, wholeKey], reach);
  test.each([
    ['personal data', personal, (text: string) => findAll(text, recognisers)],
    ['secrets', secret, secretsIn],
  ])('%s', (_what, cut, find) => {
    for (let count = 0; count < rounds(400, 10_000); count++) {
      const text = confidential(random);
      for (const { start, end } of find(text))
        for (let at = start + 1; at < end; at++) {
          if (!/\s/.test(text[at - 1] ?? '')) continue;
          const said = text.slice(0, at);
          if (cut(said, said.length) > start)
            throw new Error(JSON.stringify({ text, find: text.slice(start, end), said }));
        }
    }
  });

  test.each([
    [
      'personal data',
      recognisers.flatMap(({ spaced }) => spaced),
      320,
      (text: string) => findAll(text, recognisers),
    ],
    ['secrets', [...spacedForms, wholeKey], MAX_PRIVATE_KEY, secretsIn],
  ])(
    '%s that are whole are found on one side of a cut, however far from the end',
    (_what, patterns, near, find) => {
      const cut = cutFinder(patterns, near);
      for (let count = 0; count < rounds(200, 3000); count++) {
        const text = `${confidential(random)}\n${confidential(random)}\n${prose(random, 90)}`;
        const spans = find(text);
        const finds = spans.map(({ start, end }) => text.slice(start, end));
        for (const { index } of text.matchAll(/\s/g)) {
          // Whoever cuts divides no find either.
          let place = index + 1;
          for (let before = -1; before !== place; ) {
            before = place;
            place = cut(
              text,
              spans.find(({ start, end }) => start < before && before < end)?.start ?? before,
            );
          }
          const sides = [text.slice(0, place), text.slice(place)];
          const found = sides.flatMap((side) => find(side).map(({ start, end }) => side.slice(start, end)));
          if (found.join('\0') !== finds.join('\0'))
            throw new Error(JSON.stringify({ text, place, finds, found }));
        }
      }
    },
  );

  test('prose is held as good as never', () => {
    const text = prose(random, 20_000);
    let held = 0;
    let count = 0;
    for (const { index } of text.matchAll(/ /g)) {
      const said = text.slice(Math.max(0, index - 400), index + 1);
      held += said.length - Math.min(personal(said, said.length), secret(said, said.length));
      count++;
    }
    expect(held / count).toBeLessThan(5);
  });
});
