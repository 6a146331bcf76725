import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const workspace = `keys-${randomUUID().slice(0, 8)}`;
const name = `laptop-${randomUUID().slice(0, 8)}`;

let visitor: Visitor;
beforeAll(async () => {
  await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
    input: { name: workspace, slug: workspace },
  });
  visitor = await visit({ as: owner });
});
afterAll(async () => {
  await visitor.leave();
  await closeBrowser();
});

const callWith = (secret: string) =>
  fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${secret}` } }).then(({ status }) => status);

const secretOn = () => visitor.page.getByLabel('Secret', { exact: true });

/** All that a browser may keep of a page. */
const kept = () =>
  visitor.page.evaluate(
    'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + JSON.stringify(history.state)',
  ) as Promise<string>;

it('a key is made, used, rotated and deleted, and its secrets are nowhere afterwards', async () => {
  const { page, open } = visitor;
  await open(`${workspace}/keys`, 'Keys');
  await page.getByText('There is no key yet').waitFor();
  await page.getByRole('button', { name: 'New key', exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('button', { name: 'Application', pressed: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  await secretOn().waitFor();
  const first = (await secretOn().innerText()).trim();
  expect(first).toMatch(/^sl-[\w-]{43}$/);
  expect(await callWith(first)).toBe(200);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page.getByRole('cell', { name }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();

  await page.getByRole('button', { name: 'Rotate', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate', exact: true }).click();
  await secretOn().waitFor();
  const second = (await secretOn().innerText()).trim();
  expect([await callWith(first), await callWith(second)]).toEqual([200, 200]);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await page
    .getByText(/rotating, old works/)
    .first()
    .waitFor();
  const text = await kept();
  expect([text.includes(first), text.includes(second)]).toEqual([false, false]);

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('There is no key yet').waitFor();
  expect([await callWith(first), await callWith(second)]).toEqual([401, 401]);
});

it('a refusal stands at the field that it is about', async () => {
  const { page, open } = visitor;
  await open(`${workspace}/keys`, 'Keys');
  await page.getByRole('button', { name: 'New key', exact: true }).first().click();
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'Mails about rotation and expiry go to' }).fill('nobody');
  await page.getByRole('button', { name: 'Application', pressed: true }).waitFor();
  await page.getByRole('button', { name: 'Create', exact: true }).click();
  const field = page.getByRole('textbox', { name: 'Mails about rotation and expiry go to' });
  await field.and(page.locator('[aria-invalid=true]')).waitFor();
});

it('a leaked secret finds its key', async () => {
  const { page, open } = visitor;
  const { made } = await ask<{ made: { key: string } }>(
    'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { made: createWorkspaceServiceApiKey(input: $input) { key } }',
    { input: { name, workspaceId: workspace, scopes: ['completions.write'] } },
  );
  await open(`${workspace}/keys`, 'Keys');
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: /Search pages/ }).fill(made.key);
  await page.getByRole('option', { name: /Whose secret is this/ }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

it('was never in trouble', () => {
  expect(visitor.trouble.seen()).toEqual([]);
});
