import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { describeAccess } from '../subgraphs/access.ts';
import { dataOf, dump, dumpResources, errorOf, makeKey } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let ahead = 0;
let app: TestApp;
let neighbour: Tenant;
let receiver: WebhookReceiver;
let subject: { id: string };

beforeAll(async () => {
  receiver = await startWebhookReceiver();
  app = await startApp({}, undefined, () => new Date(Date.now() + ahead));
  neighbour = await app.createTenant();
  const { endpoint } = await create({ name: 'subject', events: ['limit_reset'] });
  subject = { id: endpoint.id };
}, 120_000);
afterAll(async () => {
  await app.stop();
  await receiver.stop();
});
afterEach(() => {
  ahead = 0;
  receiver.takeAll();
});

const FIELDS = 'id name url events enabled goneAt formerSecretEndsAt workspaceId createdBy';
const CREATE = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { secret endpoint { ${FIELDS} } } }`;
const UPDATE = `mutation ($id: ID!, $input: UpdateWebhookEndpointInput!) {
  updateWebhookEndpoint(id: $id, input: $input) { ${FIELDS} } }`;
const DELETE = 'mutation ($id: ID!) { deleteWebhookEndpoint(id: $id) }';
const ROTATE = `mutation ($id: ID!) { rotateWebhookSecret(id: $id) { secret endpoint { ${FIELDS} } } }`;
const TEST = 'mutation ($id: ID!) { sendTestWebhook(id: $id) { id status event attempts } }';
const RETRY = `mutation ($id: ID!, $deliveryId: ID) {
  retryWebhookDeliveries(id: $id, deliveryId: $deliveryId) }`;
const DELIVERIES = `query ($id: ID!, $status: WebhookDeliveryStatus) {
  webhookDeliveries(endpointId: $id, status: $status) {
    total data { id event status attempts responseStatus lastError nextAttemptAt sentAt payload } } }`;

const attempt = (input: object, key?: string) =>
  app.graphql(
    CREATE,
    { input: { name: 'hook', url: receiver.url, events: ['api_key_rotated'], ...input } },
    key,
  );
const create = async (input: object, key?: string) => dataOf(await attempt(input, key)).createWebhookEndpoint;
const own = async (input: object = {}) => {
  const path = `/${crypto.randomUUID()}`;
  const { endpoint, secret } = await create({ url: new URL(path, receiver.url).href, ...input });
  return {
    id: endpoint.id as string,
    secret: secret as string,
    arrived: () => receiver.received.filter((message) => message.path === path),
  };
};
const send = async (id: string) => dataOf(await app.graphql(TEST, { id })).sendTestWebhook;
const deliveries = async (id: string, status?: string) =>
  dataOf(await app.graphql(DELIVERIES, { id, status })).webhookDeliveries.data;
const settled = (id: string, status: string) =>
  eventually(async () => {
    const [delivery] = await deliveries(id);
    expect(delivery).toMatchObject({ status });
    return delivery;
  });
const verified = (secret: string, { headers, body }: { headers: object; body: string }) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  webhookEndpoints: { document: '{ webhookEndpoints { total } }', scopes: ['organisation_settings.read'] },
  webhookEndpoint: {
    document: 'query ($id: ID!) { webhookEndpoint(id: $id) { id } }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.read'],
    addressed: true,
  },
  webhookDeliveries: {
    document: 'query ($id: ID!) { webhookDeliveries(endpointId: $id) { total } }',
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.read'],
    addressed: true,
  },
  createWebhookEndpoint: {
    document: CREATE,
    variables: () => ({ input: { name: 'x', url: receiver.url, events: ['limit_reset'] } }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.create',
  },
  updateWebhookEndpoint: {
    document: UPDATE,
    variables: () => ({ id: subject.id, input: { name: 'x' } }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.update',
    addressed: true,
  },
  deleteWebhookEndpoint: {
    document: DELETE,
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.delete',
    addressed: true,
  },
  rotateWebhookSecret: {
    document: ROTATE,
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.rotate',
    addressed: true,
  },
  sendTestWebhook: {
    document: TEST,
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.test',
    addressed: true,
  },
  retryWebhookDeliveries: {
    document: RETRY,
    variables: () => ({ id: subject.id }),
    scopes: ['organisation_settings.update'],
    audit: 'webhook_endpoint.retry',
    addressed: true,
  },
});

describe('an endpoint', () => {
  it('is told of what it asked for, signed so that its library verifies it', async () => {
    const { id, secret, arrived } = await own();
    const other = await own({ events: ['limit_exhausted'] });
    const key = await makeKey(app, 'workspace-service', {});
    const [{ id: keyId }] = dataOf(await app.graphql('{ apiKeys(pageSize: 1) { data { id } } }', {}, key))
      .apiKeys.data;
    const rotated = dataOf(
      await app.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { key } }', { id: keyId }),
    ).rotateApiKey;
    const delivery = await settled(id, 'sent');
    const [message] = arrived();
    expect(message?.headers).toMatchObject({ 'webhook-id': delivery.id, 'content-type': 'application/json' });
    expect(verified(secret, message as never)).toEqual({
      type: 'api_key_rotated',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: {
        ...{ organisation_id: app.organisationId, workspace_id: app.workspaceId, api_key_id: keyId },
        ...{ api_key_name: expect.any(String), by_policy: false },
        rotated_at: expect.any(String),
        former_secret_ends_at: expect.any(String),
      },
    });
    expect(() => verified(other.secret, message as never)).toThrow();
    expect(message?.body).not.toContain(rotated.key);
    expect(other.arrived()).toEqual([]);
    expect(arrived()).toHaveLength(1);
  }, 120_000);

  it('is told of a key that expires, also of one that mails nobody', async () => {
    const { id, arrived } = await own({ events: ['api_key_expiring'] });
    const expiresAt = new Date(Date.now() + 30 * DAY).toISOString();
    const input = { name: 'ends', scopes: ['configs.list'], workspaceId: app.workspaceId, expiresAt };
    const document = `mutation ($input: CreateWorkspaceServiceApiKeyInput!) {
      createWorkspaceServiceApiKey(input: $input) { id } }`;
    const key = dataOf(await app.graphql(document, { input })).createWorkspaceServiceApiKey;
    ahead = 23 * DAY + MINUTE;
    await settled(id, 'sent');
    expect(arrived().map(({ body }) => JSON.parse(body).data)).toEqual([
      expect.objectContaining({ api_key_id: key.id, expires_at: expiresAt, days_left: 7 }),
    ]);
  }, 120_000);

  it('of a workspace hears nothing of the others', async () => {
    const document = 'mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }';
    const { id: workspaceId } = dataOf(
      await app.graphql(document, { input: { name: 'apart' } }),
    ).createWorkspace;
    const apart = await own({ workspaceId });
    const all = await own();
    const key = await makeKey(app, 'workspace-service', {});
    const [{ id }] = dataOf(await app.graphql('{ apiKeys(pageSize: 1) { data { id } } }', {}, key)).apiKeys
      .data;
    dataOf(await app.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { key } }', { id }));
    await settled(all.id, 'sent');
    expect(await deliveries(apart.id)).toEqual([]);
  }, 120_000);

  it.each([
    ['not a URL', 'hook.example.com', /absolute http or https URL/],
    ['a private address', 'http://10.1.2.3/hook', /private host; add it to TRUSTED_HOSTS/],
    ['a metadata address', 'http://169.254.169.254/latest', /metadata/],
    ['another scheme', 'file:///etc/passwd', /absolute http or https URL/],
    ['credentials', 'https://user:pass@example.com/', /carries no credentials/],
  ])('is refused as %s', async (_name, url, problem) => {
    const before = await dumpResources(app);
    const refused = await attempt({ url });
    expect(errorOf(refused)).toMatchObject({ code: 'VALIDATION_FAILED', param: 'input.url' });
    expect(refused.errors?.[0]?.message).toMatch(problem);
    const changed = errorOf(await app.graphql(UPDATE, { id: subject.id, input: { url } }));
    expect(changed).toMatchObject({ code: 'VALIDATION_FAILED', param: 'input.url' });
    expect((await dumpResources(app)) === before).toBe(true);
  });

  it('is changed member by member, and deleted with its deliveries', async () => {
    const { id } = await own({ name: 'before' });
    await send(id);
    const changed = dataOf(await app.graphql(UPDATE, { id, input: { name: 'after' } })).updateWebhookEndpoint;
    expect(changed).toMatchObject({ name: 'after', events: ['api_key_rotated'], enabled: true });
    expect(dataOf(await app.graphql(DELETE, { id })).deleteWebhookEndpoint).toBe(id);
    expect(errorOf(await app.graphql(DELETE, { id })).code).toBe('NOT_FOUND');
    expect((await dumpResources(app)).includes(`"endpointId":"${id}"`)).toBe(false);
  });

  it('keeps its secret from everybody, and gets a new one beside the former for a day', async () => {
    const { id, secret, arrived } = await own();
    const rotated = dataOf(await app.graphql(ROTATE, { id })).rotateWebhookSecret;
    expect(rotated.secret).not.toBe(secret);
    expect(new Date(rotated.endpoint.formerSecretEndsAt).getTime()).toBeGreaterThan(
      Date.now() + DAY - MINUTE,
    );
    await send(id);
    await settled(id, 'sent');
    const [both] = arrived();
    for (const one of [secret, rotated.secret])
      expect(verified(one, both as never)).toMatchObject({ type: 'test' });
    ahead = DAY + MINUTE;
    await send(id);
    await eventually(async () => expect(arrived()).toHaveLength(2));
    const signed = arrived()[1]?.headers['webhook-signature'];
    expect(signed).toMatch(/^v1,\S+$/);
    const stored = await dump(app);
    for (const one of [secret, rotated.secret]) expect(stored.includes(one.slice(6))).toBe(false);
  }, 120_000);
});

describe('a message', () => {
  it.each([
    ['an error', 500, 'the endpoint answered 500'],
    ['a redirect', 302, 'the endpoint answered 302'],
  ])(
    'that meets %s comes again with the same id',
    async (_name, status, reason) => {
      const { id, arrived } = await own();
      receiver.answerNext(status);
      const { id: messageId } = await send(id);
      await eventually(async () =>
        expect((await deliveries(id))[0]).toMatchObject({
          ...{ status: 'pending', attempts: 1, lastError: reason, responseStatus: status },
          nextAttemptAt: expect.any(String),
        }),
      );
      ahead = MINUTE;
      expect(await settled(id, 'sent')).toMatchObject({ attempts: 2, responseStatus: 204, lastError: null });
      expect(arrived().map(({ headers }) => headers['webhook-id'])).toEqual([messageId, messageId]);
      expect(receiver.received.some(({ path }) => path === '/elsewhere')).toBe(false);
    },
    30_000,
  );

  it('that nobody takes says why', async () => {
    const { id } = await own();
    dataOf(await app.graphql(UPDATE, { id, input: { url: 'http://127.0.0.1:59999/' } }));
    await send(id);
    await eventually(async () =>
      expect((await deliveries(id))[0]).toMatchObject({
        ...{ status: 'pending', responseStatus: null },
        lastError: expect.stringMatching(/ECONNREFUSED/),
      }),
    );
  }, 120_000);

  it('is given up after eight tries, and tried again when somebody asks', async () => {
    const { id, arrived } = await own();
    receiver.answerNext(...Array.from({ length: 8 }, () => 503));
    const { id: messageId } = await send(id);
    for (let tries = 1; tries < 8; tries++) {
      await eventually(async () => expect(arrived()).toHaveLength(tries));
      await eventually(async () => expect((await deliveries(id))[0].lastError).not.toBeNull());
      ahead += 11 * 60 * MINUTE;
    }
    const failed = await settled(id, 'failed');
    expect(failed).toMatchObject({ attempts: 8, nextAttemptAt: null, responseStatus: 503 });
    const retry = async (deliveryId?: string) =>
      dataOf(await app.graphql(RETRY, { id, deliveryId })).retryWebhookDeliveries;
    expect(await retry('another')).toBe(0);
    expect(await retry(messageId)).toBe(1);
    expect(await settled(id, 'sent')).toMatchObject({ id: messageId, attempts: 1 });
    expect(await retry()).toBe(0);
  }, 120_000);

  it('that is answered 410 switches its endpoint off until somebody enables it', async () => {
    const { id, arrived } = await own();
    receiver.answerNext(410);
    await send(id);
    await settled(id, 'failed');
    const read = async () =>
      dataOf(await app.graphql(`query ($id: ID!) { webhookEndpoint(id: $id) { ${FIELDS} } }`, { id }))
        .webhookEndpoint;
    expect(await read()).toMatchObject({ enabled: false, goneAt: expect.any(String) });
    expect((await app.graphql(TEST, { id })).errors?.[0]?.message).toMatch(/switched off/);
    dataOf(await app.graphql(UPDATE, { id, input: { enabled: true } }));
    expect(await read()).toMatchObject({ enabled: true, goneAt: null });
    await send(id);
    await eventually(async () => expect(arrived()).toHaveLength(2));
  }, 120_000);

  it('of an endpoint that fails does not keep another one waiting', async () => {
    const failing = await own();
    const sound = await own();
    receiver.answerNext(500);
    await send(failing.id);
    await eventually(async () => expect(failing.arrived()).toHaveLength(1));
    await send(failing.id);
    await send(sound.id);
    await settled(sound.id, 'sent');
  }, 120_000);

  it('that waits is given up when its endpoint is switched off', async () => {
    const { id } = await own();
    receiver.answerNext(500);
    await send(id);
    await eventually(async () => expect((await deliveries(id))[0].lastError).not.toBeNull());
    dataOf(await app.graphql(UPDATE, { id, input: { enabled: false } }));
    expect((await deliveries(id, 'failed'))[0]).toMatchObject({
      lastError: 'The endpoint was switched off.',
    });
  }, 120_000);
});
