import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { json, startProvider } from '../support/provider.ts';
import { barriersOn } from './support/axe.ts';
import { ask } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const name = `Browser ${randomUUID().slice(0, 8)}`;
const KEY = 'sk-right-0123456789';

let provider: Awaited<ReturnType<typeof startProvider>>;
let ada: Visitor;
beforeAll(async () => {
  provider = await startProvider();
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
  await provider.stop();
});

const stored = async (): Promise<string[]> => {
  const { integrations } = await ask<{ integrations: { data: { name: string }[] } }>(
    '{ integrations(pageSize: 1000) { data { name } } }',
  );
  return integrations.data.map((integration) => integration.name);
};

it("a wrong key shows the provider's own words and stores nothing; a right one is saved", async () => {
  const { page, open } = ada;
  await open('_/providers', 'Providers');
  await page.getByRole('button', { name: 'Add a provider' }).first().click();
  await page.getByRole('button', { name: 'OpenAI', exact: true }).click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('Custom host').fill(provider.url);
  await page.locator('input[type=password]').first().fill('sk-wrong-0123456789');
  provider.play(json(401, { error: { message: 'Incorrect API key provided.' } }));
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText('Incorrect API key provided.').waitFor();
  expect(await barriersOn(page)).toEqual([]);
  expect(await stored()).not.toContain(name);
  await page.locator('input[type=password]').first().fill(KEY);
  provider.play(json(200, { object: 'list', data: [{ id: 'gpt-4o', object: 'model' }] }));
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It works: 200/).waitFor();
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  expect(await stored()).toContain(name);
});

it('what is changed has the fields of what is made', async () => {
  const { page } = ada;
  const labels = () => page.locator('label').allInnerTexts();
  await page.getByRole('tab', { name: 'Settings' }).waitFor();
  const changed = await labels();
  await ada.open('_/providers', 'Providers');
  await page.getByRole('button', { name: 'Add a provider' }).first().click();
  await page.getByRole('button', { name: 'OpenAI', exact: true }).click();
  await page.getByLabel('Custom host').waitFor();
  const dialog = await page.getByRole('dialog').locator('label').allInnerTexts();
  expect(dialog).toEqual(changed);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
