import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import { type Ask, askAt } from '../../seeds/demo/graph.ts';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { type OwnService, startOwn } from './support/own-service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

/** Said a word each tenth of a second: nobody waits for its end. */
const words = 'water '.repeat(3000);

let data: string;
let service: OwnService;
let ask: Ask;
let admin: Visitor;
beforeAll(async () => {
  data = await mkdtemp(join(tmpdir(), 'sluice-own-service-'));
  service = await startOwn(data, 0);
  ask = askAt(service.url, service.seeds.admin_api_key);
  admin = await visit({ as: { key: service.seeds.admin_api_key }, at: service.url });
}, 2 * PATIENCE);
afterAll(async () => {
  await admin.leave();
  await closeBrowser();
  await service.end('SIGTERM');
  await rm(data, { recursive: true, force: true, maxRetries: 3 });
});

describe('a setting of the organisation acts on what comes next', () => {
  /** Calls a model; answers the status, and the text by which the log is known. */
  async function call(headers: Record<string, string> = {}): Promise<{ status: number; mark: string }> {
    const mark = `mark-${randomUUID()}`;
    const response = await fetch(`${service.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gateway-api-key': service.seeds.workspace_api_key,
        'x-gateway-metadata': JSON.stringify({ mark }),
        ...headers,
      },
      body: JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    await response.text();
    return { status: response.status, mark };
  }

  /** Opens the log of a call. */
  async function openLog(mark: string): Promise<void> {
    const id = await eventually(async () => {
      const { logHistory } = await ask<{ logHistory: { data: { id: string }[] } }>(
        'query ($filters: LogFilters!) { logHistory(filters: $filters) { data { id } } }',
        { filters: { metadata: { mark } } },
      );
      expect(logHistory.data).toHaveLength(1);
      return logHistory.data[0]?.id ?? '';
    });
    await admin.open(`_/logs/${id}?tab=request`, 'Log');
    await admin.page.getByRole('tab', { name: 'Request', exact: true }).waitFor();
  }

  async function save(): Promise<void> {
    await admin.page.getByRole('button', { name: 'Save', exact: true }).click();
    await admin.page.getByText('The settings are saved').first().waitFor();
  }

  it('bodies are kept, or not', async () => {
    const { page, open } = admin;
    await openLog((await call()).mark);
    await page.getByText('messages').first().waitFor();
    await open('_/settings', 'Settings');
    await page.getByLabel('Logs keep').click();
    await page.getByRole('option', { name: 'measures alone' }).click();
    await save();
    await openLog((await call()).mark);
    await page.getByText(/The request was not stored/).waitFor();
  });

  it('a config of the request itself is taken, or refused', async () => {
    const { page, open } = admin;
    const own = { 'x-gateway-config': JSON.stringify({ retry: { attempts: 1 } }) };
    expect((await call(own)).status).toBe(200);
    await open('_/settings', 'Settings');
    await page.getByRole('checkbox', { name: /only by what is saved here/ }).check();
    await save();
    await eventually(async () => expect((await call(own)).status).toBe(400));
    expect((await call()).status).toBe(200);
  });

  it('members see sums, or not', async () => {
    const { createInvite } = await ask<{ createInvite: { inviteLink: string } }>(
      'mutation ($input: CreateInviteInput!) { createInvite(input: $input) { inviteLink } }',
      {
        input: {
          email: 'mary@example.com',
          role: 'member',
          workspaces: [{ id: service.seeds.workspace_id, role: 'member' }],
        },
      },
    );
    const { acceptInvite } = await askAt(service.url, null)<{ acceptInvite: { signInLink: string } }>(
      'mutation ($input: AcceptInviteInput!) { acceptInvite(input: $input) { signInLink } }',
      { input: { token: createInvite.inviteLink.split('/').at(-1), firstName: 'Mary', lastName: 'Jackson' } },
    );
    const link = new URL(acceptInvite.signInLink).hash.slice(1);
    const mary = await visit({ as: { link }, at: service.url });
    const { workspaces } = await ask<{ workspaces: { data: { slug: string }[] } }>(
      '{ workspaces { data { slug } } }',
    );
    const slug = workspaces.data[0]?.slug ?? '';
    await mary.open(`${slug}/home`, 'Home');
    await mary.page.getByText(/requests, .* errors/).waitFor();
    await admin.open('_/settings', 'Settings');
    await admin.page
      .getByRole('group', { name: 'Members of a workspace may' })
      .getByRole('checkbox', { name: 'view analytics', exact: true })
      .uncheck();
    await save();
    await eventually(async () => {
      await mary.open(`${slug}/home`, 'Home');
      await mary.page.getByText(/You have no permission to see/).waitFor({ timeout: 5000 });
    });
    expect(mary.trouble.seen()).toEqual([]);
    await mary.leave();
  });

  it('what is kept for how long stands on the page', async () => {
    const { page, open } = admin;
    await open('_/settings?view=installation', 'Settings');
    await page.getByText('Running since').waitFor();
    const { installation } = await ask<{
      installation: { retention: { logDays: number; bodyDays: number } };
    }>('{ installation { retention { logDays bodyDays } } }');
    const { logDays, bodyDays } = installation.retention;
    await page.getByText(`${logDays} days, bodies ${bodyDays} days`).waitFor();
  });
});

it(
  'a run whose process is killed goes on in sight, and says who goes on with it',
  async () => {
    const visitor = await visit({ as: { key: service.seeds.workspace_api_key }, at: service.url });
    const { page, open, trouble } = visitor;
    const client = new OpenAI({ apiKey: service.seeds.workspace_api_key, baseURL: `${service.url}/v1` });
    const { id } = await client.beta.assistants.create({
      model: '@mock/mock-slow-100',
      name: 'Slow',
      tools: [{ type: 'function', function: { name: 'find_level' } }],
    });
    await open(`_/assistants/${id}`, 'Slow');
    await page.getByLabel('Begin a thread').fill(words);
    await page.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByLabel('Output of find_level').fill('{"metres": 4}');
    await page.getByRole('button', { name: 'Go on with it' }).click();
    await page.getByText('requires action').waitFor({ state: 'detached' });
    await page.getByText('in progress', { exact: true }).first().waitFor();
    expect(await page.getByText(/Another one took it over/).count()).toBe(0);

    const { port } = new URL(service.url);
    await service.end('SIGKILL');
    service = await startOwn(data, Number(port));
    await page.getByText(/Another one took it over at \d\d:\d\d/).waitFor();
    await page.getByText('called 1 tool').waitFor();
    expect(await page.getByText('in progress', { exact: true }).count()).toBeGreaterThan(0);
    expect(await barriersOn(page)).toEqual([]);
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.getByText('cancelled', { exact: true }).first().waitFor();
    expect(await page.getByText('called 1 tool').count()).toBe(1);
    // The browser itself says that the stream broke.
    expect(trouble.seen().filter((line) => !line.includes('net::ERR_'))).toEqual([]);
    await visitor.leave();
  },
  4 * PATIENCE,
);
