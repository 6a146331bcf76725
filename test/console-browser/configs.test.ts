import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner, people } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { hold } from './support/graph.ts';
import { ask, keyWith, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

const slug = `pc-browser-${randomUUID().slice(0, 8)}`;
const to = (model: string) => JSON.stringify({ provider: '@mock', override_params: { model } });

let ada: Visitor;
let grace: Visitor;
beforeAll(async () => {
  await ask('mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }', {
    input: { name: slug, slug, workspaceId: 'research', config: JSON.parse(to('mock-1')) },
  });
  ada = await visit({ as: owner });
  grace = await visit({ as: { email: people[0]?.email ?? '' } });
});
afterAll(async () => {
  await ada.leave();
  await grace.leave();
  await closeBrowser();
});

const editorOf = ({ page }: Visitor) => page.getByRole('textbox', { name: 'Config as JSON' });
/** Writes a text in place of all that is there, by the keyboard. */
async function write(visitor: Visitor, text: string): Promise<void> {
  await editorOf(visitor).focus();
  await visitor.page.keyboard.press('ControlOrMeta+a');
  await visitor.page.keyboard.press('Backspace');
  await visitor.page.keyboard.insertText(text);
}

const pressed = ({ page }: Visitor, name: string | RegExp) => page.getByRole('button', { name }).click();

/** Writes a config, and has it saved. */
async function save(visitor: Visitor, model: string): Promise<void> {
  await write(visitor, to(model));
  await visitor.page.getByText('Valid', { exact: true }).waitFor();
  await pressed(visitor, 'Save…');
  await pressed(visitor, /^Save$/);
}

const stored = async (): Promise<string> => {
  const { config } = await ask<{ config: { config: unknown } }>(
    'query ($id: ID!) { config(id: $id) { config } }',
    {
      id: slug,
    },
  );
  return JSON.stringify(config.config);
};

it('of two who change a config the second sees what the first has done, and overwrites nothing unseen', async () => {
  for (const visitor of [ada, grace]) {
    await visitor.open(`research/configs/${slug}`, slug);
    await editorOf(visitor).waitFor();
  }
  await save(ada, 'mock-error-418');
  await ada.page.getByText(`${slug} is saved`).waitFor();
  await save(grace, 'mock-error-420');
  await grace.page.getByText('Somebody has changed it meanwhile').waitFor();
  await grace.page.getByText('Theirs, saved').waitFor();
  expect(await stored()).toContain('mock-error-418');
  expect(await barriersOn(grace.page)).toEqual([]);
  await pressed(grace, 'Go on with mine');
  await pressed(grace, /^Save$/);
  await grace.page.getByText(`${slug} is saved`).waitFor();
  expect(await stored()).toContain('mock-error-420');
});

it('a call takes the path that was saved', async () => {
  const key = await keyWith('research', 'completions.write');
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key, 'x-gateway-config': slug },
    body: JSON.stringify({ model: 'mock-1', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  expect(response.status).toBe(420);
});

it('a problem stands at its path, in the list and in the picture', async () => {
  await ada.open(`research/configs/${slug}`, slug);
  await write(ada, '{"strategy": {"mode": "fallback"}, "targets": [{"provider": "@nobody"}]}');
  await ada.page.getByText(/^\d problems?$/).waitFor();
  expect(await ada.page.getByText(/targets\[0\]/).count()).toBeGreaterThan(0);
  expect(await ada.page.getByRole('button', { name: 'Save…', exact: true }).isEnabled()).toBe(true);
});

it('a node of the picture opens a form, which the text follows, and a problem stands there too', async () => {
  const { page } = ada;
  await ada.open(`research/configs/${slug}`, slug);
  await editorOf(ada).waitFor();
  await pressed(ada, 'Edit config');
  const form = page.getByRole('dialog', { name: 'The whole config' });
  await form.getByLabel('request_timeout', { exact: true }).fill('0');
  expect(await barriersOn(page)).toEqual([]);
  await form.getByRole('button', { name: 'Apply' }).click();
  await form.waitFor({ state: 'detached' });
  const written = JSON.parse(await editorOf(ada).innerText());
  expect(written).toEqual({ ...JSON.parse(await stored()), request_timeout: 0 });
  await page.getByText('1 problem', { exact: true }).waitFor();
  await pressed(ada, 'Edit config');
  await form.getByRole('alert').getByText(/>=1/).waitFor();
  await form.getByLabel('request_timeout', { exact: true }).fill('1234');
  await form.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Valid', { exact: true }).waitFor();
  expect(JSON.parse(await editorOf(ada).innerText())).toMatchObject({ request_timeout: 1234 });
});

it('what the schema of the server knows is offered while one writes', async () => {
  const { page } = ada;
  await ada.open(`research/configs/${slug}`, slug);
  const release = await hold(page, 'ConfigSchema');
  await write(ada, '{');
  await page.keyboard.type('"strat');
  // Who types is faster than the schema comes.
  release();
  await page.getByRole('option', { name: '"strategy"' }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.keyboard.type('{"mode": ');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: '"fallback"' }).waitFor();
  expect(await page.getByRole('option').count()).toBeGreaterThan(2);
  await page.keyboard.type('"fallb');
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' });
  await page.keyboard.press('Enter');
  expect(await editorOf(ada).innerText()).toBe('{"strategy": {"mode": "fallback"');
});

it('a simulation says where a call would go', async () => {
  await ada.open('research/configs/pc-research-mock', 'Research, without a network');
  await pressed(ada, 'Simulate');
  await ada.page
    .getByRole('region', { name: 'Where calls go' })
    .getByText('mock-1')
    .waitFor({ timeout: PATIENCE });
  expect(await barriersOn(ada.page)).toEqual([]);
});

it('nothing of that was in trouble', () => {
  expect([...ada.trouble.seen(), ...grace.trouble.seen()]).toEqual([]);
});
