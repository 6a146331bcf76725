import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { completionsFor, wordAt } from '../../console/src/pages/logs/query/complete.ts';
import { exportFilters } from '../../console/src/pages/logs/query/export-filters.ts';
import type { Names } from '../../console/src/pages/logs/query/field-kinds.ts';
import { buildFilters, fields, needsNames } from '../../console/src/pages/logs/query/filters.ts';
import { readTerms, type Term, withTerm, writeTerms } from '../../console/src/pages/logs/query/terms.ts';

const names: Names = {
  keys: new Map([
    ['ci', ['k-1', 'k-2']],
    ['my laptop', ['k-3']],
  ]),
  kinds: ['openai', 'azure-openai'],
};

const filtersOf = (text: string) => buildFilters(readTerms(text), names);

describe('the text of the filter', () => {
  const value = fc.string({ minLength: 1, maxLength: 20 }).filter((text) => text.trim() !== '');
  const field = fc.constantFrom(...Object.keys(fields), 'meta.team', 'meta.Cost_Centre');
  const condition: fc.Arbitrary<Term> = fc.record({
    field,
    operator: fc.constantFrom(':' as const, '>' as const, '<' as const),
    value: value.filter((text) => !text.startsWith('=')),
    isNot: fc.boolean(),
  });

  test('is read as it was written', () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 6 }), (terms) => {
        expect(readTerms(writeTerms(terms))).toEqual(terms);
      }),
    );
  });

  it('keeps a word with a colon in quotes together', () => {
    expect(readTerms('key:"my laptop" timeout')).toEqual([
      { field: 'key', operator: ':', value: 'my laptop', isNot: false },
      { field: null, operator: ':', value: 'timeout', isNot: false },
    ]);
  });

  it('has one condition of a field and a value, the one that came last', () => {
    const without = withTerm('status:500 model:gpt-4o', {
      field: 'status',
      operator: ':',
      value: '500',
      isNot: true,
    });
    expect(without).toBe('model:gpt-4o -status:500');
  });
});

describe('what the graph is asked', () => {
  it.each([
    ['status:5xx', { statusClass: [5] }],
    ['status:429,503', { statusCode: [429, 503] }],
    ['-status:404', { notStatusCode: [404] }],
    ['model:gpt-4o', { aiOrgModel: ['openai__gpt-4o', 'azure-openai__gpt-4o'] }],
    ['model:openai__gpt-4o', { aiOrgModel: ['openai__gpt-4o'] }],
    ['provider:@main -provider:@old', { virtualKeys: ['main'], notVirtualKeys: ['old'] }],
    ['key:ci', { apiKeyIds: ['k-1', 'k-2'] }],
    ['key:"my laptop"', { apiKeyIds: ['k-3'] }],
    ['key:0193', { apiKeyIds: ['0193'] }],
    ['cost>0.01', { costMin: 1 }],
    ['ms<500', { responseTimeMax: 500 }],
    ['cache:semantic_hit', { cacheStatus: ['SEMANTIC HIT'] }],
    ['error:yes', { hasError: true }],
    ['-error:yes', { hasError: false }],
    ['meta.team:search -meta.stage:test', { metadata: { team: 'search' }, notMetadata: { stage: 'test' } }],
    ['circuit open', { search: 'circuit open' }],
  ])('by %s', (text, filters) => {
    expect(filtersOf(text)).toMatchObject({ filters, problems: [] });
  });

  it('is a scan for what the sums do not know', () => {
    expect(filtersOf('status:5xx key:ci -path:embed').isScan).toBe(false);
    for (const text of ['cost>1', 'meta.team:search', 'timeout', 'status:5xx stream:yes'])
      expect([text, filtersOf(text).isScan]).toEqual([text, true]);
  });

  it('is nothing for what means nothing, which is said', () => {
    expect(filtersOf('stauts:200').problems).toEqual([expect.stringMatching(/^stauts: .*status/)]);
    expect(filtersOf('cost:1').problems).toEqual(['cost: write cost>1 or cost<1']);
    expect(filtersOf('status:often').problems).toEqual([expect.stringContaining('5xx')]);
    expect(filtersOf('-trace:abc').problems).toEqual(['trace: it cannot be excluded']);
  });

  it('needs names for keys and models alone', () => {
    expect(needsNames(readTerms('status:5xx provider:@main'))).toBe(false);
    expect(needsNames(readTerms('model:openai__gpt-4o'))).toBe(false);
    expect(needsNames(readTerms('-key:ci'))).toBe(true);
    expect(needsNames(readTerms('model:gpt-4o'))).toBe(true);
  });
});

describe('a completion', () => {
  const values = { key: ['ci', 'my laptop'], status: ['200', '5xx'] };
  const textsOf = (word: string) => completionsFor(word, values).map(({ text }) => text);

  it('is of the word at the caret', () => {
    expect(wordAt('status:5xx mod', 14)).toEqual({ start: 11, word: 'mod' });
    expect(wordAt('status:5xx mod', 4)).toEqual({ start: 0, word: 'stat' });
    expect(wordAt('', 0)).toEqual({ start: 0, word: '' });
  });

  it('is a field, or a value that the field has', () => {
    expect(textsOf('mo')).toEqual(['model:']);
    expect(textsOf('-st')).toEqual(['-status:', '-stream:']);
    expect(textsOf('key:lap')).toEqual(['key:"my laptop" ']);
    expect(textsOf('-key:')).toEqual(['-key:ci ', '-key:"my laptop" ']);
    expect(textsOf('cost>')).toEqual([]);
  });
});

describe('the filters of an export', () => {
  const exportOf = (text: string) => exportFilters(filtersOf(text).filters);

  test('are those of the list where an export has them', () => {
    expect(
      exportOf('status:429,503 provider:@main,eu config:pc-a cost>1 tokens<9 trace:t prompt:p meta.a:b'),
    ).toEqual({
      statusCode: '429,503',
      virtualKeys: 'main,eu',
      configs: 'pc-a',
      costMin: 100,
      totalUnitsMax: 9,
      traceId: 't',
      promptSlug: 'p',
      metadata: { a: 'b' },
    });
    expect(exportOf('key:ci path:embed cache:hit error:yes -status:200 -meta.a:b ms>5 two words')).toEqual({
      apiKeyIds: ['k-1', 'k-2'],
      endpoint: ['embed'],
      cacheStatus: ['HIT'],
      hasError: true,
      notStatusCode: [200],
      notMetadata: { a: 'b' },
      responseTimeMin: 5,
      search: 'two words',
    });
    expect(exportOf('status:5xx')).toEqual({ statusClass: [5] });
    expect(exportOf('model:gpt-4o')).toEqual({ aiOrgModel: 'openai__gpt-4o,azure-openai__gpt-4o' });
    expect(exportOf('')).toEqual({});
  });

  test('are none where a name has a comma, which would end it', () => {
    expect(exportFilters({ configs: ['pc-a,b'] })).toBeNull();
    expect(exportFilters({ configs: [] })).toBeNull();
    expect(exportFilters({ endpoint: ['a,b'] })).toEqual({ endpoint: ['a,b'] });
  });
});
