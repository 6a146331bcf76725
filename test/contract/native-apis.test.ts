import { describe, expect, test } from '@jest/globals';
import { endpointsOf } from '../../src/providers/endpoint.ts';
import { allProviders, type Provider } from '../../src/providers/index.ts';
import { isCacheablePath, modelInPath, pathBelowApi } from '../../src/providers/native-api.ts';

// The models that an integration allows, the cache and the prices rest on what providers state of their own APIs.

const usual = endpointsOf();

/** Whether a provider is asked in another format than OpenAI's, or in no format that the gateway knows. */
function hasFormatOfItsOwn({ endpoints, dialects = {}, respond }: Provider): boolean {
  if (respond) return false;
  const translated = Object.keys(dialects).filter((name) => name !== 'models' && name !== 'batchOutput');
  const known = [...endpoints].filter((endpoint) => !usual.has(endpoint));
  return translated.length > 0 || known.length === 0;
}

describe('native APIs', () => {
  test('are stated by every provider with a format of its own', () => {
    const silent = allProviders.filter((provider) => hasFormatOfItsOwn(provider) && !provider.nativeApi);
    expect(silent.map(({ id }) => id)).toEqual([]);
  });

  test('say where the model is, or that it may be anywhere, where no endpoint is translated', () => {
    const unknown = allProviders.filter(
      ({ endpoints, dialects, respond, nativeApi }) =>
        !respond &&
        endpoints.size === usual.size &&
        Object.keys(dialects ?? {}).length === 0 &&
        !nativeApi?.hidesModels,
    );
    expect(unknown.map(({ id }) => id)).toEqual([]);
  });

  test('have forms of paths that can be joined', () => {
    for (const { id, nativeApi: { modelPaths = [], cacheablePaths = [] } = {} } of allProviders) {
      for (const form of [...modelPaths, ...cacheablePaths]) expect([id, form.flags]).toEqual([id, '']);
      for (const form of modelPaths) {
        const groups = (new RegExp(`${form.source}|`).exec('')?.length ?? 0) - 1;
        expect([id, form.source, groups]).toEqual([id, form.source, 1]);
      }
    }
  });

  test.each([
    ['/v1beta/models/gemini-2.5-pro:generateContent', 'gemini-2.5-pro'],
    ['/v1beta/tunedModels/mine:generateContent', 'mine'],
    ['/V1BETA/MODELS/gemini-2.5-pro:countTokens?key=/models/other:x', 'gemini-2.5-pro'],
    ['/v1/projects/p/locations/l/publishers/google/models/m:predict', 'm'],
    ['/v1/projects/p/locations/l/endpoints/123:rawPredict', 'endpoints/123'],
    ['/v1/projects/p/locations/l/endpoints/123/chat/completions', 'endpoints/123'],
    ['/v1/projects/p/locations/l/endpoints/openapi/chat/completions', null],
    ['/model/anthropic.claude-3/converse', 'anthropic.claude-3'],
    ['/model/anthropic.claude-3/invoke-with-response-stream', 'anthropic.claude-3'],
    ['/openai/deployments/gpt-4o/chat/completions', 'gpt-4o'],
    ['/serving-endpoints/mine/invocations', 'mine'],
    ['/endpoints/mine/invocations', 'mine'],
    ['/endpoints/a:b/invocations', 'a:b'],
    ['/v1/models/owner/model/predictions', 'owner/model'],
    ['/models/a:b/predictions', 'a'],
    ['/v1/models', null],
    ['/v1/chat/completions', null],
  ])('%s names the model %s, whichever provider is asked', (path, model) => {
    expect(modelInPath(path)).toBe(model);
    expect(modelInPath(`https://provider.example${path}`)).toBe(model);
  });

  test.each([
    ['/v1beta/models/gemini-2.5-pro:generateContent', true],
    ['/v1beta/models/gemini-2.5-pro:batchGenerateContent', false],
    ['/v1/models/x:predictLongRunning', false],
    ['/v1/projects/p/locations/l/endpoints/123:rawPredict', true],
    ['/model/m/converse', true],
    ['/model/m/count-tokens', true],
    ['/model/m/async-invoke', false],
    ['/serving-endpoints/mine/invocations', true],
    ['/endpoints/mine/async-invocations', false],
    ['/20231130/actions/chat', true],
    ['/20231130/actions/chats', false],
    ['/run/@cf/meta/llama-3', true],
    ['/v1/generation/sdxl/text-to-image', true],
    ['/v1/fim/completions', true],
    ['/v1/embedding/text', true],
    ['/v2/chat', true],
    ['/v1/complete', true],
    ['/openai/deployments/gpt-4o/complete', true],
    ['/v1/chats', false],
    ['/v1/models/owner/model/predictions', false],
  ])('%s asks a model and creates nothing: %s', (path, isCacheable) => {
    expect(isCacheablePath(pathBelowApi(path))).toBe(isCacheable);
  });
});
