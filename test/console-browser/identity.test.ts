import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { barriersOn } from './support/axe.ts';
import { seeds, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const mark = randomUUID().slice(0, 8);
const account = `robot-${mark}`;
const role = `Watcher ${mark}`;

/** The service account of the installation, which alone administers identities. */
let robot: Visitor;
beforeAll(async () => {
  robot = await visit({ as: { client_id: seeds.client_id, client_secret: seeds.client_secret } });
});
afterAll(async () => {
  await robot.leave();
  await closeBrowser();
});

const inDialog = () => robot.page.getByRole('dialog');
const rowOf = (text: string) => robot.page.getByRole('row').filter({ hasText: text });

/** What an account is answered that asks for a token. */
async function statusFor(id: string, secret: string): Promise<number> {
  const response = await fetch(`${url}/oauth2/access_token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: `grant_type=client_credentials&scope=tsg_id:${seeds.tsg_id}`,
  });
  await response.text();
  return response.status;
}

let id: string;

it('a service account is made, and its secret is shown once', async () => {
  const { page, open } = robot;
  await open('_/access?view=accounts', 'Access');
  await page.getByRole('button', { name: 'New service account' }).click();
  await page.getByLabel('Name', { exact: true }).fill('No Such Name');
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByLabel('Name', { exact: true }).fill(account);
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  const secret = (await page.getByRole('region', { name: 'client secret' }).innerText()).trim();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'I have kept it' }).click();
  await rowOf(account).waitFor();
  id = (await rowOf(account).getByRole('cell').nth(1).innerText()).trim();
  expect(await page.content()).not.toContain(secret);
  expect(await barriersOn(page)).toEqual([]);

  await rowOf(account).getByRole('button', { name: 'New secret' }).click();
  await inDialog().getByRole('button', { name: 'Replace it' }).click();
  const next = (await page.getByRole('region', { name: 'client secret' }).innerText()).trim();
  expect(next).not.toBe(secret);
  expect(await statusFor(id, secret)).toBe(401);
  await page.getByRole('button', { name: 'I have kept it' }).click();
});

it('a role is made like another, and is given and taken', async () => {
  const { page } = robot;
  await page.getByRole('tab', { name: 'Roles' }).click();
  await page.getByRole('button', { name: 'New role', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill(role);
  await page.getByLabel('Slug').fill(`watcher-${mark}`);
  const create = inDialog().getByRole('button', { name: 'Create', exact: true });
  expect(await create.getAttribute('title')).toBe('It may do nothing yet.');
  await page.getByRole('checkbox', { name: 'logs.list', exact: true }).check();
  expect(await barriersOn(page)).toEqual([]);
  await create.click();
  await page.getByRole('cell', { name: role }).click();
  await page.getByRole('list', { name: 'Permissions' }).getByText('logs.list').waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await inDialog().getByRole('button', { name: 'Close', exact: true }).click();

  await page.getByRole('tab', { name: 'Access policies' }).click();
  await page.getByRole('button', { name: 'Give a role' }).click();
  const who = await page.getByLabel('Who').inputValue();
  expect(who).toMatch(new RegExp(`^${account}@`));
  await page.getByLabel('Who').fill(`${account}@nowhere`);
  await inDialog().getByRole('button', { name: 'Give it', exact: true }).click();
  await page.getByLabel('Who').and(page.locator('[aria-invalid=true]')).waitFor();
  await page.getByLabel('Who').fill(who);
  await page.getByRole('combobox', { name: 'Role' }).click();
  await page.getByRole('option', { name: new RegExp(role) }).click();
  expect(await barriersOn(page)).toEqual([]);
  await inDialog().getByRole('button', { name: 'Give it', exact: true }).click();
  await rowOf(account).waitFor();
  await rowOf(account).getByRole('button', { name: 'Take', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Take', exact: true }).click();
  await rowOf(account).waitFor({ state: 'detached' });
  expect(await barriersOn(page)).toEqual([]);
});

it('a tenant is made below, and is deleted', async () => {
  const { page } = robot;
  await page.getByRole('tab', { name: 'Tenants' }).click();
  await page.getByRole('button', { name: 'New tenant' }).click();
  await page.getByLabel('Name', { exact: true }).fill(`Branch ${mark}`);
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await rowOf(`Branch ${mark}`).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await rowOf(`Branch ${mark}`).getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await rowOf(`Branch ${mark}`).waitFor({ state: 'detached' });
});

it('what was made is deleted', async () => {
  const { page } = robot;
  await page.getByRole('tab', { name: 'Roles' }).click();
  await page.getByRole('cell', { name: role }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page
    .getByRole('dialog', { name: `Delete ${role}?` })
    .getByRole('button', { name: 'Delete', exact: true })
    .click();
  await page.getByText(`${role} is deleted`).waitFor();
  await page.getByRole('tab', { name: 'Service accounts' }).click();
  await rowOf(account).getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await rowOf(account).waitFor({ state: 'detached' });
});

it('nothing of that was in trouble', () => {
  expect(robot.trouble.seen()).toEqual([]);
});
