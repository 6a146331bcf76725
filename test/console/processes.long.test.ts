import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Bootstrap } from '../../seeds/bootstrap.ts';
import { findEmbedded } from '../../src/storage/embedded/index.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { writeConsoleDocuments } from '../support/built-console.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

const run = promisify(execFile);
const script = new URL('../../scripts/console-link.ts', import.meta.url).pathname;

/** What the console may ask here. */
const whoAmI = '{ viewer { id } }';
const users = '{ users { total } }';

let directory: string;
let one: SluiceProcess;
let two: SluiceProcess;
let seeds: Bootstrap;
let owner: Browser;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-console-'));
  const CONSOLE_DIR = join(directory, 'console');
  await writeConsoleDocuments(CONSOLE_DIR, [whoAmI, users]);
  one = await startProcess(directory, { CONSOLE_DIR });
  const MONGODB_URI = (await findEmbedded(join(directory, 'store'))) ?? '';
  two = await startProcess(directory, { CONSOLE_DIR, MONGODB_URI });
  seeds = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8')) as Bootstrap;
}, 120_000);
afterAll(async () => {
  await two.kill('SIGTERM');
  await one.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const link = async (...options: string[]): Promise<string> => {
  const { stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, ...options],
    {
      env: { PATH: process.env.PATH, DATA_DIR: directory, PORT: new URL(one.url).port },
    },
  );
  return stdout.trim();
};
const secretOf = (text: string): string => text.split('#')[1] ?? '';

async function ask(query: string, variables = {}): Promise<any> {
  const response = await fetch(`${one.url}/graphql`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': seeds.admin_api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = (await response.json()) as any;
  expect(errors).toBeUndefined();
  return data;
}

describe('npm run console:link', () => {
  it('is named at the start while nobody owns the installation, and a log gets no secret', () => {
    expect(one.output()).toMatch(
      /Console {5}http\S+\/console\/ {3}\(`npm run console:link` makes a link for the first owner\)/,
    );
    expect(one.output()).not.toContain('#sl-');
  });

  it('makes the first owner, then signs in the owner, or somebody', async () => {
    const setUp = await link();
    expect(setUp).toMatch(`${one.url}/console/welcome#sl-`);
    const input = {
      token: secretOf(setUp),
      email: 'ada@example.com',
      firstName: 'Ada',
      lastName: 'Lovelace',
    };
    const create = 'mutation ($input: CreateOwnerInput!) { createOwner(input: $input) { signInLink } }';
    const { createOwner } = await ask(create, { input });
    owner = openBrowser(one);
    await owner.signIn({ link: secretOf(createOwner.signInLink) });
    const again = await link();
    expect(again).toMatch(`${one.url}/console/#sl-`);
    await openBrowser(two).signIn({ link: secretOf(again) });
    await openBrowser(one).signIn({ link: secretOf(await link('--user', 'ADA@example.com')) });
  });

  it('says what is wrong', async () => {
    await expect(link('--user', 'nobody@example.com')).rejects.toMatchObject({
      code: 1,
      stderr: 'No user has the address nobody@example.com.\n',
    });
    await expect(link('--owner')).rejects.toMatchObject({
      code: 1,
      stderr: 'Usage: npm run console:link [-- --user <email>]\n',
    });
  });
});

/** Milliseconds until the browser's requests to the second process are refused with this status. */
async function untilRefused(browser: Browser, query: string): Promise<number> {
  const startedAt = Date.now();
  for (;;) {
    const { data } = await browser.graphql(query);
    // The one field that is asked for is null where it alone is refused.
    if (!data || Object.values(data).every((value) => value === null)) return Date.now() - startedAt;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('within a second, another process', () => {
  const invite = `mutation ($email: String!, $role: AssignableUserRole!) {
    createInvite(input: { email: $email, role: $role, workspaces: [] }) { inviteLink }
  }`;
  const accept = `mutation ($token: String!) {
    acceptInvite(input: { token: $token, firstName: "A", lastName: "B" }) { userId }
  }`;
  let count = 0;
  /** An admin who is known to the second process. */
  async function admin(): Promise<{ id: string; browser: Browser }> {
    const email = `admin-${++count}@example.com`;
    const { createInvite } = await ask(invite, { email, role: 'admin' });
    const { acceptInvite } = await ask(accept, { token: createInvite.inviteLink.split('/').at(-1) });
    const browser = openBrowser(two);
    await browser.signIn({ link: secretOf(await link('--user', email)) });
    expect((await browser.graphql(users)).data).toBeTruthy();
    return { id: acceptInvite.userId, browser };
  }

  it.each([
    ['ends a sign-in that was revoked', whoAmI, 'revoke'],
    ['ends the sign-ins of a user who was removed', whoAmI, 'remove'],
    ['forgets what a role allowed', users, 'demote'],
  ] as const)('%s', async (_what, query, act) => {
    const { id, browser } = await admin();
    if (act === 'revoke') {
      const { signIns } = await ask('query ($id: ID) { signIns(userId: $id) { data { id } } }', { id });
      await ask('mutation ($id: ID!) { revokeSignIn(id: $id) }', { id: signIns.data[0].id });
    } else if (act === 'remove') await ask('mutation ($id: ID!) { deleteUser(id: $id) }', { id });
    else await ask('mutation ($id: ID!) { updateUser(id: $id, input: { role: member }) { id } }', { id });
    expect(await untilRefused(browser, query)).toBeLessThan(1000);
  });

  it('ends the sign-ins of a key that was deleted', async () => {
    const make = `mutation ($w: ID!) {
      createWorkspaceServiceApiKey(input: { name: "x", workspaceId: $w, scopes: ["models.list"] }) { id key }
    }`;
    const { createWorkspaceServiceApiKey: key } = await ask(make, { w: seeds.workspace_id });
    const browser = openBrowser(two);
    await browser.signIn({ key: key.key });
    expect((await browser.graphql(whoAmI)).data).toBeTruthy();
    await ask('mutation ($id: ID!) { deleteApiKey(id: $id) }', { id: key.id });
    expect(await untilRefused(browser, whoAmI)).toBeLessThan(1000);
  });
});
