import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { legacyMessage } from '../support/mcp-wire.ts';
import { blocksOf, root } from './pages.ts';

type Entry = { type?: string; url: string; headers: Record<string, string> };

const text = readFileSync(join(root, 'docs/mcp-clients.md'), 'utf8');
const configured = blocksOf({ path: 'docs/mcp-clients.md', text })
  .filter(({ info }) => info === 'json')
  .map((block) => JSON.parse(block.text) as Record<string, any>);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
  await serveMcp(app, 'first-tools', { url: 'mock://server' });
});
afterAll(() => app.stop());

/** What an editor makes out of its settings, with the key in the place of the variable. */
const filled = (value: string) =>
  value.replace('http://127.0.0.1:8787', app.url).replace(/\$\{[\w:-]+\}/, app.workspaceKey);

async function send({ url, headers }: Entry, message: object, more: Record<string, string> = {}) {
  const own = Object.entries(headers).map(([name, value]) => [name, filled(value)]);
  const answer = await fetch(filled(url), {
    method: 'POST',
    headers: {
      ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
      ...Object.fromEntries(own),
      ...more,
    },
    body: JSON.stringify(message),
  });
  const said = await answer.text();
  return { status: answer.status, headers: answer.headers, body: said === '' ? null : JSON.parse(said) };
}

it('settings of three editors are shown', () => {
  expect(configured.map((each) => Object.keys(each))).toEqual([
    ['mcpServers'],
    ['mcpServers'],
    ['inputs', 'servers'],
  ]);
  const [, , { inputs = [] } = {}] = configured;
  expect(inputs).toEqual([expect.objectContaining({ id: 'sluice-key', password: true })]);
});

describe.each([0, 1, 2])('the settings of editor %i', (at) => {
  const { mcpServers, servers } = configured[at] ?? {};
  const entries = Object.values((mcpServers ?? servers ?? {}) as Record<string, Entry>);

  it('lead to the server, with its tools', async () => {
    expect(entries).toHaveLength(1);
    const [entry] = entries;
    if (!entry) throw new Error('There is no server.');
    const params = {
      ...{ protocolVersion: '2025-11-25', capabilities: {} },
      clientInfo: { name: 'editor', version: '1' },
    };
    const opened = await send(entry, legacyMessage('initialize', params));
    expect(opened).toMatchObject({ status: 200, body: { result: { protocolVersion: '2025-11-25' } } });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    const { body } = await send(entry, legacyMessage('tools/list'), session);
    expect(body.result.tools.map(({ name }: { name: string }) => name)).toContain('echo');
    const without = await send({ ...entry, headers: {} }, legacyMessage('tools/list'));
    expect(without.status).toBe(401);
  });
});
