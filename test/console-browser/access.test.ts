import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const place = `place-${randomUUID().slice(0, 8)}`;
const email = `mary-${randomUUID().slice(0, 8)}@example.com`;

let ada: Visitor;
let mary: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
  mary = await visit({ as: null });
});
afterAll(async () => {
  await mary.leave();
  await ada.leave();
  await closeBrowser();
});

const inDialog = () => ada.page.getByRole('dialog');

it('a workspace is made, and somebody is invited into it', async () => {
  const { page, open } = ada;
  await open('_/access?view=workspaces', 'Access');
  await page.getByRole('button', { name: 'New workspace' }).click();
  await page.getByLabel('Name', { exact: true }).fill(place);
  await page.getByLabel('Slug', { exact: true }).fill(place);
  expect(await barriersOn(page)).toEqual([]);
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('cell', { name: place, exact: true }).first().waitFor();

  await page.getByRole('button', { name: 'Invite somebody' }).first().click();
  await page.getByLabel('Address').fill(email);
  await page.getByRole('checkbox', { name: place }).check();
  await page.getByRole('button', { name: 'Make the link' }).click();
  const link = (await page.getByRole('region', { name: 'invite link' }).innerText()).trim();
  await page.getByRole('button', { name: 'Done', exact: true }).click();

  await mary.page.goto(link);
  await mary.page.getByRole('heading', { name: 'You are invited' }).waitFor();
  expect(mary.page.url()).toMatch(/\/console\/invite$/);
  expect(await barriersOn(mary.page)).toEqual([]);
  await mary.page.getByLabel('First name').fill('Mary');
  await mary.page.getByLabel('Last name').fill('Jackson');
  await mary.page.getByRole('button', { name: 'Accept', exact: true }).click();
  await mary.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
});

it('whoever was invited sees that workspace and no other', async () => {
  const { page } = mary;
  expect(page.url().split('?')[0]).toBe(`${url}/console/${place}/home`);
  await page.getByRole('combobox', { name: 'Workspace' }).click();
  const choices = await page.getByRole('option').allInnerTexts();
  expect(choices.filter((choice) => !choice.includes('all workspaces'))).toEqual([place]);
  await page.keyboard.press('Escape');
  await page.goto(page.url().replace(`/${place}/`, '/search/'));
  await page.getByText('There is no such workspace for you').waitFor();
});

it('a link that is wrong is refused in words', async () => {
  const visitor = await visit({ as: null });
  const { createInvite } = await ask<{ createInvite: { id: string; inviteLink: string } }>(
    'mutation ($input: CreateInviteInput!) { createInvite(input: $input) { id inviteLink } }',
    { input: { email: `x-${email}`, role: 'member', workspaces: [] } },
  );
  await visitor.page.goto(createInvite.inviteLink.slice(0, -4).concat('AAAA'));
  await visitor.page.getByLabel('First name').fill('Eve');
  await visitor.page.getByLabel('Last name').fill('Nobody');
  await visitor.page.getByRole('button', { name: 'Accept', exact: true }).click();
  await visitor.page.getByText(/whoever sent it can send you another/).waitFor();
  // An invite that nobody knows belongs to no organisation, and so to no audit trail.
  await visitor.page.context().close();
  // Other files of this suite look at the page without open invites.
  await ask('mutation ($id: ID!) { deleteInvite(id: $id) }', { id: createInvite.id });
});

it('a role that is taken away shows at once where it was used', async () => {
  const { page, open } = ada;
  // The page has no stream of its own: the tab begins to listen a second after it stands.
  const listens = mary.page.waitForRequest((request) => request.url().endsWith('/console/graphql/stream'));
  await mary.open(`${place}/keys`, 'Keys');
  await mary.page.getByText('There is no key yet').waitFor();
  await listens;
  await open('_/access?view=workspaces', 'Access');
  await page.getByRole('cell', { name: place, exact: true }).first().click();
  await page.getByRole('button', { name: 'Remove Mary Jackson from the workspace' }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove Mary Jackson from the workspace' }).click();
  await page.getByText('Mary Jackson is out').waitFor();
  // How soon that is, `npm run bench:live` measures.
  await mary.page.getByText(/There is no such workspace for you|You have no permission/).waitFor();
});

it('the last owner cannot be removed, and the page says why', async () => {
  const { page, open } = ada;
  await open('_/access', 'Access');
  await page.getByRole('button', { name: 'Actions for Ada Lovelace' }).click();
  const remove = page.getByRole('menuitem', { name: /Remove/ });
  await remove.getByText('The last owner stays.').waitFor();
  expect(await remove.getAttribute('aria-disabled')).toBe('true');
});

it('nothing of that was in trouble', () => {
  expect([...ada.trouble.seen(), ...mary.trouble.seen()]).toEqual([]);
});
