import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { iamPermissions, scopes } from '../../src/auth/index.ts';
import { inferenceOperations } from '../../src/dataplane/call/operations.ts';
import { routeOf } from '../../src/dataplane/call/routes.ts';
import { scopesOf } from '../../src/dataplane/steps/authorise.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Caller, type Callers, createCallers, inApiKey, keyCaller, nobody } from './access/callers.ts';

let app: TestApp;
let callers: Callers;
beforeAll(async () => {
  app = await startApp();
  callers = createCallers(app, app);
});
afterAll(() => app.stop());

const chat = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] };

/** Bodies that the mock provider answers; what it does not have it refuses, or does not find, once a caller is in. */
const bodies: Record<string, object> = {
  '/completions': { model: '@mock/mock-1', prompt: 'Hello' },
  '/embeddings': { model: '@mock/mock-embedding-1', input: 'Hello' },
};

type Door = [method: string, path: string, body?: object];

/** Every way to a provider but the WebSocket: test/dataplane/realtime.test.ts */
const doors: Door[] = [
  ...inferenceOperations
    .filter(({ answers }) => answers !== 'a WebSocket')
    .map(({ method, path }): Door => {
      const place = `/v1${path.replace(/\{\w+\}/, 'none')}`;
      return method === 'POST' ? [method, place, bodies[path] ?? chat] : [method, place];
    }),
  ['POST', '/v1/proxy/chat/completions', chat],
  ['POST', '/v1/something/else', chat],
];

it('to see the models takes less than to use or delete one', () => {
  const scopesTo = (method: string, path: string) => [...scopesOf(routeOf(path), method)].sort();
  const seeing = ['completions.write', 'models.list', 'virtual_keys.list'];
  expect(scopesTo('GET', '/models')).toEqual(seeing);
  expect(scopesTo('GET', '/models/m')).toEqual(seeing);
  expect(scopesTo('DELETE', '/models/m')).toEqual(['completions.write']);
  expect(scopesTo('POST', '/chat/completions')).toEqual(['completions.write']);
});

describe.each(doors)('%s %s', (method, path, body) => {
  const opening = scopesOf(routeOf(path.slice('/v1'.length)), method);
  const call = async (caller: Caller) => {
    const headers = { 'x-gateway-provider': '@mock', ...caller };
    return (await app.rest(method, path, { key: null, headers, body })).status;
  };

  it('is closed without a credential', async () => {
    expect(await call(nobody)).toBe(401);
  });

  it('is closed to the whole organisation, and to what lacks its scopes', async () => {
    const all = [...scopes, ...iamPermissions];
    const lacking = all.filter((scope) => !opening.includes(scope));
    expect([
      await call(keyCaller(app.adminKey)),
      await call(inApiKey(keyCaller(app.adminKey))),
      await call(await callers.account(all)),
      await call(await callers.account(lacking, app.workspaceId)),
    ]).toEqual([403, 403, 403, 403]);
  });

  it('opens to a key in either header', async () => {
    const key = keyCaller(app.workspaceKey);
    const [usual, other] = [await call(key), await call(inApiKey(key))];
    expect([200, 400, 404]).toContain(usual);
    expect(other).toBe(usual);
  });

  it('opens to each of its scopes alone, held for one workspace', async () => {
    // Keys: test/authentication/inference.test.ts
    for (const scope of opening) {
      const status = await call(await callers.account([scope], app.workspaceId));
      expect({ scope, isOpen: [200, 400, 404].includes(status) }).toEqual({ scope, isOpen: true });
    }
  });
});
