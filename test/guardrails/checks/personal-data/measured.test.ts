import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { findAll } from '../../../../src/guardrails/checks/personal-data/find.ts';
import { recognisers } from '../../../../src/guardrails/checks/personal-data/recognisers/index.ts';
import { prose } from '../prose.ts';
import { type Random, seeded } from '../random.ts';
import { card, email, iban, ipAddress, phone, ssn } from './made-up.ts';

const SAMPLES = 400;
/** What it says of these figures is to be true. */
const guide = readFileSync('docs/guardrails.md', 'utf8');

/** `name`: in the guide. */
type Kind = {
  category: string;
  name: string;
  make: (random: Random) => string;
  miss?: (random: Random) => string;
};

const kinds: readonly Kind[] = [
  {
    category: 'EMAIL_ADDRESS',
    name: 'e-mail addresses',
    make: email,
    miss: (random) => email(random).replace(/\..*$/, '').replace('@', ' @ '),
  },
  {
    category: 'CREDIT_CARD',
    name: 'card numbers',
    make: (random) => card(random, true),
    miss: (random) => card(random, false),
  },
  {
    category: 'IBAN',
    name: 'account numbers',
    make: (random) => iban(random, true),
    miss: (random) => iban(random, false),
  },
  {
    category: 'SSN',
    name: 'social security numbers',
    make: (random) => ssn(random, true),
    miss: (random) => ssn(random, false),
  },
  {
    category: 'IP_ADDRESS',
    name: 'addresses of machines',
    make: ipAddress,
    miss: (random) => `version ${random.int(1, 9)}.${random.int(0, 40)}.2.7`,
  },
  { category: 'PHONE_NUMBER', name: 'telephone numbers', make: phone },
];

/** How values stand in texts: in prose, in tables, in documents of JSON, in logs. */
const frames: readonly (readonly [before: string, after: string])[] = [
  ['You have ', ', they said. '],
  ['Ann,42,', ',2027-01-31,x\n'],
  ['id\tname\tvalue\n42\tAnn\t', '\n'],
  ['{"id": 42, "value": "', '", "page": 7}'],
  ['{\\"value\\":\\"', '\\"}'],
  ['12:30:45 INFO saved value=', ' in 12 ms '],
  ['| Ann | ', ' | 2027 |\n'],
  ['<td>', '</td>'],
];

/** What was planted and not found, and what was found and not planted. */
function measure({ category, make, miss }: Kind): { missed: string[]; wrong: string[] } {
  const random = seeded(category.length * 7_919);
  const missed: string[] = [];
  const wrong: string[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const value = make(random);
    const near = miss?.(random) ?? '';
    const [ahead, behind] = random.pick(frames);
    const before = `${prose(random, 60)}${near === '' ? '' : `Of ${near} they spoke. `}${ahead}`;
    const text = `${before}${value}${behind}${prose(random, 60)}`;
    const finds = findAll(text, recognisers);
    // A word before a telephone number is no part of it; what a log writes before an address may be one of it.
    const isHit = ({ category: found, start, end }: (typeof finds)[number]) =>
      found === category && start >= before.length - 'value='.length && end === before.length + value.length;
    if (!finds.some(isHit)) missed.push(ahead + value + behind);
    wrong.push(...finds.filter((find) => !isHit(find)).map(({ start, end }) => text.slice(start, end)));
  }
  return { missed, wrong };
}

describe('recognisers of personal data', () => {
  it.each(kinds)('find $category at least 99 times in 100, and are right 97 times', (kind) => {
    const { missed, wrong } = measure(kind);
    expect(missed.slice(SAMPLES * 0.01)).toEqual([]);
    expect(wrong.slice(SAMPLES * 0.03)).toEqual([]);
    const found = SAMPLES - missed.length;
    expect(guide).toContain(`| ${kind.name} | ${found} of ${SAMPLES} | ${wrong.length} |`);
  });

  it('raise at most one false alarm in 100 kB of prose', () => {
    const text = prose(seeded(5), 1_000_000);
    const alarms = findAll(text, recognisers).map(
      ({ category, start, end }) => `${category} ${text.slice(start, end)}`,
    );
    expect(alarms.slice(0, 10)).toEqual([]);
  });
});
