import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { connectLegacy, connectModern, serveMcp } from '../../support/mcp-clients.ts';
import { type McpProgram, startEverything, startModernServer } from '../../support/mcp-programs.ts';

// Programs of other people, on a machine that may be busy.
jest.setTimeout(120_000);

let app: TestApp;
let programs: McpProgram[] = [];
beforeAll(async () => {
  [app, ...programs] = await Promise.all([startApp(), startEverything(), startModernServer()]);
  const [everything, modern] = programs as [McpProgram, McpProgram];
  await Promise.all([
    serveMcp(app, 'everything', { url: everything.url }),
    serveMcp(app, 'modern', { url: modern.url }),
    serveMcp(app, 'mock', { url: 'mock://server' }),
  ]);
});
afterAll(async () => {
  await app.stop();
  await Promise.all(programs.map(({ stop }) => stop()));
});

const kinds = {
  'the first line': (slug: string) => connectLegacy(app, slug),
  'the second line': (slug: string) => connectModern(app, slug, 'default'),
  'the second line, finding out': (slug: string) => connectModern(app, slug, 'auto'),
  'the second line, in the modern era': (slug: string) => connectModern(app, slug, 'modern'),
};

describe.each(Object.entries(kinds))("check 1: a client of the SDK's %s", (_name, connect) => {
  it('uses everything of the reference server', async () => {
    const { client, close } = await connect('everything');
    const { tools } = await client.listTools();
    expect(tools.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['echo', 'get-sum']),
    );
    const called = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
    expect(called.content).toEqual([{ type: 'text', text: 'Echo: hello' }]);
    const { resources } = await client.listResources();
    const [resource] = resources;
    const read = await client.readResource({ uri: resource?.uri ?? '' });
    expect(read.contents).toHaveLength(1);
    const prompt = await client.getPrompt({ name: 'simple-prompt' });
    expect(prompt.messages).toHaveLength(1);
    await close();
  });

  it('uses a server of the modern era, and the one that is built in', async () => {
    for (const slug of ['modern', 'mock']) {
      const { client, close } = await connect(slug);
      const called = await client.callTool({ name: 'echo', arguments: { message: 'hello' } });
      expect(called.content).toEqual([{ type: 'text', text: 'hello' }]);
      const { resources } = await client.listResources();
      const read = await client.readResource({ uri: resources[0]?.uri ?? '' });
      expect(read.contents).toHaveLength(1);
      await close();
    }
  });
});
