import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { failToStart } from '../../support/process.ts';
import { type SubscriptionClient, socketClient, streamClient } from '../../support/subscriptions.ts';

const trusted = '{ workspaces(pageSize: 1) { total } }';
const hash = createHash('sha256').update(trusted).digest('hex');

let directory: string;
let app: TestApp;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-trusted-'));
  const file = join(directory, 'trusted.json');
  await writeFile(file, JSON.stringify({ [hash]: trusted }));
  app = await startApp({ TRUSTED_DOCUMENTS: file });
}, 120_000);
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true, force: true });
});

/** The first result, or the code of the error that came in its place. */
async function first(client: SubscriptionClient, query: string): Promise<unknown> {
  try {
    const result = await client.subscribe(query).next();
    return result?.errors?.[0]?.extensions?.code ?? result?.data;
  } catch (errors) {
    return (errors as { extensions?: { code?: string } }[])[0]?.extensions?.code;
  } finally {
    client.close();
  }
}

describe('trusted documents', () => {
  it('are all that runs over a WebSocket', async () => {
    const open = () => socketClient(app.url, app.adminKey);
    expect(await first(open(), trusted)).toEqual({ workspaces: { total: 1 } });
    expect(await first(open(), '{ workspaces { total } }')).toBe('DOCUMENT_NOT_TRUSTED');
  });

  it('are all that runs over an event stream', async () => {
    expect(await first(streamClient(app.url, app.adminKey), trusted)).toEqual({ workspaces: { total: 1 } });
    const refused = await app.rest('POST', '/graphql/stream', {
      key: app.adminKey,
      headers: { accept: 'text/event-stream' },
      body: { query: '{ workspaces { total } }' },
    });
    expect(refused).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }] },
    });
  });

  it('are all that runs over HTTP', async () => {
    const named = await app.rest('POST', '/graphql', { key: app.adminKey, body: { documentId: hash } });
    expect(named).toMatchObject({ status: 200, body: { data: { workspaces: { total: 1 } } } });
    expect(await app.graphql('{ workspaces { total } }')).toMatchObject({
      status: 400,
      errors: [{ extensions: { code: 'DOCUMENT_NOT_TRUSTED' } }],
    });
  });

  it('stop the start when one does not fit the schema', async () => {
    const text = '{ nothing }';
    const file = join(directory, 'wrong.json');
    const name = createHash('sha256').update(text).digest('hex');
    await writeFile(file, JSON.stringify({ [name]: text }));
    const { code, output } = await failToStart(join(directory, 'data'), { TRUSTED_DOCUMENTS: file });
    expect(code).toBe(1);
    expect(output).toContain(`${name}: Cannot query field "nothing"`);
  });
});
