import { describe, expect, it, test } from '@jest/globals';
import { type Given, problemsOf, run } from '../checked.ts';

type Row = [what: string, parameters: object, call: NonNullable<Given['call']>, verdict: boolean];

const runs = (id: string, rows: readonly Row[]) =>
  test.each(rows)('%s', async (_what, parameters, call, verdict) => {
    expect((await run(id, parameters, { call, phase: 'input' })).verdict).toBe(verdict);
  });

const refuses = (id: string, rows: readonly [object, RegExp][]) =>
  test.each(rows)('refuses %j', (parameters, problem) => {
    expect(problemsOf(id, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });

describe('default.modelWhitelist', () => {
  const models = ['a', 'b'];
  runs('default.modelWhitelist', [
    ['one of them', { models }, { model: 'b' }, true],
    ['another one', { models }, { model: 'B' }, false],
    ['none', { models }, { model: null }, false],
    ['another one, turned round', { models, not: true }, { model: 'c' }, true],
  ]);
  refuses('default.modelWhitelist', [
    [{}, /^models: /],
    [{ models: [] }, /^models: /],
    [{ models: ['a', ''] }, /^models\.1: /],
  ]);
});

describe('default.modelRules', () => {
  const id = 'default.modelRules';
  const rules = {
    defaults: ['d'],
    metadata: { team: { red: ['r'], any: ['*'] }, env: { prod: ['p'] } },
  };
  runs(id, [
    ['a default', { rules }, { model: 'd' }, true],
    ['not a default', { rules }, { model: 'r' }, false],
    ['what the metadata names', { rules }, { model: 'r', metadata: { team: 'red' } }, true],
    [
      'a default where the metadata names others',
      { rules },
      { model: 'd', metadata: { team: 'red' } },
      false,
    ],
    ['all lists together', { rules }, { model: 'p', metadata: { team: 'red', env: 'prod' } }, true],
    ['any', { rules }, { model: 'x', metadata: { team: 'any' } }, true],
    ['turned round', { rules, not: true }, { model: 'd' }, false],
  ]);
  it('fails with an error where nothing applies', async () => {
    const none = { rules: { metadata: rules.metadata } };
    await expect(run(id, none, { call: { model: 'd' } })).rejects.toThrow('No rule applies');
    await expect(run(id, none, { call: { metadata: { constructor: 'x' } } })).rejects.toThrow('No rule');
  });
  refuses(id, [
    [{}, /^rules: /],
    [{ rules: { defaults: 'd' } }, /^rules\.defaults: /],
    [{ rules: { metadata: { team: ['r'] } } }, /^rules\.metadata\.team: /],
    [{ rules: { metadata: { team: { red: [1] } } } }, /^rules\.metadata\.team\.red\.0: /],
  ]);
});

describe('default.allowedRequestTypes', () => {
  const id = 'default.allowedRequestTypes';
  const allowedTypes = ['chatComplete'];
  runs(id, [
    ['one that is allowed', { allowedTypes }, {}, true],
    ['one that is not', { allowedTypes }, { requestType: 'embed' }, false],
    ['one that is blocked', { blockedTypes: ['chatComplete'] }, {}, false],
    ['one that is not blocked', { blockedTypes: ['embed'] }, {}, true],
    ['no list at all', {}, {}, true],
    ['a stream, as its type', { allowedTypes }, { isStream: true }, true],
    ['a stream, blocked', { blockedTypes: ['stream-chatComplete'] }, { isStream: true }, false],
    ['no stream, where streams are blocked', { blockedTypes: ['stream-chatComplete'] }, {}, true],
    ['what metadata allows', {}, { metadata: { supported_endpoints: 'embed, chatComplete' } }, true],
    ['what metadata does not', {}, { metadata: { supported_endpoints: '["embed"]' } }, false],
    ['what metadata blocks', {}, { metadata: { blocked_endpoints: 'chatComplete' } }, false],
    [
      'what metadata allows beyond the list',
      { allowedTypes: ['embed'] },
      { metadata: { supported_endpoints: 'chatComplete' } },
      false,
    ],
  ]);
  it('fails with an error where metadata contradicts', async () => {
    const call = { metadata: { blocked_endpoints: 'chatComplete' } };
    await expect(run(id, { allowedTypes }, { call })).rejects.toThrow('both allowed and blocked');
  });
  refuses(id, [
    [{ allowedTypes: ['chat'] }, /^allowedTypes\.0: .*"chatComplete"/],
    [{ allowedTypes: ['embed'], blockedTypes: ['embed'] }, /embed is both allowed and blocked/],
  ]);
});

describe('default.requiredMetadataKeys', () => {
  const id = 'default.requiredMetadataKeys';
  const metadataKeys = ['a', 'b'];
  runs(id, [
    ['all', { metadataKeys }, { metadata: { a: '', b: '1' } }, true],
    ['not all', { metadataKeys }, { metadata: { a: '' } }, false],
    ['any', { metadataKeys, operator: 'any' }, { metadata: { a: '' } }, true],
    ['not any', { metadataKeys, operator: 'any' }, { metadata: { c: '' } }, false],
    ['none', { metadataKeys, operator: 'none' }, { metadata: { c: '' } }, true],
    ['not none', { metadataKeys, operator: 'none' }, { metadata: { b: '' } }, false],
    ['no inherited ones', { metadataKeys: ['toString'] }, {}, false],
  ]);
  refuses(id, [
    [{}, /^metadataKeys: /],
    [{ metadataKeys: [''] }, /^metadataKeys\.0: /],
    [{ metadataKeys, operator: 'some' }, /^operator: /],
  ]);
});

describe('default.requiredMetadataKeyValuePairs', () => {
  const id = 'default.requiredMetadataKeyValuePairs';
  const metadataPairs = { team: 'red', env: ['prod', 'test'] };
  const metadata = { team: 'red', env: 'test' };
  runs(id, [
    ['all', { metadataPairs }, { metadata }, true],
    ['not all', { metadataPairs }, { metadata: { ...metadata, team: 'blue' } }, false],
    ['any', { metadataPairs, operator: 'any' }, { metadata: { env: 'prod' } }, true],
    ['none', { metadataPairs, operator: 'none' }, { metadata: { env: 'stage' } }, true],
    ['not none', { metadataPairs, operator: 'none' }, { metadata: { env: 'prod' } }, false],
    ['a part', { metadataPairs: { a: 'x' }, matchType: 'contains' }, { metadata: { a: '1x2' } }, true],
    ['not a part', { metadataPairs: { a: 'x' }, matchType: 'contains' }, { metadata: { a: 'X' } }, false],
    [
      'all parts',
      { metadataPairs: { a: ['x', 'y'] }, matchType: 'containsAll' },
      { metadata: { a: 'y,x' } },
      true,
    ],
    [
      'not all parts',
      { metadataPairs: { a: ['x', 'y'] }, matchType: 'containsAll' },
      { metadata: { a: 'y' } },
      false,
    ],
    ['a pattern', { metadataPairs: { a: '^x+$' }, matchType: 'regex' }, { metadata: { a: 'xxx' } }, true],
    ['no match', { metadataPairs: { a: '^x+$' }, matchType: 'regex' }, { metadata: { a: 'xy' } }, false],
    ['no inherited value', { metadataPairs: { constructor: '' }, matchType: 'contains' }, {}, false],
  ]);
  it('has a second name', async () => {
    const finding = await run('default.requiredMetadataKeyPairs', { metadataPairs }, { call: { metadata } });
    expect(finding.verdict).toBe(true);
  });
  refuses(id, [
    [{}, /^metadataPairs: /],
    [{ metadataPairs: {} }, /^metadataPairs: there has to be a pair/],
    [{ metadataPairs: { a: 1 } }, /^metadataPairs\.a: /],
    [{ metadataPairs: { a: '(' }, matchType: 'regex' }, /^metadataPairs\.a: .*missing closing/],
    [{ metadataPairs: { a: '(' }, matchType: 'like' }, /^matchType: /],
  ]);
});
