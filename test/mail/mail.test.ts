import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { dataOf, dump, errorOf, makeKey } from '../subgraphs/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';

const DAY = 86_400_000;
const MINUTE = 60_000;

let ahead = 0;
const now = () => new Date(Date.now() + ahead);
let server: MailServer;
let app: TestApp;
let env: Record<string, string>;

beforeAll(async () => {
  server = await startMailServer();
  env = {
    SMTP_URL: server.url,
    MAIL_FROM: 'Sluice <sluice@example.com>',
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
  };
  app = await startApp(env, undefined, now);
}, 120_000);
afterAll(async () => {
  await app.stop();
  await server.stop();
});
afterEach(() => {
  ahead = 0;
});

const outbox = async (to: string, at: TestApp = app, key?: string) =>
  dataOf(
    await at.graphql(
      'query ($to: String) { outbox(to: $to) { total data { kind to subject text status attempts nextAttemptAt lastError sentAt workspaceId } } }',
      { to },
      key,
    ),
  ).outbox.data;

const mailsTo = (address: string) => server.received.filter(({ to }) => to.includes(address));

const arrived = (address: string, count = 1) =>
  eventually(async () => {
    expect(mailsTo(address)).toHaveLength(count);
    return mailsTo(address);
  });

async function makeAlerting(alertEmails: string[], more: object = {}): Promise<{ id: string; key: string }> {
  const input = {
    ...{ name: 'alerting', scopes: ['configs.list'], workspaceId: app.workspaceId },
    ...{ alertEmails, ...more },
  };
  return dataOf(
    await app.graphql(
      'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { createWorkspaceServiceApiKey(input: $input) { id key } }',
      { input },
    ),
  ).createWorkspaceServiceApiKey;
}

const rotate = async (id: string): Promise<{ key: string }> =>
  dataOf(await app.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { key } }', { id })).rotateApiKey;

/** Time enough for every process to look twice more. */
const twoLooks = () => new Promise((resolve) => setTimeout(resolve, 2500));

describe('a rotation', () => {
  it('is told to each address once, without the secret', async () => {
    const { id, key } = await makeAlerting(['one@example.com', 'two@example.com']);
    const rotated = await rotate(id);
    const [mail] = await arrived('one@example.com');
    await arrived('two@example.com');
    expect(mail).toMatchObject({ from: 'sluice@example.com', to: ['one@example.com'], user: 'gateway' });
    expect(mail?.subject).toBe('API key "alerting" has a new secret');
    expect(mail?.text).toContain(id);
    expect(mail?.head).toMatch(/^Message-ID: </m);
    for (const secret of [key, rotated.key]) {
      expect(server.received.some((one) => JSON.stringify(one).includes(secret))).toBe(false);
      expect(await dump(app)).not.toContain(secret);
    }
    await twoLooks();
    expect(mailsTo('one@example.com')).toHaveLength(1);
    expect(await outbox('one@example.com')).toEqual([
      expect.objectContaining({
        ...{ kind: 'api_key_rotated', status: 'sent', attempts: 1, lastError: null },
        workspaceId: app.workspaceId,
        sentAt: expect.any(String),
      }),
    ]);
  }, 120_000);

  it('by a policy is told with the way to the new secret', async () => {
    const nextRotationAt = new Date(Date.now() + DAY).toISOString();
    const { id } = await makeAlerting(['policy@example.com'], { rotationPolicy: { nextRotationAt } });
    ahead = DAY + MINUTE;
    const [mail] = await arrived('policy@example.com');
    expect(mail?.text).toContain(`POST /v1/api-keys/${id}/reveal`);
  }, 120_000);

  it('of a key whose name breaks lines cannot write headers', async () => {
    const { id } = await makeAlerting(['lines@example.com'], { name: 'a\r\nBcc: all@example.com\r\n\r\nb' });
    await rotate(id);
    const [mail] = await arrived('lines@example.com');
    expect(mail?.head).not.toMatch(/^Bcc:/m);
    expect(mailsTo('all@example.com')).toEqual([]);
  }, 120_000);
});

describe('a key that expires', () => {
  it('is told seven days and one day before, once each', async () => {
    const expiresAt = new Date(Date.now() + 30 * DAY).toISOString();
    await makeAlerting(['soon@example.com'], { expiresAt });
    await twoLooks();
    expect(mailsTo('soon@example.com')).toEqual([]);
    ahead = 23 * DAY + MINUTE;
    const [week] = await arrived('soon@example.com');
    expect(week?.subject).toContain('expires in 7 days');
    ahead = 29 * DAY + MINUTE;
    const [, day] = await arrived('soon@example.com', 2);
    expect(day?.subject).toContain('expires in one day');
    ahead = 31 * DAY;
    await twoLooks();
    expect(mailsTo('soon@example.com')).toHaveLength(2);
  }, 120_000);

  it('is told anew for another expiry, and not at all without addresses', async () => {
    const { id } = await makeAlerting([], { expiresAt: new Date(Date.now() + 30 * DAY).toISOString() });
    const update = (input: object) =>
      app.graphql(
        'mutation ($id: ID!, $input: UpdateApiKeyInput!) { updateApiKey(id: $id, input: $input) { id } }',
        { id, input },
      );
    ahead = 24 * DAY;
    await twoLooks();
    ahead = 0;
    dataOf(
      await update({
        alertEmails: ['later@example.com'],
        expiresAt: new Date(Date.now() + 10 * DAY).toISOString(),
      }),
    );
    ahead = 3 * DAY + MINUTE;
    await arrived('later@example.com');
  }, 120_000);
});

