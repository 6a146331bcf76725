import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { auditRows, dump } from '../subgraphs/support.ts';
import { startApp, type Tenant, type TestApp } from '../support/app.ts';
import { linkFor, openBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { addUser } from '../support/users.ts';

let app: TestApp;
let neighbour: Tenant;
beforeAll(async () => {
  app = await startApp();
  neighbour = await app.createTenant();
  // What belongs to nobody is in the trail of the organisation that the installation began with.
  await app.db
    .collection<{ _id: string }>('installation')
    .updateOne({ _id: 'installation' }, { $set: { seedOwner: app.organisationId } }, { upsert: true });
});
afterAll(() => app.stop());

describe('a sign-in that is refused', () => {
  const refusals = () => auditRows(app, { resourceType: 'sign_in', outcome: 'refused' });
  /** The entries that an attempt leaves. */
  async function leftBy(shown: object) {
    const before = (await refusals()).length;
    expect((await openBrowser(app).send('POST', '/sign-in', shown)).status).toBe(401);
    const rows = await eventually(async () => {
      const found = await refusals();
      expect(found.length).toBeGreaterThan(before);
      return found.slice(before);
    });
    return rows.map(({ organisationId, userId, userType, responseStatusCode, requestBody }) => ({
      organisationId,
      userId,
      userType,
      responseStatusCode,
      requestBody,
    }));
  }
  const entry = (more: object) => ({
    organisationId: app.organisationId,
    userId: '',
    userType: 'user',
    responseStatusCode: 401,
    ...more,
  });

  it('leaves an entry, without what was shown', async () => {
    const link = await linkFor(app, (await addUser(app))._id);
    await openBrowser(app).signIn({ link });
    expect(await leftBy({ link })).toEqual([entry({ requestBody: '{"method":"link"}' })]);
    const wrongKey = `sl-${'x'.repeat(43)}`;
    expect(await leftBy({ key: wrongKey })).toEqual([entry({ requestBody: '{"method":"key"}' })]);
    const shown = { client_id: neighbour.clientId, client_secret: 'wrong-secret-of-a-robot' };
    expect(await leftBy(shown)).toEqual([
      entry({
        organisationId: neighbour.organisationId,
        userId: neighbour.clientId,
        userType: 'service_account',
        requestBody: '{"method":"client"}',
      }),
    ]);
    const written = await dump(app);
    for (const secret of [link, wrongKey, 'wrong-secret-of-a-robot']) expect(written).not.toContain(secret);
  });

  it('of a key that is over is in the trail of its organisation', async () => {
    const expiresAt = Date.now() + 1500;
    const { body } = await app.rest('POST', '/v1/api-keys/workspace/service', {
      key: neighbour.adminKey,
      body: {
        name: 'over',
        workspace_id: neighbour.workspaceId,
        scopes: ['configs.list'],
        expires_at: new Date(expiresAt).toISOString(),
      },
    });
    const { id, key } = body as { id: string; key: string };
    await wait(expiresAt - Date.now() + 1);
    expect(await leftBy({ key })).toMatchObject([
      { organisationId: neighbour.organisationId, userId: id, userType: 'api_key' },
    ]);
  });

  it('by somebody who tries again and again is counted elsewhere', async () => {
    const statuses = [];
    for (let turn = 0; turn < 25; turn++)
      statuses.push((await openBrowser(app).send('POST', '/sign-in', { link: `wrong-${turn}` })).status);
    expect(statuses).toEqual(Array(25).fill(401));
    // Those of the first minute that are answered at once, and the one that follows.
    await eventually(async () => expect(await refusals()).toHaveLength(10));
    await openBrowser(app).send('POST', '/sign-in', { link: 'wrong' });
    expect(await refusals()).toHaveLength(10);
  });
});
