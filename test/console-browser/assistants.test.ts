import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const name = `assistant-${randomUUID().slice(0, 8)}`;
const tools = [
  { type: 'function', function: { name: 'find_level', parameters: { type: 'object', properties: {} } } },
];

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const inDialog = () => ada.page.getByRole('dialog');

it('an assistant is made, and its run is followed to its end', async () => {
  const { page, open } = ada;
  await open('research/assistants', 'Assistants');
  await page.getByRole('button', { name: 'New assistant' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  expect(await barriersOn(page)).toEqual([]);
  await inDialog().getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByLabel('Begin a thread').fill('How high is the water?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByText('wrote a message').waitFor();
  await page.getByText('completed').first().waitFor();
  await page.getByText('assistant', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('thread')).toMatch(/^thread_/);
  expect(await barriersOn(page)).toEqual([]);
});

it('a run that calls a function waits for its output, which is given by hand', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByLabel('Tools').fill('{}');
  const save = inDialog().getByRole('button', { name: 'Save' });
  expect(await save.getAttribute('title')).toBe('The tools are no JSON list.');
  await page.getByLabel('Tools').fill(JSON.stringify(tools));
  await save.click();
  await page.getByText(/version 2\./).waitFor();
  await page.getByLabel('Go on').fill('And now?');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByLabel('Output of find_level').fill('{"metres": 4}');
  expect(await page.getByText('requires action').count()).toBe(1);
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Go on with it' }).click();
  await page.getByLabel('Output of find_level').waitFor({ state: 'detached' });
  await page.getByText('requires action').waitFor({ state: 'detached' });
  await page.getByText('wrote a message').nth(1).waitFor();
});

it('a run that waits can be cancelled', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Another thread' }).click();
  await page.getByLabel('Begin a thread').fill('Once more');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByLabel('Output of find_level').waitFor();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await page.getByText('cancelled').first().waitFor();
});

it('the list has it, until it is deleted', async () => {
  const { page, open } = ada;
  await open('research/assistants', 'Assistants');
  await page.getByRole('cell', { name, exact: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('cell', { name, exact: true }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await inDialog().getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No assistant yet').waitFor();
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
