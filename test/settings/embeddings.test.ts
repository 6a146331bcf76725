import { expect, it } from '@jest/globals';
import { house } from '../../src/assembly/house.ts';
import { readSettings } from '../../src/settings/index.ts';

const read = (provider: string) =>
  readSettings({ SEMANTIC_CACHE_EMBEDDINGS: JSON.stringify({ provider }) }, house).cache.embeddings;

it('takes embeddings from kinds of providers that there are', () => {
  expect(read('openai')).toMatchObject({ provider: 'openai', model: 'text-embedding-3-small' });
  expect(() => read('open-ai')).toThrow('SEMANTIC_CACHE_EMBEDDINGS.provider: is not a known provider');
});
