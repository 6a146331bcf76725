import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { errorOf } from '../subgraphs/support.ts';
import { startAppWith, type TestApp } from '../support/app.ts';
import { type Browser, signedIn } from '../support/browser.ts';
import { sha256, writeConsoleDocuments } from '../support/built-console.ts';
import { addUser } from '../support/users.ts';

const shown = 'query Shown { configs { data { id workspace { slug } } } viewer { kind } }';
const listened = 'subscription Listened { logAdded { id } }';
const foreign = '{ viewer { kind id } }';

let directory: string;
let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  await writeConsoleDocuments(directory, [shown, listened]);
  app = await start({ GRAPHQL_MAX_DEPTH: '2', GRAPHQL_INTROSPECTION: 'false' });
  browser = await signedIn(app, (await addUser(app, { inWorkspace: 'admin' }))._id);
});
afterAll(async () => {
  await app.stop();
  await rm(directory, { recursive: true });
});

/** An app that reads the documents of the folder, as the service does. */
const start = (env: Record<string, string> = {}) =>
  startAppWith({ env: { CONSOLE_DIR: directory, ...env }, hasConsole: true });

const named = (text: string) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: sha256(text) } },
});

const stream = (body: object) =>
  fetch(`${app.url}/console/graphql/stream`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'sec-fetch-site': 'same-origin',
      cookie: browser.cookie,
    },
    body: JSON.stringify(body),
  });

describe("the console's graph", () => {
  it('runs what is listed, by the hash of its text', async () => {
    const { status, body } = await browser.send('POST', '/graphql', named(shown));
    expect([status, body.errors, body.data.viewer.kind]).toEqual([200, undefined, 'user']);
  });

  it.each([
    ['the text of another document', { query: foreign }],
    ['the hash of another document', named(foreign)],
    ['a hash with the text that belongs to it', { query: foreign, ...named(foreign) }],
    ['the hash of a listed document with another text', { query: foreign, ...named(shown) }],
    ['a hash that is no text', { extensions: { persistedQuery: { version: 1, sha256Hash: 7 } } }],
    ['the name of something that every object has', { documentId: 'constructor' }],
  ])('refuses %s', async (_what, body) => {
    const refused = await browser.send('POST', '/graphql', body);
    expect([refused.status, refused.body.errors[0].extensions.code]).toEqual([400, 'DOCUMENT_NOT_TRUSTED']);
  });

  it('does not learn a document by being asked twice', async () => {
    for (const body of [named(foreign), { query: foreign, ...named(foreign) }, named(foreign)]) {
      expect((await browser.send('POST', '/graphql', body)).status).toBe(400);
    }
  });

  it('streams what is listed, and nothing else', async () => {
    const open = await stream(named(listened));
    expect([open.status, open.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^text\/event-stream/),
    ]);
    await open.body?.cancel();
    const refused = await stream({ query: 'subscription { logAdded { traceId } }' });
    const { errors } = (await refused.json()) as any;
    expect([refused.status, errors[0].extensions.code]).toEqual([400, 'DOCUMENT_NOT_TRUSTED']);
  });

  it('leaves the graph of others as it is', async () => {
    expect(errorOf(await app.graphql('{ configs { data { id workspace { slug } } } }')).code).toBe(
      'GRAPHQL_VALIDATION_FAILED',
    );
    expect((await app.graphql('{ __typename }')).data).toEqual({ __typename: 'Query' });
  });
});

it('runs nothing until the console is built, also while it runs', async () => {
  const later = join(directory, 'later');
  const other = await start({ CONSOLE_DIR: later });
  try {
    const inside = await signedIn(other, (await addUser(other, { inWorkspace: 'admin' }))._id);
    const ask = async () => (await inside.send('POST', '/graphql', named(shown))).body;
    const refusal = {
      message: 'The console is not built: `npm run console:build`, where Sluice runs, builds it.',
      extensions: { code: 'DOCUMENT_NOT_TRUSTED' },
    };
    expect(await ask()).toMatchObject({ errors: [refusal] });
    await writeConsoleDocuments(later, []);
    const broken = { [sha256(foreign)]: shown };
    await writeFile(join(later, 'documents.json'), JSON.stringify(broken));
    expect(await ask()).toMatchObject({ errors: [refusal] });
    await writeConsoleDocuments(later, [shown]);
    expect(await ask()).toMatchObject({ data: { viewer: { kind: 'user' } } });
    // The next build has other documents, and those of the one before run until a page of it asks.
    await writeConsoleDocuments(later, [foreign]);
    expect(await ask()).toMatchObject({ data: { viewer: { kind: 'user' } } });
    const { body } = await inside.send('POST', '/graphql', named(foreign));
    expect(body).toMatchObject({ data: { viewer: { kind: 'user' } } });
    expect((await ask()).errors[0].extensions.code).toBe('DOCUMENT_NOT_TRUSTED');
  } finally {
    await other.stop();
  }
});
