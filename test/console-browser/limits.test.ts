import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, keyWith, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

const workspace = `limits-${randomUUID().slice(0, 8)}`;

/** What is answered repeats the words that were sent: each call costs a cent, and cannot come to more. */
const WORDS = 25;
const priced = {
  slug: 'mock-1',
  enabled: true,
  pricingConfig: {
    type: 'static',
    pay_as_you_go: { request_token: { price: 0 }, response_token: { price: 1 / WORDS } },
  },
};

let ada: Visitor;
let key: string;
beforeAll(async () => {
  await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
    input: { name: workspace, slug: workspace },
  });
  await ask('mutation ($input: CreateIntegrationInput!) { createIntegration(input: $input) { id } }', {
    input: { name: workspace, slug: workspace, aiProviderId: 'mock' },
  });
  await ask(
    `mutation ($id: ID!, $models: UpdateIntegrationModelsInput!, $input: UpdateIntegrationWorkspacesInput!) {
      updateIntegrationModels(id: $id, input: $models) { id }
      updateIntegrationWorkspaces(id: $id, input: $input) { id }
    }`,
    {
      id: workspace,
      models: { models: [priced] },
      input: { workspaces: [{ id: workspace, enabled: true }] },
    },
  );
  key = await keyWith(workspace, 'completions.write');
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const call = () =>
  fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key },
    body: JSON.stringify({
      model: `@${workspace}/mock-1`,
      max_tokens: WORDS,
      messages: [{ role: 'user', content: 'water '.repeat(WORDS).trim() }],
    }),
  });
/** Milliseconds within which a page shows that a budget is used up. */
const SEEN_WITHIN = 10_000;
const pressed = (name: string | RegExp) => ada.page.getByRole('button', { name }).click();
const inDialog = () => ada.page.getByRole('dialog');

/** Calls until one is answered with a status: processes follow what is changed here within a second. */
async function callUntil(status: number): Promise<Response> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const response = await call();
    if (response.status === status || Date.now() > end) return response;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('a budget that is made here refuses calls, and shows who has used it', async () => {
  const { page, open } = ada;
  await open(`${workspace}/limits`, 'Limits');
  await page.getByText('No limit yet').waitFor();
  await page.getByRole('button', { name: 'New limit' }).first().click();
  await page.getByLabel('Amount').fill('0.01');
  await page.getByLabel('Name', { exact: true }).fill('A cent a month');
  expect(await barriersOn(page)).toEqual([]);
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('cell', { name: '$0.010 a month' }).click();
  await page.getByRole('heading', { level: 1, name: 'A cent a month' }).waitFor();
  await page.getByText('Nothing was counted yet').waitFor();

  const refused = await callUntil(412);
  expect(refused.status).toBe(412);
  expect(((await refused.json()) as { limit: { name: string } }).limit.name).toBe('A cent a month');
  const refusedAt = Date.now();
  await page.getByText('used up', { exact: true }).first().waitFor();
  expect(Date.now() - refusedAt).toBeLessThan(SEEN_WITHIN);
  expect(await barriersOn(page)).toEqual([]);
});

it('the log of a refused call names the limit, and Home says that it is used up', async () => {
  const { page, open } = ada;
  await open(`${workspace}/logs?q=status:412`, 'Logs');
  await page.getByRole('grid', { name: 'Logs' }).getByRole('row').nth(1).waitFor();
  await page.keyboard.press('j');
  await page.getByText('Refused by the limit of policy A cent a month').waitFor();
  await open(`${workspace}/home`, 'Home');
  const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Needs attention' }) });
  await attention.getByText(/^Limit A cent a month: used up/).waitFor();
  expect(await barriersOn(page)).toEqual([]);
});

it('a call is weighed, and the limit that stops it is named', async () => {
  await ada.open(`${workspace}/limits`, 'Limits');
  await pressed('Weigh a call');
  await inDialog().getByLabel('To the model').fill(`@${workspace}/mock-1`);
  await inDialog().getByRole('button', { name: 'Weigh it', exact: true }).click();
  await inDialog().getByText('It is refused.').waitFor();
  await inDialog()
    .getByRole('cell', { name: /A cent a month/ })
    .waitFor();
  expect(await barriersOn(ada.page)).toEqual([]);
  await ada.page.keyboard.press('Escape');
});

it('a counter that is set back lets calls through, and a limit that is raised and deleted too', async () => {
  const { page } = ada;
  await page.getByRole('cell', { name: '$0.010 a month' }).click();
  await page.getByRole('button', { name: 'Set back', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Set back', exact: true }).click();
  await page.getByText(/begins at 0/).waitFor();
  expect((await callUntil(200)).status).toBe(200);

  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Amount').fill('5');
  await inDialog().getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText(/\$5\.00 a month for each key/).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No limit yet').waitFor();
});

it('a limit that is smaller than one call says so, and what to do', async () => {
  const { page, open } = ada;
  await open(`${workspace}/limits`, 'Limits');
  await page.getByRole('button', { name: 'New limit' }).first().click();
  await page.getByLabel('Amount').fill('0.001');
  await page.getByLabel('Name', { exact: true }).fill('Less than a call');
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  expect((await callUntil(412)).status).toBe(412);
  await page.getByRole('cell', { name: '$0.0010 a month' }).click();
  await page.getByText(/Of the calls refused within a day, .* it has refused \d+/).waitFor();
  await page.getByText(/may come to \$0\.010, which is more than the whole limit of \$0\.0010/).waitFor();
  await page.getByText(/Raise the amount/).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No limit yet').waitFor();
});

it('a refusal stands at the field that it is about', async () => {
  const { page, open } = ada;
  await open(`${workspace}/limits`, 'Limits');
  await page.getByRole('button', { name: 'New limit' }).first().click();
  await page.getByLabel('Amount').fill('5');
  await page.getByLabel('Tell people at').fill('9');
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await inDialog().getByRole('alert').waitFor();
  expect(await page.getByLabel('Tell people at').getAttribute('aria-invalid')).toBe('true');
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
