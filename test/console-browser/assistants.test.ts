import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { keyWith, url } from './support/service.ts';
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
  await inDialog().getByRole('button', { name: 'Create', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByLabel('Begin a thread').fill('How high is the water?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
  await page.getByText('wrote a message').waitFor();
  await page.getByText('completed').first().waitFor();
  await page.getByText('assistant', { exact: true }).waitFor();
  expect(new URL(page.url()).searchParams.get('thread')).toMatch(/^thread_/);
  expect(await barriersOn(page)).toEqual([]);
});

it('a run that calls a function waits for its output, which is given by hand', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByLabel('Tools').fill('{}');
  const save = inDialog().getByRole('button', { name: 'Save', exact: true });
  expect(await save.getAttribute('title')).toBe('The tools are no JSON list.');
  await page.getByLabel('Tools').fill(JSON.stringify(tools));
  await save.click();
  await page.getByText(/version 2\./).waitFor();
  await page.getByLabel('Go on').fill('And now?');
  await page.getByRole('button', { name: 'Send', exact: true }).click();
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
  await page.getByRole('button', { name: 'Send', exact: true }).click();
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
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await inDialog().getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText('No assistant yet').waitFor();
});

describe('files, vector stores and batches', () => {
  const words = `The heron ${name} nests high in old trees.`;
  let client: OpenAI;
  let store: string;
  let bad: string;
  let input: string;

  beforeAll(async () => {
    client = new OpenAI({ apiKey: await keyWith('research', 'completions.write'), baseURL: `${url}/v1` });
    const upload = async (file: string, content: string, purpose: 'assistants' | 'batch') =>
      (await client.files.create({ file: await toFile(Buffer.from(content), file), purpose })).id;
    const good = await upload(`${name}.md`, words, 'assistants');
    bad = await upload(`${name}.pdf`, 'This is no PDF.', 'assistants');
    store = (await client.vectorStores.create({ name, file_ids: [good, bad] })).id;
    // Longer than the test takes, so that there is something to cancel.
    const line = (at: number) =>
      JSON.stringify({
        custom_id: `${at}`,
        method: 'POST',
        url: '/v1/chat/completions',
        body: { model: '@mock/mock-delay-1000', messages: [{ role: 'user', content: 'Hello' }] },
      });
    input = await upload(
      `${name}.jsonl`,
      Array.from({ length: 2000 }, (_, at) => line(at)).join('\n'),
      'batch',
    );
  });

  it('a file says where it is, and what failed in indexing', async () => {
    const { page, open } = ada;
    await open('research/assistants?view=files', 'Assistants');
    await page.getByRole('cell', { name: `${name}.pdf`, exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText('failed', { exact: true }).waitFor();
    expect(await drawer.locator('.text-bad', { hasText: /\w/ }).last().textContent()).toMatch(
      /PDF|read|file/,
    );
    expect(await barriersOn(page)).toEqual([]);
    expect(new URL(page.url()).searchParams.get('open')).toBe(bad);
    await drawer.getByRole('link', { name }).click();
    await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
    expect(new URL(page.url()).searchParams.get('open')).toBe(store);
  });

  it('a vector store shows its files, and what a search finds with its score', async () => {
    const { page } = ada;
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('link', { name: `${name}.md` }).waitFor();
    await drawer.getByText(/2 files, 1 failed/).waitFor();
    await drawer.getByLabel('Search for').fill('Where do herons nest?');
    await drawer.getByRole('button', { name: 'Search', exact: true }).click();
    const hits = drawer.getByRole('list', { name: 'Hits' });
    await hits.getByText(words).waitFor();
    expect(await hits.getByText(/score [01]\.\d{3}/).count()).toBeGreaterThan(0);
    expect(await barriersOn(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: `Delete ${name}?` })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    await page.getByText('No vector store yet').waitFor();
    await expect(client.vectorStores.retrieve(store)).rejects.toMatchObject({ status: 404 });
  });

  it('a batch shows its counts, and is cancelled', async () => {
    const { page, open } = ada;
    const { id } = await client.batches.create({
      input_file_id: input,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    await open('research/assistants?view=batches', 'Assistants');
    await page.getByRole('cell', { name: id, exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByText(/left of 2,000/).waitFor();
    expect(await barriersOn(page)).toEqual([]);
    await drawer.getByRole('button', { name: 'Cancel the batch' }).click();
    await drawer.getByText('cancelled', { exact: true }).waitFor();
    await drawer.getByRole('link', { name: input }).click();
    await page.getByRole('heading', { level: 2, name: `${name}.jsonl` }).waitFor();
    await page.getByText('has its calls from it').waitFor();
    expect((await client.batches.retrieve(id)).status).toBe('cancelled');
  });

  it('a file is deleted, and gone for programs too', async () => {
    const { page } = ada;
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Delete', exact: true }).click();
    await page
      .getByRole('dialog', { name: `Delete ${name}.jsonl?` })
      .getByRole('button', { name: 'Delete', exact: true })
      .click();
    // Behind a dialog no cell has a role: only then does its absence say something.
    await eventually(async () => expect(await page.getByRole('dialog').count()).toBe(0));
    await page.getByRole('cell', { name: `${name}.jsonl`, exact: true }).waitFor({ state: 'detached' });
    await eventually(() => expect(client.files.retrieve(input)).rejects.toMatchObject({ status: 404 }));
  });
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
