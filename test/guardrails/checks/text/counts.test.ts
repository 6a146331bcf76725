import { describe, expect, test } from '@jest/globals';
import { problemsOf, reachOfCheck, run } from '../checked.ts';

type Row = [id: string, parameters: object, text: string, verdict: boolean];

const rows: Row[] = [
  ['default.wordCount', { minWords: 2, maxWords: 3 }, ' one  two\nthree ', true],
  ['default.wordCount', { maxWords: 2 }, 'one two three', false],
  ['default.wordCount', { minWords: 1 }, '', false],
  ['default.wordCount', { maxWords: 2, not: true }, 'one two three', true],
  ['default.sentenceCount', { minSentences: 3, maxSentences: 3 }, 'One. Two! Three?', true],
  ['default.sentenceCount', { maxSentences: 2 }, 'One. Two! Three?', false],
  ['default.sentenceCount', { minSentences: 1 }, 'none', false],
  ['default.sentenceCount', { minSentences: 1, not: true }, 'none', true],
  ['default.characterCount', { minCharacters: 3, maxCharacters: 3 }, 'abc', true],
  ['default.characterCount', { maxCharacters: 2 }, 'abc', false],
  ['default.characterCount', { maxCharacters: 2, not: true }, 'abc', true],
  ['default.alluppercase', {}, 'ABC 12 é', true],
  ['default.alluppercase', {}, 'ABc', false],
  ['default.alluppercase', { not: true }, 'ABc', true],
  ['default.alllowercase', {}, 'abc 12 É', true],
  ['default.alllowercase', {}, 'abC', false],
  ['default.alllowercase', { not: true }, 'abC', true],
  ['default.isAllLowerCase', {}, 'abC', false],
  ['default.endsWith', { suffix: 'end' }, 'the end', true],
  ['default.endsWith', { suffix: 'end' }, 'the end.', true],
  ['default.endsWith', { suffix: 'end' }, 'the end..', false],
  ['default.endsWith', { suffix: 'end' }, '', false],
  ['default.endsWith', { suffix: 'end', not: true }, 'the end', false],
];

describe('a check of what a text is like', () => {
  test.each(rows)('%s %j of %j: %s', async (id, parameters, text, verdict) => {
    expect((await run(id, parameters, { text })).verdict).toBe(verdict);
  });

  test.each<[string, object, RegExp]>([
    ['default.wordCount', { minWords: 1.5 }, /^minWords: /],
    ['default.wordCount', { minWords: 5, maxWords: 4 }, /minWords must not be above maxWords/],
    ['default.sentenceCount', { maxSentences: -1 }, /^maxSentences: /],
    ['default.sentenceCount', { minSentences: 5, maxSentences: 4 }, /must not be above/],
    ['default.characterCount', { maxCharacters: '9' }, /^maxCharacters: /],
    ['default.characterCount', { minCharacters: 5, maxCharacters: 4 }, /must not be above/],
    ['default.alluppercase', { not: 1 }, /^not: /],
    ['default.endsWith', {}, /^suffix: /],
    ['default.endsWith', { suffix: '' }, /^suffix: /],
    ['default.endsWith', { suffix: 'a', failOnError: 'no' }, /^failOnError: /],
  ])('%s refuses %j', (id, parameters, problem) => {
    expect(problemsOf(id, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });

  test('reaches over one letter only where one letter decides', () => {
    expect(reachOfCheck('default.alluppercase', {})).toBe(1);
    expect(reachOfCheck('default.alllowercase', { not: true })).toBeNull();
    expect(reachOfCheck('default.wordCount', {})).toBeNull();
  });
});
