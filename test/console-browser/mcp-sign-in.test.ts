import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { owner } from '../../seeds/demo/people.ts';
import { type McpIssuer, startMcpIssuer } from '../support/mcp-issuer.ts';
import { barriersOn } from './support/axe.ts';
import { ask, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const slug = `personal-${randomUUID().slice(0, 8)}`;

let issuer: McpIssuer;
let ada: Visitor;
let server: string;
/** By which she says at the gateway who she is; the console's cookie opens nothing outside it. */
let key: string;
beforeAll(async () => {
  issuer = await startMcpIssuer();
  await ask('mutation ($input: CreateMcpIntegrationInput!) { createMcpIntegration(input: $input) { id } }', {
    input: { name: slug, slug, url: issuer.url, authType: 'oauth_auto', transport: 'http' },
  });
  const { createMcpServer } = await ask<{ createMcpServer: { id: string } }>(
    'mutation ($input: CreateMcpServerInput!) { createMcpServer(input: $input) { id } }',
    { input: { name: slug, slug, mcpIntegrationId: slug, workspaceId: 'research' } },
  );
  server = createMcpServer.id;
  const { users } = await ask<{ users: { data: { id: string; email: string }[] } }>(
    '{ users(pageSize: 500) { data { id email } } }',
  );
  const userId = users.data.find(({ email }) => email === owner.email)?.id;
  const { made } = await ask<{ made: { key: string } }>(
    'mutation ($input: CreateWorkspaceUserApiKeyInput!) { made: createWorkspaceUserApiKey(input: $input) { key } }',
    { input: { name: slug, workspaceId: 'research', userId, scopes: ['mcp.invoke'] } },
  );
  key = made.key;
  ada = await visit({ as: owner });
  await ada.open(`research/mcp/${server}`, slug);
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
  await issuer.stop();
});
beforeEach(() => {
  issuer.user = 'ada';
});

/** Asks for the way there, and opens it in its own tab. */
async function begin(): Promise<Page> {
  const { page } = ada;
  await page.getByRole('button', { name: 'Connect yourself' }).click();
  const link = page.getByRole('link', { name: 'Sign in there' });
  const [there] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  await there.getByRole('heading', { level: 1 }).waitFor();
  return there;
}

it('whoever says no at the issuer is told what to do, and is led there again', async () => {
  const there = await begin();
  expect(await barriersOn(ada.page)).toEqual([]);
  await there.getByLabel('API key of yours').fill(key);
  await there.getByRole('button', { name: 'Sign in', exact: true }).click();
  await there.getByRole('heading', { name: `Connect to ${slug}?` }).waitFor();
  issuer.user = null;
  await there.getByRole('button', { name: 'Continue', exact: true }).click();
  await there
    .getByText(/the issuer has not let the gateway in\. Go back .* and repeat what you did/)
    .waitFor();
  expect(new URL(there.url()).origin).toBe(new URL(url).origin);
  await there.close();
  expect(await ada.page.getByRole('button', { name: 'Connect yourself' }).count()).toBe(1);
});

it('an address that is too old says so, and what to do', async () => {
  const there = await begin();
  await there.goto(there.url().replace(/connect=.*/, 'connect=old'));
  await there.getByText(/too old, or of another sign-in\. Go back to your client and begin again/).waitFor();
  await there.close();
});

it('whoever signs in there comes back to the page, which has what is theirs', async () => {
  const { page } = ada;
  const before = page.url();
  const there = await begin();
  await there.getByRole('button', { name: 'Continue', exact: true }).click();
  await there.getByText(/You are connected/).waitFor();
  await there.close();
  // A browser without windows has none that comes back to the front.
  await page.evaluate("dispatchEvent(new Event('focus'))");
  await page.getByRole('button', { name: 'Connect yourself' }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: 'whoami', exact: true }).click();
  await page.getByRole('button', { name: 'Call it', exact: true }).click();
  await page.getByText(/^It answered after/).waitFor();
  expect(await page.getByRole('region', { name: 'answer' }).innerText()).toBe('ada');
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  expect(page.url()).toBe(before);
});

it('a connection that is forgotten has to be made again', async () => {
  const { page } = ada;
  await page.getByRole('tab', { name: /Connections/ }).click();
  await page.getByText('connected', { exact: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Forget', exact: true }).click();
  await page.getByRole('button', { name: 'Connect yourself' }).waitFor();
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
