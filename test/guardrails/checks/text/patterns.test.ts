import { describe, expect, it, test } from '@jest/globals';
import { edited, problemsOf, reachOfCheck, run } from '../checked.ts';

const MATCH = 'default.regexMatch';
const REPLACE = 'default.regexReplace';
const CONTAINS = 'default.contains';

describe(MATCH, () => {
  test.each<[string, object, string, boolean]>([
    ['finds the pattern', { rule: 'o+b' }, 'foobar', true],
    ['does not find it', { rule: '^b' }, 'foobar', false],
    ['does not find it, which is wanted', { rule: '^b', not: true }, 'foobar', true],
    ['finds what is not wanted', { rule: 'b', not: true }, 'foobar', false],
    ['reads JavaScript’s escapes', { rule: '\\u0066oo' }, 'foobar', true],
    ['reads inline flags', { rule: '(?i)FOO' }, 'foobar', true],
    ['takes slashes as they are', { rule: '/foo/i' }, 'foo', false],
  ])('%s', async (_what, parameters, text, verdict) => {
    expect((await run(MATCH, parameters, { text })).verdict).toBe(verdict);
  });

  it('says where, with at most 100 characters of it', async () => {
    const { data } = await run(MATCH, { rule: 'a+' }, { text: `bb${'a'.repeat(300)}` });
    expect(data).toMatchObject({ matchDetails: { matchedText: 'a'.repeat(100), matchIndex: 2 } });
  });

  it('fails with an error on an empty text', async () => {
    await expect(run(MATCH, { rule: 'a' }, { text: '' })).rejects.toThrow('no text');
  });

  test.each<[object, RegExp]>([
    [{}, /^rule: /],
    [{ rule: '' }, /^rule: /],
    [{ rule: 'a('.repeat(501) }, /^rule: /],
    [{ rule: '(a' }, /^rule: .*missing closing \).*RE2/],
    [{ rule: '(?=a)b' }, /^rule: .*without look-around/],
    [{ rule: '(a)\\1' }, /^rule: .*without look-around and back-references/],
    [{ rule: '((a{100}){100}){100}' }, /^rule: .*invalid repeat count/],
    [{ rule: '(abcdefghij){900}' }, /^rule: .*too many counted repetitions/],
    [{ rule: 'a', nto: true }, /^: .*nto/],
    [{ rule: 'a', not: 'yes' }, /^not: /],
  ])('refuses what cannot be used, %#', (parameters, problem) => {
    expect(problemsOf(MATCH, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });
});

describe('the reach of a pattern', () => {
  test.each<[string, number | null]>([
    ['abc', 3],
    ['a|bcd|ef', 3],
    ['a{2,5}', 5],
    ['(foo)?bar{0,3}', 8],
    ['[a-z]{16}', 16],
    ['\\d{4}-\\d{4}', 9],
    ['😀.', 4],
    ['[^a]', 2],
    ['\\bcat\\b', 5],
    ['a+', null],
    ['a*b', null],
    ['.*', null],
    ['^foo', null],
    ['foo$', null],
    ['\\Afoo', null],
    ['(?m)^foo', null],
    ['x(ab?c{0,9}|d+)', null],
  ])('%s: %s', (rule, reach) => {
    expect(reachOfCheck(MATCH, { rule, not: true })).toBe(reach);
    expect(reachOfCheck(REPLACE, { rule })).toBe(reach);
  });

  it('is the whole text where the pattern has to be there', () => {
    expect(reachOfCheck(MATCH, { rule: 'abc' })).toBeNull();
  });
});

describe(REPLACE, () => {
  test.each<[string, object, string, string, boolean]>([
    ['replaces every match', { rule: '\\d+' }, 'a1b22', 'a[REDACTED]b[REDACTED]', true],
    ['leaves other text alone', { rule: 'x' }, 'a1b22', 'a1b22', true],
    ['reads flags', { rule: '/AB/gi', redactText: '-' }, 'abAB', '--', true],
    ['takes lines apart with m', { rule: '/^b/m', redactText: '-' }, 'a\nb', 'a\n-', true],
    ['inserts its text as it stands', { rule: 'b', redactText: '$&$1' }, 'abc', 'a$&$1c', true],
    ['leaves out matches of no character', { rule: 'x*', redactText: '-' }, 'axxb', 'a-b', true],
    ['keeps characters whole', { rule: '.', redactText: '-' }, '😀a', '--', true],
    ['fails where told to', { rule: 'b', failOnDetection: true }, 'abc', 'a[REDACTED]c', false],
    ['passes without a match', { rule: 'x', failOnDetection: true }, 'abc', 'abc', true],
  ])('%s', async (_what, parameters, text, expected, verdict) => {
    const finding = await run(REPLACE, parameters, { text });
    expect([edited({ text }, finding), finding.verdict]).toEqual([[expected], verdict]);
  });

  it('edits each text in its place', async () => {
    const texts = ['a1', 'b', '22c'];
    const finding = await run(REPLACE, { rule: '\\d' }, { texts });
    expect(edited({ texts }, finding)).toEqual(['a[REDACTED]', 'b', '[REDACTED][REDACTED]c']);
  });

  test.each<[object, RegExp]>([
    [{}, /^rule: /],
    [{ rule: '/a/q' }, /^rule: "q" is not a flag/],
    [{ rule: '/(a/' }, /^rule: .*missing closing/],
    [{ rule: 'a', redactText: 'x'.repeat(1_001) }, /^redactText: /],
    [{ rule: 'a', not: true }, /^: .*not/],
  ])('refuses what cannot be used, %#', (parameters, problem) => {
    expect(problemsOf(REPLACE, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });
});

const many = Array.from({ length: 1_200 }, (_, index) => `word${index}.`);

describe(CONTAINS, () => {
  test.each<[string, object, string, boolean]>([
    ['any of them', { words: ['x', 'b'] }, 'abc', true],
    ['none where any is wanted', { words: ['x', 'B'] }, 'abc', false],
    ['all of them', { words: ['a', 'bc'], operator: 'all' }, 'abc', true],
    ['not all of them', { words: ['a', 'x'], operator: 'all' }, 'abc', false],
    ['all, with one named twice', { words: ['a', 'a'], operator: 'all' }, 'abc', true],
    ['none of them', { words: ['x', 'y'], operator: 'none' }, 'abc', true],
    ['one where none is wanted', { words: ['x', 'c'], operator: 'none' }, 'abc', false],
    ['characters that patterns know', { words: ['(a.*', '$'], operator: 'all' }, '(a.*$', true],
    ['one of many', { words: many, operator: 'none' }, 'so word777. it is', false],
    ['none of many', { words: many, operator: 'none' }, 'so word777 it is', true],
    ['all of many', { words: many, operator: 'all' }, many.join(''), true],
  ])('%s', async (_what, parameters, text, verdict) => {
    expect((await run(CONTAINS, parameters, { text })).verdict).toBe(verdict);
  });

  it('names what it found, or what it missed', async () => {
    const words = ['a', 'x', 'b'];
    const { data } = await run(CONTAINS, { words }, { text: 'abab' });
    expect(data).toEqual({ operator: 'any', foundWords: ['a', 'b'] });
    const all = await run(CONTAINS, { words, operator: 'all' }, { text: 'abab' });
    expect(all.data).toEqual({ operator: 'all', missingWords: ['x'] });
  });

  it('reaches over its longest word, where none is to be there', () => {
    expect(reachOfCheck(CONTAINS, { words: ['a', 'bcd'], operator: 'none' })).toBe(3);
    expect(reachOfCheck(CONTAINS, { words: ['a', 'bcd'] })).toBeNull();
  });

  test.each<[object, RegExp]>([
    [{}, /^words: /],
    [{ words: [] }, /^words: /],
    [{ words: ['a', ''] }, /^words\.1: /],
    [{ words: ['a', 7] }, /^words\.1: /],
    [{ words: ['a'], operator: 'some' }, /^operator: .*any.*all.*none/],
  ])('refuses what cannot be used, %#', (parameters, problem) => {
    expect(problemsOf(CONTAINS, parameters)).toEqual(
      expect.arrayContaining([expect.stringMatching(problem)]),
    );
  });
});
