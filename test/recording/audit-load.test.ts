import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { verifyAuditTrail } from '../../src/recording/audit/verification.ts';
import { type EmbeddedServer, startEmbedded } from '../../src/storage/embedded/index.ts';
import { nativeDb } from '../../src/storage/native-db.ts';
import { createSecrets } from '../../src/storage/secrets.ts';
import { startApp, type TestApp } from '../support/app.ts';

const key = Buffer.alloc(32, 3);
let server: EmbeddedServer;
let directory: string;
let apps: TestApp[];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-audit-load-'));
  server = await startEmbedded({ directory });
  const env = { MONGODB_URI: server.uri, ENCRYPTION_KEY: key.toString('base64') };
  apps = await Promise.all([startApp(env), startApp(env)]);
});
afterAll(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  await server.stop();
  await rm(directory, { recursive: true, force: true });
});

test('two processes that record 200 changes at once make one chain without a gap', async () => {
  const [first] = apps as [TestApp];
  const changes = Array.from({ length: 200 }, (_, index) =>
    apps[index % 2]?.rest('POST', '/v1/configs', {
      key: first.workspaceKey,
      body: { name: `Config ${index}`, config: { provider: '@mock' } },
    }),
  );
  const statuses = (await Promise.all(changes)).map((answer) => answer?.status);
  expect(statuses).toEqual(statuses.map(() => 200));
  const { sign } = createSecrets(key);
  for await (const report of verifyAuditTrail(nativeDb(first.db), (text) => sign('audit chain', text))) {
    expect(report).toMatchObject({ entries: 200, unchained: 0, newest: { sequence: 200 }, breaks: [] });
  }
});
