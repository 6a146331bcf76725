import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { closeBrowser, PATIENCE, visit } from './support/visitor.ts';

const root = join(import.meta.dirname, '../..');
/** Milliseconds from the opening of the link to the first request that is seen arriving. */
const FIRST_MINUTE = 60_000;

let data: string;
let service: ChildProcess;
let url: string;
let link: string;

/** `npm start` on an empty directory, in a terminal: nothing else is shown the link. */
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sluice-first-run-'));
  service = spawn('script', ['--quiet', '--return', '--flush', '--command', 'npm start', '/dev/null'], {
    cwd: root,
    env: { ...process.env, HOST: '127.0.0.1', PORT: '0', DATA_DIR: data, LOG_LEVEL: 'error' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  [, link = '', url = ''] = await new Promise<readonly string[]>((resolve, reject) => {
    let output = '';
    service.once('exit', (code) => reject(new Error(`The service ended with ${code}:\n${output}`)));
    service.stdout?.on('data', (chunk: Buffer) => {
      output += chunk.toString('utf8');
      const printed = /Console\s+((http:\S+)\/console\/welcome#\S+)/.exec(output);
      if (printed) resolve(printed);
    });
  });
}, 2 * PATIENCE);
afterAll(async () => {
  await closeBrowser();
  const ended = new Promise((resolve) => service.once('exit', resolve));
  service.kill('SIGTERM');
  await ended;
  // The terminal is gone; the service has a moment more to let go of its files.
  await eventually(() => expect(fetch(url)).rejects.toThrow());
  await rm(data, { recursive: true, maxRetries: 10, retryDelay: 200 });
});

async function fillIn(page: Page, email: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByRole('textbox', { name: 'First name' }).fill('Ada');
  await page.getByRole('textbox', { name: 'Last name' }).fill('Lovelace');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

it('from the printed link to the first call that arrives, and the link works once', async () => {
  const { page, trouble, leave } = await visit({ as: null, at: url });
  const openedAt = Date.now();
  await page.goto(link);
  await page.getByRole('textbox', { name: 'Email' }).waitFor();
  expect(page.url()).toBe(`${url}/console/welcome`);
  await fillIn(page, 'ada@example.com');

  await page.getByRole('button', { name: /Stay with @mock/ }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: /Stay with @mock/ }).click();
  await page.getByRole('button', { name: 'Make the key' }).click();
  await page.getByText('Waiting for your first request').waitFor();
  await page.getByRole('button', { name: 'Node', exact: true }).click();
  const program = await page.getByRole('region', { name: 'program' }).innerText();
  const [, baseURL = ''] = /baseURL: '([^']+)'/.exec(program) ?? [];
  const [, apiKey = ''] = /apiKey: '([^']+)'/.exec(program) ?? [];
  const [, model = ''] = /model: '([^']+)'/.exec(program) ?? [];
  expect(baseURL).toBe(`${url}/v1`);
  await new OpenAI({ baseURL, apiKey }).chat.completions.create({
    model,
    messages: [{ role: 'user', content: 'Hello' }],
  });
  await page.getByText(/mock-1 · 200 · /).waitFor();
  expect(Date.now() - openedAt).toBeLessThan(FIRST_MINUTE);
  await page.getByRole('link', { name: 'Open the console' }).click();
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  await page.getByText('my-laptop').first().waitFor();
  expect(trouble.seen()).toEqual([]);
  await leave();

  const second = await visit({ as: null, at: url });
  await second.page.goto(link);
  await fillIn(second.page, 'eve@example.com');
  await second.page.getByText(/The link does not exist, was used, or is too old/).waitFor();
  await second.leave();
});
