import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { barriersOn } from './support/axe.ts';
import { keyWith, url } from './support/service.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

const name = `tools-${randomUUID().slice(0, 8)}`;

let ada: Visitor;
let key: string;
/** As clients reach the server that is made here. */
let slug: string;
beforeAll(async () => {
  key = await keyWith('research', 'mcp.invoke', 'completions.write');
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

/** Calls a tool of the server as a client does; answers the whole answer as a text. */
async function callEcho(): Promise<string> {
  const response = await fetch(`${url}/${slug}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'x-gateway-api-key': key,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'echo', arguments: { message: 'hello' } },
    }),
  });
  return response.text();
}

/** Calls until the answer is one that is waited for: processes follow a switch within a second. */
async function echoUntil(isMeant: (answer: string) => boolean): Promise<string> {
  const end = Date.now() + PATIENCE;
  for (;;) {
    const answer = await callEcho();
    if (isMeant(answer) || Date.now() > end) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('a server is added by its address, and its tools are read', async () => {
  const { page, open } = ada;
  await open('research/mcp', 'MCP');
  await page.getByRole('button', { name: 'Add a server' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill(name);
  await page.getByLabel('Address').fill('mock://server');
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  slug = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.getByRole('button', { name: 'Test', exact: true }).click();
  await page.getByText(/It answers as sluice-mock/).waitFor();
  await page.getByRole('cell', { name: 'echo', exact: true }).waitFor();
  expect(await barriersOn(page)).toEqual([]);
  expect(await echoUntil((answer) => answer.includes('"hello"'))).toContain('"hello"');
});

it('a tool that is switched off is refused, and one that is switched on again is not', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Switch echo off' }).click();
  await page.getByText('echo is off').waitFor();
  expect(await echoUntil((answer) => answer.includes('"error"'))).toContain('"error"');
  await page.getByRole('button', { name: 'Switch echo on' }).click();
  await page.getByText('echo is on').waitFor();
  expect(await echoUntil((answer) => answer.includes('"hello"'))).toContain('"hello"');
});

it('a tool is called by a form, and its call is in the logs', async () => {
  const { page, open } = ada;
  await page.getByRole('cell', { name: 'add', exact: true }).click();
  const call = page.getByRole('button', { name: 'Call it', exact: true });
  expect(await call.getAttribute('title')).toBe('a is missing.');
  await page.getByLabel('a (required)').fill('19');
  await page.getByLabel('b (required)').fill('23');
  await call.click();
  await page.getByText(/^It answered after/).waitFor();
  expect(await page.getByRole('region', { name: 'answer' }).innerText()).toBe('42');
  await page.getByLabel('b (required)').fill('many');
  await call.click();
  await page.getByText(/^It failed after/).waitFor();
  await page.getByText('The message as it came').click();
  await page.getByRole('region', { name: 'message' }).getByText('"isError": true').waitFor();
  expect(await barriersOn(page)).toEqual([]);
  await page.getByRole('button', { name: 'Close', exact: true }).click();

  const shown = page.url();
  await open('research/logs?q=source:console', 'Logs');
  await page.getByRole('grid', { name: 'Logs' }).getByText(/add/).first().waitFor();
  await page.goto(shown);
});

it('a tool shows its arguments, and a client how it connects', async () => {
  const { page } = ada;
  await page.getByRole('cell', { name: 'echo', exact: true }).click();
  await page
    .getByRole('region', { name: 'arguments' })
    .getByText(/message/)
    .waitFor();
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await page.getByRole('tab', { name: 'Connect to it' }).click();
  expect(await page.getByRole('region', { name: 'connection' }).innerText()).toContain(`/${slug}/mcp`);
  expect(await barriersOn(page)).toEqual([]);
});

/** The kinds of items with which a response ends whose model calls the tool. */
async function kindsOfResponse(): Promise<string> {
  const response = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gateway-api-key': key },
    body: JSON.stringify({
      model: '@mock/mock-1',
      input: '/tool hello',
      tools: [{ type: 'mcp', server_label: `@gateway-mcp/${slug}`, allowed_tools: ['echo'] }],
    }),
  });
  const { output } = (await response.json()) as { output?: { type: string }[] };
  return output?.map(({ type }) => type).join(' ') ?? `status ${response.status}`;
}

it('a tool that the settings name waits for a person, whatever a request says', async () => {
  const { page, open } = ada;
  const shown = page.url();
  expect(await kindsOfResponse()).toBe('mcp_list_tools mcp_call message');
  for (const [text, kinds] of [
    [`${slug}/echo`, 'mcp_list_tools mcp_approval_request'],
    ['', 'mcp_list_tools mcp_call message'],
  ] as const) {
    await open('_/settings', 'Settings');
    await page.getByLabel('Tools that a person approves').fill(text);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByText('The settings are saved').waitFor();
    await eventually(async () => expect(await kindsOfResponse()).toBe(kinds));
  }
  await page.getByLabel('Tools that a person approves').fill('no slash');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('alert').waitFor();
  expect(await page.getByLabel('Tools that a person approves').getAttribute('aria-invalid')).toBe('true');
  expect(await barriersOn(page)).toEqual([]);
  await page.goto(shown);
});

it('a server at which each user signs in leads there, in a tab of its own', async () => {
  const { page } = ada;
  const answerWith = (authorization_url: string) =>
    page.route(`**/v1/mcp/${slug}`, (route) => {
      const data = { type: 'oauth_required', server: slug, authorization_url };
      const error = { code: -31401, message: 'Sign in at the server first.', data };
      return route.fulfill({ json: { jsonrpc: '2.0', id: 1, error } });
    });
  await page.getByRole('tab', { name: /Capabilities/ }).click();
  await page.getByRole('cell', { name: 'echo', exact: true }).click();
  await page.getByLabel(/^message/).fill('hello');
  // What a server sends may be anything.
  for (const foreign of ['javascript:alert(1)', 'https://elsewhere.example/oauth/authorize', 'nothing']) {
    await answerWith(foreign);
    await page.getByRole('button', { name: 'Call it', exact: true }).click();
    await page.getByRole('region', { name: 'answer' }).getByText('Sign in at the server first.').waitFor();
    expect(await page.getByRole('link', { name: 'Sign in there' }).count()).toBe(0);
    await page.unroute(`**/v1/mcp/${slug}`);
  }
  const made = `${url}/oauth/authorize?connect=made-up`;
  await answerWith(made);
  await page.getByRole('button', { name: 'Call it', exact: true }).click();
  const link = page.getByRole('link', { name: 'Sign in there' });
  await link.waitFor();
  expect([await link.getAttribute('href'), await link.getAttribute('target')]).toEqual([made, '_blank']);
  expect(await barriersOn(page)).toEqual([]);
  const [there] = await Promise.all([page.waitForEvent('popup'), link.click()]);
  await there.getByText(/too old, or of another sign-in\. Go back to your client and begin again/).waitFor();
  await there.close();
  await page.unroute(`**/v1/mcp/${slug}`);
  await page.getByRole('button', { name: 'Call it', exact: true }).click();
  await page.getByText(/^It answered after/).waitFor();
  expect(await link.count()).toBe(0);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
});

it('a server that is deleted answers nobody', async () => {
  const { page } = ada;
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByText(`${name} is deleted`).waitFor();
  expect(await echoUntil((answer) => !answer.includes('"hello"'))).not.toContain('"hello"');
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