describe('an invite', () => {
  const invite = async (email: string) =>
    dataOf(
      await app.graphql(
        'mutation ($email: String!) { createInvite(input: { email: $email, role: member, workspaces: [] }) { id inviteLink } }',
        { email },
      ),
    ).createInvite;

  it('goes out with its link, which stands nowhere else', async () => {
    const { id, inviteLink } = await invite('new@example.com');
    const [mail] = await arrived('new@example.com');
    expect(mail?.text).toContain(inviteLink);
    const secret = inviteLink.split('/').at(-1);
    expect(await dump(app)).not.toContain(secret);
    const [shown] = await outbox('new@example.com');
    expect(shown).toMatchObject({ kind: 'invite', text: expect.stringContaining('[secret]') });
    await eventually(async () =>
      expect(await app.db.collection('outbox').countDocuments({ to: 'new@example.com', sealed: null })).toBe(
        1,
      ),
    );
    dataOf(await app.graphql('mutation ($id: ID!) { resendInvite(id: $id) { id } }', { id }));
    const [, again] = await arrived('new@example.com', 2);
    expect(again?.text).not.toContain(inviteLink);
  }, 120_000);
});

describe('a mail server', () => {
  it('that is busy gets the mail again later', async () => {
    server.refuseNext({ code: 451, message: 'Come back later' });
    const { id } = await makeAlerting(['busy@example.com']);
    await rotate(id);
    await eventually(async () =>
      expect(await outbox('busy@example.com')).toEqual([
        expect.objectContaining({
          ...{ status: 'pending', attempts: 1 },
          lastError: expect.stringContaining('Come back later'),
        }),
      ]),
    );
    await twoLooks();
    expect(mailsTo('busy@example.com')).toEqual([]);
    ahead = 2 * MINUTE;
    await arrived('busy@example.com');
    await eventually(async () =>
      expect(await outbox('busy@example.com')).toEqual([
        expect.objectContaining({ status: 'sent', attempts: 2, lastError: null }),
      ]),
    );
  }, 120_000);

  it('that refuses an address for good is asked once', async () => {
    server.refuseNext({ code: 550, message: 'No such person' });
    const { id } = await makeAlerting(['nobody@example.com']);
    await rotate(id);
    await eventually(async () =>
      expect(await outbox('nobody@example.com')).toEqual([
        expect.objectContaining({
          ...{ status: 'failed', attempts: 1, nextAttemptAt: null },
          lastError: expect.stringContaining('No such person'),
        }),
      ]),
    );
    ahead = DAY;
    await twoLooks();
    expect(mailsTo('nobody@example.com')).toEqual([]);
  }, 120_000);

  it('gets what a stopped process left, once, from one of two', async () => {
    const silent = await startApp({ ENCRYPTION_KEY: env.ENCRYPTION_KEY as string }, undefined, now);
    const { organisationId, workspaceId } = silent;
    // As a process leaves it that stops between the event and its mail.
    await silent.db.collection<{ _id: string }>('outbox').insertOne({
      ...{
        _id: 'left',
        event: 'left',
        kind: 'api_key_rotated',
        to: 'left@example.com',
        organisationId,
        workspaceId,
      },
      ...{ subject: 'Left', text: 'Left behind', sealed: null, status: 'pending', attempts: 0 },
      ...{ nextAttemptAt: new Date(), lastError: null, sentAt: null },
      ...{ createdAt: new Date(), expiresAt: new Date(Date.now() + DAY) },
    } as never);
    const both = await Promise.all(
      [1, 2].map(() => startApp({ ...env, MONGODB_URI: silent.databaseUri }, undefined, now)),
    );
    await arrived('left@example.com');
    await twoLooks();
    expect(mailsTo('left@example.com')).toHaveLength(1);
    for (const one of both) await one.stop();
    await silent.stop();
  }, 120_000);
});

describe('the outbox', () => {
  it('keeps mails where there is no mail server, and no invites', async () => {
    const bare = await startApp();
    try {
      const { createWorkspaceServiceApiKey: made } = dataOf(
        await bare.graphql(
          `mutation ($workspaceId: ID) { createWorkspaceServiceApiKey(input: { name: "x", scopes: ["configs.list"],
            workspaceId: $workspaceId, alertEmails: ["kept@example.com"] }) { id } }`,
          { workspaceId: bare.workspaceId },
        ),
      );
      dataOf(await bare.graphql('mutation ($id: ID!) { rotateApiKey(id: $id) { id } }', { id: made.id }));
      dataOf(
        await bare.graphql(
          'mutation { createInvite(input: { email: "kept@example.com", role: member, workspaces: [] }) { id } }',
        ),
      );
      await eventually(async () =>
        expect(await outbox('kept@example.com', bare)).toEqual([
          expect.objectContaining({
            kind: 'api_key_rotated',
            status: 'kept',
            attempts: 0,
            nextAttemptAt: null,
          }),
        ]),
      );
    } finally {
      await bare.stop();
    }
  }, 120_000);

  it('shows a neighbour nothing, and nothing without the scope', async () => {
    const { id } = await makeAlerting(['private@example.com']);
    await rotate(id);
    await arrived('private@example.com');
    const neighbour = await app.createTenant();
    expect(await outbox('private@example.com', app, neighbour.adminKey)).toEqual([]);
    const lacking = await makeKey(app, 'organisation-service', { without: ['organisation_settings.read'] });
    expect(errorOf(await app.graphql('{ outbox { total } }', {}, lacking)).code).toBe('FORBIDDEN');
  }, 120_000);
});
