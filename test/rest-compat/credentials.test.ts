import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
let token: string;

beforeAll(async () => {
  app = await startApp();
  token = await app.token();
});
afterAll(() => app.stop());

type Headers = Record<string, string>;
const inHeader = (secret: string): Headers => ({ 'x-gateway-api-key': secret });
const asBearer = (secret: string): Headers => ({ authorization: `Bearer ${secret}` });

const here = (): Headers => ({ 'x-gateway-workspace-id': app.workspaceId });

const places = ['data plane', 'REST at /v1', 'graph', 'administration at /v2'] as const;

/** The status at each of the places; the graph tells its own apart by code. */
async function statuses(headers: Headers): Promise<number[]> {
  const get = (path: string) => app.rest('GET', path, { key: null, headers });
  const query = { query: '{ configs { total } }' };
  const graph = await app.rest('POST', '/graphql', { key: null, headers, body: query });
  const { errors } = graph.body as { errors?: { extensions: { code: string } }[] };
  const codes: Record<string, number> = { UNAUTHENTICATED: 401, FORBIDDEN: 403 };
  return [
    (await get('/v1/models')).status,
    (await get('/v1/configs')).status,
    codes[errors?.[0]?.extensions.code ?? ''] ?? graph.status,
    (await get('/v2/configs')).status,
  ];
}

describe(`what is taken at ${places.join(', ')}:`, () => {
  it.each([
    ['a Workspace key in x-gateway-api-key', () => inHeader(app.workspaceKey), [200, 200, 200, 401]],
    ['a Workspace key as bearer', () => asBearer(app.workspaceKey), [200, 200, 200, 401]],
    [
      'a Workspace key in both places',
      () => ({ ...inHeader(app.workspaceKey), ...asBearer(app.workspaceKey) }),
      [200, 200, 200, 401],
    ],
    [
      "a Workspace key beside a provider's bearer",
      () => ({ ...inHeader(app.workspaceKey), ...asBearer('sk-of-a-provider') }),
      [200, 200, 200, 401],
    ],
    [
      'an unknown key before a good bearer',
      () => ({ ...inHeader('sl-nobody'), ...asBearer(app.workspaceKey) }),
      [401, 401, 401, 401],
    ],
    [
      'a key as basic authorization',
      () => ({ authorization: `Basic ${app.workspaceKey}` }),
      [401, 401, 401, 401],
    ],
    ['an Admin key', () => inHeader(app.adminKey), [403, 200, 200, 401]],
    ['an access token of the whole tenant', () => asBearer(token), [403, 200, 200, 200]],
    ['an access token for a workspace', () => ({ ...asBearer(token), ...here() }), [200, 200, 200, 200]],
    ['an access token in x-gateway-api-key', () => ({ ...inHeader(token), ...here() }), [200, 200, 200, 200]],
    [
      'a key before an access token',
      () => ({ ...inHeader(app.workspaceKey), ...asBearer(token) }),
      [200, 200, 200, 401],
    ],
    ['nothing', () => ({}), [401, 401, 401, 401]],
  ] as [string, () => Headers, number[]][])('%s', async (_what, headers, expected) => {
    expect(await statuses(headers())).toEqual(expected);
  });
});
