import { createContext, Script } from 'node:vm';
import { describe, expect, it, test } from '@jest/globals';
import { checkOf } from '../../../src/guardrails/checks/index.ts';
import { injectionSigns } from '../../../src/guardrails/checks/injection/signs/index.ts';
import { compilePattern, matchesOf } from '../../../src/guardrails/checks/pattern/user-pattern.ts';
import { wordFinder } from '../../../src/guardrails/checks/pattern/words.ts';
import { recognisers } from '../../../src/guardrails/checks/personal-data/recognisers/index.ts';
import { urlsIn } from '../../../src/guardrails/checks/remote/url-texts.ts';
import { secretForms } from '../../../src/guardrails/checks/secrets/forms.ts';
import { privateKeys } from '../../../src/guardrails/checks/secrets/private-key.ts';
import { fencedBlocks } from '../../../src/guardrails/checks/text/fenced-blocks.ts';
import { jsonIn } from '../../../src/guardrails/checks/text/json-in-text.ts';
import { sourceFiles } from '../../contract/source-files.ts';
import { seeded } from './random.ts';

/** What a quadratic search of this many characters would need a hundred times as long for as a linear one. */
const LENGTH = 100_000;
/** Milliseconds after which a search is cut off; a linear one needs a few. */
const CUT_OFF = 3_000;

/** What expressions begin with, and what they repeat. */
const fragments = [
  ...['a', '1', ' ', '\n', '@', '.', '-', ':', '/', '=', '"', '{', '[', '(', '`', '~~~', '\\', '+', '#'],
  ...[
    'a@',
    'a.',
    '1-',
    '1 ',
    '123 ',
    '4111 ',
    '+1 ',
    'a:',
    '2001:',
    '1.1.',
    'DE89 ',
    'a-',
    'A',
    'é',
    '\u200b',
  ],
  ...[
    'eyJ',
    'eyJaaaaaaaaaaa.',
    'sk-',
    'AKIA',
    'aws ',
    'aws key',
    'password: ',
    'token=',
    'a://b:',
    'ghp_a',
    'key-0',
  ],
  ...['-----BEGIN PRIVATE KEY-----', 'PRIVATE KEY', 'born ', 'ssn ', 'phone ', 'tel. 1', '00', '000-'],
  ...[
    'ignore ',
    'ignore a b c ',
    'show a ',
    'send a ',
    '![a',
    'http://',
    'https://a?',
    '```\n',
    '```a\n',
    '{"',
    '{"a":',
  ],
  ...[
    '[INST',
    'system: ',
    'new ',
    'you are a ',
    'do not tell ',
    'disable a ',
    '\u202e',
    'a\u200b',
    'authorization: ',
  ],
];

const random = seeded(21);
const texts = [
  ...fragments.map((fragment) => fragment.repeat(LENGTH / fragment.length)),
  ...Array.from({ length: 20 }, () => {
    const pair = random.pick(fragments) + random.pick(fragments);
    return pair.repeat(LENGTH / pair.length) + random.pick(fragments);
  }),
  ...Array.from({ length: 5 }, () => Array.from({ length: 20_000 }, () => random.pick(fragments)).join('')),
];

const guarded: { run: (() => void) | null } = { run: null };
createContext(guarded);
const script = new Script('run()');

/** Throws where a search of one of the texts takes longer than any linear one would. */
function searchAll(search: (text: string) => unknown): void {
  for (const text of texts) {
    guarded.run = () => search(text);
    script.runInContext(guarded, { timeout: CUT_OFF });
  }
}

const formed = recognisers.map(({ category }) => category);

/** Where a check lets a stream be cut, looked for at the end of a text. */
function cutOf(id: string, parameters: object): (text: string) => number {
  const prepared = checkOf(id)?.prepare(parameters);
  if (!prepared || 'problems' in prepared || prepared.cut === null) throw new Error(`${id} has no cuts.`);
  const { cut } = prepared;
  return (text) => cut(text, text.length);
}

describe('our own searches take linear time', () => {
  test.each(recognisers.map(({ category, find }) => [category, find] as const))('%s', (_category, find) => {
    searchAll(find);
  });

  test.each(secretForms.map(({ name, pattern }) => [name, pattern] as const))('%s', (_name, pattern) => {
    searchAll((text) => [...text.matchAll(pattern)]);
  });

  test.each(injectionSigns.map(({ name, pattern }, index) => [`${name} ${index}`, pattern] as const))(
    '%s',
    (_name, pattern) => searchAll((text) => pattern.test(text)),
  );

  test.each<[string, (text: string) => unknown]>([
    ['private keys', privateKeys],
    ['URLs', urlsIn],
    ['fenced blocks', fencedBlocks],
    ['JSON', (text) => [...jsonIn(text)]],
    ['cuts of personal data', cutOf('gateway.pii', { categories: formed })],
    ['cuts of secrets', cutOf('gateway.secrets', { redact: true })],
    ['cuts of words', cutOf('default.contains', { words: ['a '.repeat(90), '1 1 1'], operator: 'none' })],
    ['words', (text) => wordFinder(['a'.repeat(200), 'ab', '1-1-'])(text, 20)],
  ])('%s', (_name, search) => {
    searchAll(search);
  });
});

describe('patterns of users take linear time', () => {
  test.each(['(a+)+$', '(a|aa)+$', '(.*)*x', '(\\w+\\s?)+$', '([a-z]+)*1', '(a?){50}a{50}'])('%s', (rule) => {
    const pattern = compilePattern(rule);
    for (const fragment of ['a', 'a ', 'aa1']) {
      guarded.run = () => {
        const [first] = matchesOf(pattern, fragment.repeat(5_000));
        expect(first === undefined || first.end > first.start).toBe(true);
      };
      script.runInContext(guarded, { timeout: CUT_OFF });
    }
  });

  it('are never given to the native engine', () => {
    // These build expressions out of our own texts, and out of words that are escaped.
    const own =
      /\/(?:pattern\/(?:words|cuts)|secrets\/(?:forms|private-key)|injection\/signs\/sign|recognisers\/[\w-]+)\.ts$/;
    const builders = sourceFiles('src/guardrails/checks').filter(({ text }) => /\bRegExp\(/.test(text));
    expect(builders.map(({ path }) => path).filter((path) => !own.test(path))).toEqual([]);
  });
});
