import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type Tenant, type TestApp } from '../../support/app.ts';
import { openBrowser } from '../../support/browser.ts';
import { setUpBy } from '../../support/installation.ts';
import { addUser } from '../../support/users.ts';
import { describeAccess } from '../access.ts';
import { dataOf, errorOf, makeKey } from '../support.ts';

const planted = {
  METRICS_TOKEN: 'planted-metrics-token-0123456789abcdef',
  SUBGRAPH_SECRET: 'planted-router-secret-0123456789abcdef',
  SMTP_URL: 'smtp://planted-user:planted-password@127.0.0.1:9',
  MAIL_FROM: 'Sluice <planted@example.com>',
};
const all = `{ installation {
  version startedAt storage workers retention { logDays bodyDays } features databaseUp
  logQueue { waiting written spooled dropped } subgraphs { name isRemote state } ownerExists publicUrl
} }`;
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'));

const began = Date.now();
let app: TestApp;
let neighbour: Tenant;

beforeAll(async () => {
  app = await startApp({ ...planted, LOG_RETENTION_DAYS: '20', SAVED_CONFIGS_ONLY: 'true' });
  await setUpBy(app, app);
  neighbour = await app.createTenant();
});
afterAll(() => app.stop());

describeAccess(() => ({ app, neighbour }), 'organisation-service', {
  installation: { document: '{ installation { version } }', scopes: ['organisation_settings.read'] },
});

const ask = async (key = app.adminKey) => dataOf(await app.graphql(all, {}, key)).installation;
const methods = async () => (await openBrowser(app).send('GET', '/sign-in')).body;

describe('the installation', () => {
  it('says how it runs, and no secret or place of its settings', async () => {
    const shown = await ask();
    expect(shown).toMatchObject({
      version,
      workers: 1,
      retention: { logDays: 20, bodyDays: expect.any(Number) },
      features: ['log_bodies', 'mail', 'saved_configs_only', 'subgraph_door'],
      databaseUp: true,
      logQueue: { dropped: 0 },
      subgraphs: ['identity', 'catalog', 'routing', 'insights', 'assistants', 'mcp'].map((name) => ({
        name,
        isRemote: false,
        state: 'up',
      })),
      publicUrl: null,
    });
    expect(shown.storage).toBe(process.env.MONGODB_URI ? 'mongodb' : 'embedded');
    expect(Date.parse(shown.startedAt)).toBeGreaterThanOrEqual(began);
    expect(JSON.stringify(shown)).not.toMatch(/planted|mongodb:|\/tmp|sluice-test/);
  });

  it('counts the logs of the process', async () => {
    const { written } = (await ask()).logQueue;
    await app.rest('POST', '/v1/chat/completions', {
      body: { model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] },
    });
    await app.logged();
    expect((await ask()).logQueue).toMatchObject({ waiting: 0, written: written + 1, dropped: 0 });
  });

  it('tells anybody whether it has an owner, and nothing else', async () => {
    expect((await ask()).ownerExists).toBe(false);
    expect(await methods()).toEqual({ object: 'sign-in-methods', oidc: false, owner_exists: false });
    // An owner of another tenant owns no installation.
    await addUser(app, { tenant: neighbour, role: 'owner' });
    expect(await methods()).toMatchObject({ owner_exists: false });
    await addUser(app, { role: 'owner' });
    expect(await methods()).toMatchObject({ owner_exists: true });
    expect((await ask()).ownerExists).toBe(true);
  });

  it('is closed to every other organisation, whatever its credential may do', async () => {
    const tokens = await Promise.all([app.token(neighbour), app.token()]);
    const [foreign, own] = await Promise.all(
      tokens.map((token) =>
        app.rest('POST', '/graphql', {
          key: null,
          headers: { authorization: `Bearer ${token}` },
          body: { query: all },
        }),
      ),
    );
    expect(dataOf(own?.body as any).installation.version).toBe(version);
    for (const answer of [foreign?.body as any, await app.graphql(all, {}, neighbour.adminKey)]) {
      expect(errorOf(answer)).toMatchObject({ code: 'FORBIDDEN' });
      expect(answer.data).toEqual({ installation: null });
    }
    const limited = await makeKey(app, 'organisation-service', { only: ['organisation_settings.read'] });
    expect((await ask(limited)).version).toBe(version);
  });
});
