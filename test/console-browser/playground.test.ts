import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const tools = [
  { type: 'function', function: { name: 'find_level', parameters: { type: 'object', properties: {} } } },
];
/** The smallest picture. */
const dot = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

type Found = {
  id: string;
  source: string | null;
  clientAborted: boolean;
  request: { body: { messages: unknown[]; model: string } } | null;
};

/** Logs with a text in what was asked, the newest first, once there are as many as are waited for. */
async function logsWith(text: string, atLeast = 1): Promise<Found[]> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const { logHistory } = await ask<{ logHistory: { data: Found[] } }>(
      `query ($filters: LogFilters) { logHistory(filters: $filters, limit: 10) {
        data { id source clientAborted request { body } } } }`,
      { filters: { search: text } },
    );
    if (logHistory.data.length >= atLeast || Date.now() > end) return logHistory.data;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const run = () => ada.page.getByRole('button', { name: 'Run', exact: true }).click();

it('a prompt is answered through the gateway, with its price and its log', async () => {
  const { page, open } = ada;
  const mark = randomUUID();
  await open('research/playground', 'Playground');
  await page.getByLabel('Prompt', { exact: true }).fill(`Say hello to ${mark}`);
  await run();
  await page.getByRole('region', { name: 'answer of A' }).waitFor();
  await page.getByRole('link', { name: 'Log', exact: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  const [log] = await logsWith(mark);
  expect(log?.source).toBe('console');

  await page.getByRole('link', { name: 'Log', exact: true }).click();
  await page.getByRole('button', { name: 'Open in playground' }).click();
  await page.getByRole('heading', { name: 'Request of a log' }).waitFor();
  await run();
  await page.getByRole('region', { name: 'answer of A' }).waitFor();
  const bodies = (await logsWith(mark, 2)).map(({ request }) => request?.body);
  expect(bodies).toHaveLength(2);
  expect(bodies[0]).toEqual(bodies[1]);
});

it('a refusal is told in the words of the gateway, beside an answer that came', async () => {
  const { page, open } = ada;
  await open('research/playground', 'Playground');
  await page.getByLabel('Prompt', { exact: true }).fill('Hello');
  await page.getByRole('button', { name: 'Compare with another' }).click();
  await page.getByRole('combobox', { name: 'Model of B' }).fill('@nobody/gpt-4o');
  await run();
  await page.getByRole('region', { name: 'answer of A' }).waitFor();
  await page
    .getByText(/nobody/)
    .last()
    .waitFor();
  expect(await page.getByRole('region', { name: 'answer of B' }).count()).toBe(0);
  await page.getByRole('button', { name: 'Remove B', exact: true }).click();
});

it('a tool call is answered by a form and goes on, with a schema and an image beside it', async () => {
  const { page, open } = ada;
  const mark = randomUUID();
  await open('research/playground', 'Playground');
  await page.getByLabel('Prompt', { exact: true }).fill(`How high is ${mark}?`);
  await page.getByText('Tools, schema, images').click();
  await page.getByLabel('Tools').fill('{}');
  const runs = page.getByRole('button', { name: 'Run', exact: true });
  expect(await runs.getAttribute('title')).toBe('The list of tools is none.');
  await page.getByLabel('Tools').fill(JSON.stringify(tools));
  await page.getByLabel('Schema of the answer').fill('{"type": "object"}');
  await page.getByLabel('Images').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: dot });
  await page.getByRole('img', { name: 'dot.png' }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await run();
  await page.getByLabel('Output of find_level').fill('{"metres": 4}');
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Go on with it' }).click();
  await page.getByRole('region', { name: 'answer of A' }).waitFor();
  const [next, first] = (await logsWith(mark, 2)).map(({ request }) => request?.body);
  expect(first).toMatchObject({
    tools,
    response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
    messages: [{ role: 'user', content: [{ type: 'text' }, { type: 'image_url' }] }],
  });
  expect(next?.messages.slice(1)).toMatchObject([
    { role: 'assistant', tool_calls: [{ function: { name: 'find_level' } }] },
    { role: 'tool', content: '{"metres": 4}' },
  ]);
  await page.getByRole('button', { name: 'Remove dot.png' }).click();
  await page.getByLabel('Tools').fill('');
  await page.getByLabel('Schema of the answer').fill('');
});

it('a call is copied as a program, with the name of a key and no key', async () => {
  const { page, open } = ada;
  await open('research/playground', 'Playground');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByLabel('Prompt', { exact: true }).fill('How high is the water?');
  const copied: string[] = [];
  for (const language of ['curl', 'Node', 'Python']) {
    await page.getByRole('button', { name: 'Copy A as', exact: true }).click();
    await page.getByRole('menuitem', { name: language, exact: true }).click();
    await page.getByText(`A is copied as ${language}`, { exact: true }).waitFor();
    copied.push((await page.evaluate('navigator.clipboard.readText()')) as string);
  }
  for (const program of copied) {
    expect(program).toContain('How high is the water?');
    expect(program).toContain(`${url}/v1`);
    expect(program).toContain('SLUICE_API_KEY');
    expect(program).not.toMatch(/sl-/);
  }
  expect(new Set(copied).size).toBe(3);
  await page.getByLabel('Prompt', { exact: true }).fill('');
  await page.getByRole('button', { name: 'Copy A as', exact: true }).click();
  await page
    .getByRole('menuitem', { name: 'Node Write a prompt.' })
    .and(page.locator('[data-disabled]'))
    .waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.keyboard.press('Escape');
});

it('two answers are compared, sentence by sentence', async () => {
  const slug = `pc-browser-${randomUUID().slice(0, 8)}`;
  const config = { provider: '@mock', input_guardrails: [{ 'default.addPrefix': { prefix: 'Ahoy! ' } }] };
  await ask('mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }', {
    input: { name: slug, slug, workspaceId: 'research', config },
  });
  const { page, open } = ada;
  await open('research/playground', 'Playground');
  await page.getByRole('combobox', { name: 'Model of A' }).fill('@mock/mock-1');
  await page.getByLabel('Prompt', { exact: true }).fill('The gate is shut. The water waits.');
  await page.getByRole('button', { name: 'Compare with another' }).click();
  await run();
  await page.getByRole('region', { name: 'answer of B' }).waitFor();
  await page.getByText('Both have answered the same.').waitFor();

  await page.getByRole('combobox', { name: 'Config of B' }).click();
  await page.getByRole('option', { name: slug, exact: true }).click();
  await run();
  const difference = page.getByRole('region', { name: 'answer of A and answer of B' });
  await difference.getByText('Ahoy!').waitFor();
  const lines = (await difference.locator('> div').allInnerTexts()).map((text) => text.trim());
  expect(lines.filter((text) => text.includes('Ahoy!'))).toHaveLength(1);
  expect(lines.filter((text) => text.includes('The water waits.'))).toHaveLength(1);
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Remove B', exact: true }).click();
  await difference.waitFor({ state: 'detached' });
});

it.each([
  ['input_guardrails', 'It looked at what was sent to the model.'],
  ['output_guardrails', 'It looked at what the model answered.'],
])('a call that %s refuse names the check and the reason', async (phase, side) => {
  const slug = `pc-browser-${randomUUID().slice(0, 8)}`;
  const guardrail = { 'default.contains': { words: ['hunter2'], operator: 'none' }, deny: true };
  await ask('mutation ($input: CreateConfigInput!) { createConfig(input: $input) { id } }', {
    input: { name: slug, slug, workspaceId: 'research', config: { provider: '@mock', [phase]: [guardrail] } },
  });
  const { page, open } = ada;
  await open('research/playground', 'Playground');
  await page.getByRole('combobox', { name: 'Model of A' }).fill('@mock/mock-1');
  await page.getByLabel('Prompt', { exact: true }).fill('The word is hunter2, and nothing else.');
  await page.getByRole('combobox', { name: 'Config of A' }).click();
  await page.getByRole('option', { name: slug, exact: true }).click();
  await run();
  const finding = page.getByRole('status').filter({ hasText: 'refused the call' });
  await finding.getByText(side).waitFor();
  await finding.getByText('default.contains', { exact: true }).waitFor();
  await finding.getByText('operator: none; foundWords: hunter2', { exact: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('combobox', { name: 'Config of A' }).click();
  await page.getByRole('option', { name: 'none', exact: true }).click();
});

it('a stop reaches the gateway', async () => {
  const { page } = ada;
  const mark = randomUUID();
  await page.getByRole('combobox', { name: 'Model of A' }).fill('@mock/mock-slow-20000');
  await page.getByLabel('Prompt', { exact: true }).fill(`Wait for ${mark}`);
  await run();
  await page.getByRole('button', { name: 'Stop', exact: true }).click();
  await page.getByText('Stopped.').waitFor();
  const [log] = await logsWith(mark);
  expect(log?.clientAborted).toBe(true);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
