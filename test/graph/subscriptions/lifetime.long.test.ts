import { randomBytes } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { WebSocket } from 'ws';
import { createSecrets } from '../../../src/storage/secrets.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { forgedToken } from '../../support/forged-token.ts';
import {
  openSubscriptions,
  type Results,
  type SubscriptionClient,
  socketClient,
  streamClient,
  until,
} from '../../support/subscriptions.ts';

const masterKey = randomBytes(32);
const secrets = createSecrets(masterKey);
let app: TestApp;
const clients: SubscriptionClient[] = [];

beforeAll(async () => {
  app = await startApp({ ENCRYPTION_KEY: masterKey.toString('base64') });
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  await until(async () => (await openSubscriptions(app.url)) === 0);
});
afterAll(() => app.stop());

const query = 'subscription { logAdded { requestUrl } }';

async function tail(key: string, open = socketClient): Promise<Results> {
  const before = await openSubscriptions(app.url);
  const client = open(app.url, key);
  clients.push(client);
  const results = client.subscribe(query);
  await until(async () => (await openSubscriptions(app.url)) > before);
  return results;
}

async function insert(urls: string[], metadata = {}): Promise<void> {
  const input = urls.map((url) => ({ request: { url, body: {} }, response: { body: {} }, metadata }));
  const mutation = 'mutation ($input: JSON!) { insertLogs(input: $input) }';
  const { data } = await app.graphql(mutation, { input }, app.workspaceKey);
  expect(data).toEqual({ insertLogs: urls.length });
}

async function makeKey(members: object): Promise<{ id: string; key: string }> {
  const { body, status } = await app.rest('POST', '/v1/api-keys/workspace/service', {
    key: app.adminKey,
    body: { name: 'short-lived', scopes: ['logs.list'], workspace_id: app.workspaceId, ...members },
  });
  expect({ status, body }).toMatchObject({ status: 200 });
  return body as { id: string; key: string };
}

/** Over WebSocket the connection is closed, in an event stream the last result says why. */
async function endOf(results: Results) {
  try {
    const last = await results.next();
    return last?.errors?.[0]?.extensions?.code;
  } catch (error) {
    const [first] = Array.isArray(error) ? error : [];
    return first?.extensions?.code ?? (error as { code?: unknown }).code;
  }
}

describe('a subscription ends', () => {
  it('when its key is deleted, and others go on', async () => {
    const { id, key } = await makeKey({});
    const [socket, stream, other] = [
      await tail(key),
      await tail(key, streamClient),
      await tail(app.workspaceKey),
    ];
    expect((await app.rest('DELETE', `/v1/api-keys/${id}`, { key: app.adminKey })).status).toBe(200);
    expect(await endOf(socket)).toBe(4401);
    expect(await endOf(stream)).toBe('UNAUTHENTICATED');
    await insert(['/still-there']);
    expect((await other.next())?.data).toEqual({ logAdded: { requestUrl: '/still-there' } });
  });

  it('when its key or its access token expires, or the account of the token is deleted', async () => {
    const token = await app.token();
    const create = `mutation { createServiceAccount(input: { name: "tail" }) { id serviceAccount { displayName } } }`;
    const { id, serviceAccount } = (await app.graphql(create, {}, token)).data.createServiceAccount;
    const policy = {
      principal: serviceAccount.displayName,
      role: 'superuser',
      resource: `prn:${app.tsgId}::::`,
    };
    const give = 'mutation ($input: CreateAccessPolicyInput!) { createAccessPolicy(input: $input) { id } }';
    expect((await app.graphql(give, { input: policy }, token)).errors).toBeUndefined();
    const claims = { clientId: id };
    // The two run out at about the same time.
    const { key } = await makeKey({ expires_at: new Date(Date.now() + 8000).toISOString() });
    const old = await forgedToken(app, secrets, new Date(Date.now() - 894_000), claims);
    const sockets = [await tail(old), await tail(key)];
    const streams = [await tail(old, streamClient), await tail(key, streamClient)];
    const other = await tail(await forgedToken(app, secrets, new Date(), claims));
    expect(await Promise.all(sockets.map(endOf))).toEqual([4401, 4401]);
    expect(await Promise.all(streams.map(endOf))).toEqual(['UNAUTHENTICATED', 'UNAUTHENTICATED']);
    await insert(['/still-there']);
    expect((await other.next())?.data).toEqual({ logAdded: { requestUrl: '/still-there' } });
    await app.graphql('mutation ($id: ID!) { deleteServiceAccount(id: $id) }', { id }, token);
    expect(await endOf(other)).toBe(4401);
  });

  it('when its key has lost the scope, before it sees another event', async () => {
    const { id, key } = await makeKey({ scopes: ['logs.list', 'logs.view'] });
    const [socket, stream] = [await tail(key), await tail(key, streamClient)];
    const changed = await app.rest('PUT', `/v1/api-keys/${id}`, {
      key: app.adminKey,
      body: { scopes: ['logs.view'] },
    });
    expect(changed.status).toBe(200);
    await insert(['/not-for-you']);
    // The connection is closed, unless the event comes first.
    expect([4403, 'FORBIDDEN']).toContain(await endOf(socket));
    expect(await endOf(stream)).toBe('FORBIDDEN');
  });
});

