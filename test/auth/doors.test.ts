import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { type Answer, startApp, type TestApp } from '../support/app.ts';

const secret = 'a-router-secret-of-thirty-two-characters';
const wrong = 'sl-a-credential-that-nobody-has-0123456789';

let app: TestApp;
/** Answers that wait, while `held`. */
let waiting: (() => void)[] = [];
let held = false;

beforeAll(async () => {
  const sleep = async () => {
    if (held) await new Promise<void>((resolve) => waiting.push(resolve));
  };
  app = await startApp({ SUBGRAPH_SECRET: secret }, sleep);
});
beforeEach(() => {
  held = true;
});
afterEach(() => release());
afterAll(() => app.stop());

function release(): void {
  held = false;
  for (const go of waiting) go();
  waiting = [];
}

type Knock = (credential: string | null) => Promise<Answer>;

const chat = { model: '@mock/mock-1', messages: [{ role: 'user', content: 'hello' }] };
const viewer = { query: '{ configs { data { id } } }' };

const doors: Record<string, { status: number; good: () => string; knock: Knock }> = {
  inference: {
    status: 401,
    good: () => app.workspaceKey,
    knock: (key) => app.rest('POST', '/v1/chat/completions', { key, body: chat }),
  },
  rest: {
    status: 401,
    good: () => app.workspaceKey,
    knock: (key) => app.rest('GET', '/v1/configs', { key }),
  },
  graph: {
    status: 401,
    good: () => app.workspaceKey,
    knock: (key) => app.rest('POST', '/graphql', { key, body: viewer }),
  },
  stream: {
    status: 401,
    good: () => app.workspaceKey,
    knock: (key) => app.rest('POST', '/graphql/stream', { key, body: viewer }),
  },
  subgraph: {
    status: 401,
    good: () => app.workspaceKey,
    knock: (key) =>
      app.rest('POST', '/subgraphs/routing/graphql', {
        key,
        body: viewer,
        headers: { 'x-gateway-router-secret': secret },
      }),
  },
  router: {
    status: 401,
    good: () => secret,
    knock: (given) =>
      app.rest('POST', '/subgraphs/routing/graphql', {
        key: app.workspaceKey,
        body: viewer,
        headers: given === null ? {} : { 'x-gateway-router-secret': given },
      }),
  },
  token: {
    status: 401,
    good: () => app.clientSecret,
    knock: (given) =>
      app.rest('POST', '/oauth2/access_token', {
        key: null,
        body: `grant_type=client_credentials&scope=tsg_id:${app.tsgId}`,
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          ...(given !== null && {
            authorization: `Basic ${Buffer.from(`${app.clientId}:${given}`).toString('base64')}`,
          }),
        },
      }),
  },
};

async function failuresAt(door: string): Promise<number> {
  const { body } = await app.rest('GET', '/metrics', { key: null });
  const line = new RegExp(`^sluice_authentication_failures_total\\{door="${door}"\\} (\\d+)$`, 'm');
  return Number(line.exec(body as string)?.[1] ?? 0);
}

/** Resolves once so many answers wait. */
async function untilWaiting(count: number): Promise<void> {
  while (waiting.length < count) await new Promise((resolve) => setTimeout(resolve, 2));
}

/** Brings the address to where further failures wait. */
async function exhaust(): Promise<void> {
  held = false;
  for (let count = 0; count < 10; count++) await doors.inference?.knock(wrong);
  held = true;
}

test('nine wrong credentials are answered at once, the tenth waits, and a good one beside it does not', async () => {
  const { knock } = doors.inference as (typeof doors)[string];
  for (let count = 0; count < 9; count++) expect((await knock(wrong)).status).toBe(401);
  const order: string[] = [];
  const tenth = knock(wrong).then(({ status }) => order.push(`wrong ${status}`));
  await untilWaiting(1);
  for (let count = 0; count < 3; count++) order.push(`good ${(await knock(app.workspaceKey)).status}`);
  release();
  await tenth;
  expect(order).toEqual(['good 200', 'good 200', 'good 200', 'wrong 401']);
});

describe.each(Object.entries(doors))('the door %s', (name, { status, good, knock }) => {
  test('lets answers to wrong credentials wait, and counts them; good ones pass by', async () => {
    await exhaust();
    const before = await failuresAt(name);
    const slowed = knock(wrong);
    await untilWaiting(1);
    expect((await knock(good())).status).toBe(200);
    release();
    expect((await slowed).status).toBe(status);
    expect(await failuresAt(name)).toBe(before + 1);
  });

  test('neither counts nor slows who brings no credential', async () => {
    await exhaust();
    const before = await failuresAt(name);
    expect((await knock(null)).status).toBeLessThan(500);
    expect([await failuresAt(name), waiting.length]).toEqual([before, 0]);
  });
});

test('a WebSocket with a wrong credential waits before it is closed', async () => {
  await exhaust();
  const before = await failuresAt('stream');
  const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  socket.once('open', () => {
    socket.send(JSON.stringify({ type: 'connection_init', payload: { 'x-gateway-api-key': wrong } }));
  });
  await untilWaiting(1);
  release();
  expect(await closed).toBe(4401);
  expect(await failuresAt('stream')).toBe(before + 1);
});

test('a link of an invite that does not exist waits before it is refused', async () => {
  await exhaust();
  const before = await failuresAt('invite');
  const accept = 'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { userId } }';
  const input = { token: wrong, firstName: 'Ada', lastName: 'L' };
  const refused = app.graphql(accept, { input });
  await untilWaiting(1);
  release();
  expect((await refused).errors?.[0]?.extensions.code).toBe('NOT_FOUND');
  expect(await failuresAt('invite')).toBe(before + 1);
});

test('a missing scope is no wrong credential', async () => {
  await exhaust();
  const answer = await app.rest('POST', '/v1/chat/completions', { key: app.adminKey, body: chat });
  expect([answer.status, waiting.length]).toEqual([403, 0]);
});

test('beyond three hundred waiting answers every door turns wrong credentials away, and lets good ones in', async () => {
  await exhaust();
  const { knock } = doors.rest as (typeof doors)[string];
  const slowed = Array.from({ length: 300 }, () => knock(wrong));
  await untilWaiting(300);
  for (const [name, door] of Object.entries(doors)) {
    const turnedAway = await door.knock(wrong);
    expect([name, turnedAway.status, turnedAway.headers.get('retry-after')]).toEqual([name, 429, '3']);
    expect([name, (await door.knock(door.good())).status]).toEqual([name, 200]);
  }
  release();
  expect(new Set((await Promise.all(slowed)).map(({ status }) => status))).toEqual(new Set([401]));
});
