import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Request } from 'playwright-core';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { ask, keyWith, url } from './support/service.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const workspace = `home-${randomUUID().slice(0, 8)}`;
const name = 'Quick to give up';

let ada: Visitor;
let key: string;
let config: string;
beforeAll(async () => {
  await ask('mutation ($input: CreateWorkspaceInput!) { createWorkspace(input: $input) { id } }', {
    input: { name: workspace, slug: workspace },
  });
  await ask(
    `mutation ($input: UpdateIntegrationWorkspacesInput!) {
      updateIntegrationWorkspaces(id: "mock", input: $input) { id }
    }`,
    { input: { workspaces: [{ id: workspace, enabled: true }] } },
  );
  const cb_config = { failure_threshold: 1, cooldown_interval: 600_000, failure_status_codes: [503] };
  const targets = ['mock-error-503', 'mock-1'].map((model) => ({
    provider: '@mock',
    override_params: { model },
  }));
  const { createConfig } = await ask<{ createConfig: { slug: string } }>(
    'mutation ($input: CreateConfigInput!) { createConfig(input: $input) { slug } }',
    {
      input: { name, workspaceId: workspace, config: { strategy: { mode: 'fallback', cb_config }, targets } },
    },
  );
  config = createConfig.slug;
  key = await keyWith(workspace, 'completions.write');
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const call = async (headers: Record<string, string> = {}): Promise<number> => {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key, ...headers },
    body: JSON.stringify({ model: '@mock/mock-1', messages: [{ role: 'user', content: 'Hello' }] }),
  });
  await response.text();
  return response.status;
};

it('asks once who is signed in, before the scripts are there, and for nothing twice', async () => {
  const { page, open } = ada;
  const asked: string[] = [];
  const note = (request: Request) => {
    const [, operation] = /"operationName":"(\w+)"/.exec(request.postData() ?? '') ?? [];
    const [, script] = /assets\/(\w+)-[^/]+\.js$/.exec(request.url()) ?? [];
    asked.push(...[operation ?? script ?? []].flat());
  };
  page.on('request', note);
  await open(`${workspace}/home`, 'Home');
  await page.getByText('No requests in this time').waitFor();
  page.off('request', note);
  const operations = asked.filter((name) => /^[A-Z]/.test(name));
  expect(operations.slice(0, 2)).toEqual(['Viewer', 'Home']);
  expect(operations.length).toBeLessThanOrEqual(3);
  expect(new Set(asked).size).toBe(asked.length);
  // Home asks only once the scripts run, and its own script is on its way by then.
  expect(asked.indexOf('page')).toBeLessThan(asked.indexOf('Home'));
});

it('counts what the logs count, and says at once that a target is not called any more', async () => {
  const { page, open } = ada;
  expect([await call(), await call(), await call()]).toEqual([200, 200, 200]);
  await open(`${workspace}/home`, 'Home');
  await page.getByText(/^All good\. 3 requests, 0 % errors, /).waitFor();
  expect(
    await page.locator('section', { has: page.getByRole('heading', { name: 'Needs attention' }) }).count(),
  ).toBe(0);

  expect(await call({ 'x-gateway-config': config })).toBe(200);
  await page.getByText(/^Many requests fail\. 5 requests, 20 % errors, /).waitFor();
  const attention = page.locator('section', { has: page.getByRole('heading', { name: 'Needs attention' }) });
  await attention.getByText(`${name}: no calls to targets[0]`).waitFor();
  expect(await barriersOn(page)).toEqual([]);

  await attention.getByText('Requests fail more often than usual').click();
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  const rows = page.getByRole('grid', { name: 'Logs' }).getByRole('row');
  await page.getByRole('button', { name: 'mock-error-503' }).waitFor();
  expect(await rows.count()).toBe(2);
  await page.goBack();
  await attention.getByText(`${name}: no calls to targets[0]`).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
