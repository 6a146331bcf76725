import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { findEmbedded } from '../../../src/storage/embedded/index.ts';
import { barriersOn } from '../support/axe.ts';
import { type OwnService, startOwn } from '../support/own-service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from '../support/visitor.ts';

/** Said a word each tenth of a second: long enough for its process to die meanwhile. */
const words = Array.from({ length: 150 }, (_, at) => `water${at}`).join(' ');

let data: string;
let living: OwnService;
let dying: OwnService;
let visitor: Visitor;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sluice-take-over-'));
  living = await startOwn(data, 0);
  dying = await startOwn(data, 0, (await findEmbedded(join(data, 'store'))) ?? undefined);
  visitor = await visit({ as: { key: living.seeds.workspace_api_key }, at: living.url });
}, 4 * PATIENCE);
afterAll(async () => {
  await closeBrowser();
  await living.end('SIGTERM');
  await rm(data, { recursive: true, force: true, maxRetries: 3 });
});

it(
  'a run whose process is killed goes on at another one, in sight and to its end',
  async () => {
    const { page, open, trouble } = visitor;
    // Both steps of the run are taken by the process that dies: it is the one that is asked for them.
    const { threads, assistants } = new OpenAI({
      apiKey: living.seeds.workspace_api_key,
      baseURL: `${dying.url}/v1`,
    }).beta;
    const { id } = await assistants.create({
      model: '@mock/mock-slow-100',
      name: 'Slow',
      tools: [{ type: 'function', function: { name: 'find_level' } }],
    });
    const asked = [{ role: 'user' as const, content: words }];
    const run = await threads.createAndRunPoll({ assistant_id: id, thread: { messages: asked } });
    const call = run.required_action?.submit_tool_outputs.tool_calls[0]?.id;
    await threads.runs.submitToolOutputs(run.id, {
      thread_id: run.thread_id,
      tool_outputs: [{ tool_call_id: call, output: '{"metres": 4}' }],
    });
    await open(`_/assistants/${id}?thread=${run.thread_id}`, 'Slow');
    await page.evaluate('window.isSamePage = true');
    await page.getByText('in progress', { exact: true }).first().waitFor();
    await dying.end('SIGKILL');

    await page.getByText(/Another one took it over at \d\d:\d\d/).waitFor();
    expect(await page.getByText('in progress', { exact: true }).count()).toBeGreaterThan(0);
    await page.getByText('completed', { exact: true }).nth(2).waitFor();
    // The run and its two steps have ended, each is there once, and the answer is whole.
    expect(await page.getByText('completed', { exact: true }).count()).toBe(3);
    expect(await page.getByText('called 1 tool').count()).toBe(1);
    expect(await page.getByText('wrote a message').count()).toBe(1);
    await page.getByText(words, { exact: true }).nth(1).waitFor();
    expect(await page.getByText('in progress', { exact: true }).count()).toBe(0);
    expect(await page.evaluate('window.isSamePage')).toBe(true);
    expect(await barriersOn(page)).toEqual([]);
    expect(trouble.seen()).toEqual([]);
    await visitor.leave();
  },
  6 * PATIENCE,
);