describe('a client that does not read', () => {
  // Some hundred kilobytes an event where the URL is long, so that the buffers of the network are soon full.
  const wide = `subscription { logAdded { ${Array.from({ length: 100 }, (_, at) => `a${at}: requestUrl`).join(' ')} } }`;

  /** Fills the buffers of a client that does not read, then lets more happen than may wait for it. */
  async function flood(): Promise<void> {
    for (let round = 0; round < 3; round++) await insert(Array(60).fill(`/${'x'.repeat(1900)}`));
    for (let round = 0; round < 11; round++) await insert(Array(1000).fill('/short'));
    await insert(['/after'], { last: 'yes' });
  }

  /** Subscribes over WebSocket and reads nothing more until `read`, which resolves with the code of the last error. */
  async function stuckSocket(): Promise<{ read(): Promise<unknown> }> {
    const socket = new WebSocket(`${app.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
    const code = new Promise((resolve) =>
      socket.on('message', (data) => {
        const message = JSON.parse(String(data));
        if (message.type === 'connection_ack') {
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: wide } }));
        }
        if (message.type === 'error') resolve(message.payload[0].extensions.code);
      }),
    );
    await new Promise((resolve) => socket.once('open', resolve));
    const payload = { 'x-gateway-api-key': app.workspaceKey };
    socket.send(JSON.stringify({ type: 'connection_init', payload }));
    await until(async () => (await openSubscriptions(app.url)) === 1);
    socket.pause();
    return {
      async read() {
        socket.resume();
        const last = await code;
        socket.terminate();
        return last;
      },
    };
  }

  it('is told that it has missed events, over either transport, and holds up nobody', async () => {
    const socket = await stuckSocket();
    const stream = await fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { 'x-gateway-api-key': app.workspaceKey, 'content-type': 'application/json' },
      body: JSON.stringify({ query: wide }),
    });
    const watchful = socketClient(app.url, app.workspaceKey);
    clients.push(watchful);
    const results = watchful.subscribe(
      'subscription { logAdded(filters: { metadata: { last: "yes" } }) { requestUrl } }',
    );
    await until(async () => (await openSubscriptions(app.url)) === 3);
    await flood();
    expect((await results.next())?.data).toEqual({ logAdded: { requestUrl: '/after' } });
    expect(await socket.read()).toBe('EVENTS_MISSED');
    expect((await stream.text()).slice(-300)).toMatch(/EVENTS_MISSED.*\n\nevent: complete\ndata:\n\n$/);
  }, 180_000);
});

describe('many subscribers', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  async function used(): Promise<number> {
    // Twice, with a turn of the loop between, so that what finalizers let go of is gone too.
    collect();
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    return process.memoryUsage().heapUsed;
  }

  /** 200 subscriptions, each of which sees one event once; then all leave. */
  async function round(name: string): Promise<void> {
    const made = Array.from({ length: 20 }, (_, at) =>
      at < 10 ? socketClient(app.url, app.workspaceKey) : streamClient(app.url, app.adminKey),
    );
    const results = made.flatMap((client) => Array.from({ length: 10 }, () => client.subscribe(query)));
    await until(async () => (await openSubscriptions(app.url)) === 200);
    await insert([name]);
    for (const one of results) expect((await one.next())?.data).toEqual({ logAdded: { requestUrl: name } });
    await insert([`${name}-2`]);
    for (const one of results) {
      expect((await one.next())?.data).toEqual({ logAdded: { requestUrl: `${name}-2` } });
      expect(one.waiting()).toEqual([]);
    }
    for (const client of made) client.close();
    await until(async () => (await openSubscriptions(app.url)) === 0);
  }

  it('all see each event once, and leave nothing behind', async () => {
    await round('/first');
    await round('/second');
    const before = await used();
    for (let count = 0; count < 3; count++) await round(`/round-${count}`);
    // A leak of 4 kB a subscription would be 2.4 MB.
    expect((await used()) - before).toBeLessThan(2_000_000);
  }, 180_000);
});
