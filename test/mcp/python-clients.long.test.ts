import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { bodyOf } from '../rest-compat/support.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { serveMcp } from '../support/mcp-clients.ts';
import { type McpProgram, startEverything, startModernServer } from '../support/mcp-programs.ts';
import { type McpUpstream, startMcpUpstream } from '../support/mcp-upstream.ts';
import { installPythonSdk, pythonVersions, runPython } from '../support/python-sdk.ts';

jest.setTimeout(300_000);

let directory: string;
let app: TestApp;
let programs: McpProgram[] = [];
let dying: McpUpstream;
const targets = new Map<string, string | null>();

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'sluice-mcp-python-'));
  [app, dying, ...programs] = await Promise.all([
    startApp(),
    startMcpUpstream('modern'),
    startEverything(),
    startModernServer(),
  ]);
  const [everything, modern] = programs as [McpProgram, McpProgram];
  // The tool breaks off its first answer in each name, and answers the next one.
  const broken = new Set<string>();
  dying.onMessage = ({ id, method, params }, response) => {
    if (method !== 'tools/call') return undefined;
    const { mark } = params.arguments;
    if (broken.has(mark))
      return { jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'found' }] } };
    broken.add(mark);
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(': working\n\n');
    setTimeout(() => response.destroy(), 50);
    return true;
  };
  await Promise.all([
    serveMcp(app, 'everything', { url: everything.url }),
    serveMcp(app, 'modern', { url: modern.url }),
    serveMcp(app, 'dying', { url: dying.url }),
  ]);
  for (const version of pythonVersions) {
    targets.set(version, await installPythonSdk(directory, version));
    const slug = slugOf(version);
    await serveMcp(app, slug, { url: 'mock://server' });
    const policy = {
      ...{ type: 'requests', unit: 'rpw', value: 1, target: 'mcp_tools', name: slug },
      conditions: [{ key: 'mcp_server', value: slug }],
      ...{ group_by: [{ key: 'mcp_server' }], workspace_id: app.workspaceId },
    };
    bodyOf(await app.rest('POST', '/v1/policies/rate-limits', { key: app.adminKey, body: policy }));
  }
});
afterAll(async () => {
  await app.stop();
  await Promise.all([dying.stop(), ...programs.map(({ stop }) => stop())]);
  await rm(directory, { recursive: true, force: true });
});

const slugOf = (version: string) => `limited-${version.replaceAll('.', '-')}`;

/** How a line of the SDK opens a session, as `opened(slug)`. */
const opening: Record<(typeof pythonVersions)[number], string> = {
  '1.30.0': `
from mcp import ClientSession
from mcp.client.streamable_http import streamablehttp_client

@contextlib.asynccontextmanager
async def opened(slug):
    headers = {"x-gateway-api-key": os.environ["KEY"]}
    async with streamablehttp_client(f"{os.environ['URL']}/{slug}/mcp", headers=headers) as (read, write, _):
        async with ClientSession(read, write) as session:
            await session.initialize()
            yield session
`,
  '2.3.0': `
from mcp import Client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

@contextlib.asynccontextmanager
async def opened(slug):
    http = create_mcp_http_client(headers={"x-gateway-api-key": os.environ["KEY"]})
    async with Client(streamable_http_client(f"{os.environ['URL']}/{slug}/mcp", http_client=http)) as client:
        yield client
`,
};

const before = `
import asyncio, contextlib, json, os, time

async def code_of(call):
    began = time.monotonic()
    try:
        result = await call
        return [result.content[0].text, 0]
    except Exception as error:
        found = getattr(error, "error", error)
        return [found.code, time.monotonic() - began]
`;

const after = `
async def run():
    print(json.dumps(await main()))

asyncio.run(run())
`;

/** Runs the body of \`main()\` with a line of the SDK; answers what it returns, or null where the line is not there. */
async function tried(version: (typeof pythonVersions)[number], main: string): Promise<any> {
  const target = targets.get(version);
  if (!target) return null;
  const program = `${before}${opening[version]}\nasync def main():\n${main}\n${after}`;
  const env = { URL: app.url, KEY: app.workspaceKey };
  return JSON.parse(await runPython(program, { target, cwd: directory, env }));
}

describe.each(pythonVersions)("the SDK of Python's %s", (version) => {
  it.each([
    ['everything', 'simple-prompt', 'Echo: hello'],
    ['modern', '', 'hello'],
  ])('check 1: uses everything of a server: %s', async (slug, prompt, said) => {
    const found = await tried(
      version,
      `
    async with opened("${slug}") as client:
        tools = [tool.name for tool in (await client.list_tools()).tools]
        called = await client.call_tool("echo", {"message": "hello"})
        uri = (await client.list_resources()).resources[0].uri
        read = await client.read_resource(uri)
        prompts = len((await client.get_prompt("${prompt}")).messages) if "${prompt}" else 1
        return ["echo" in tools, called.content[0].text, len(read.contents), prompts]`,
    );
    if (found) expect(found).toEqual([true, said, 1, 1]);
  });

  it('check 14: hears at once that a server died in the middle of its answer, and goes on', async () => {
    const found = await tried(
      version,
      `
    async with opened("dying") as client:
        call = lambda: client.call_tool("search", {"mark": "${version}"})
        return [await code_of(call()), await code_of(call())]`,
    );
    if (!found) return;
    const [[code, seconds], again] = found;
    expect(code).toBe(-31502);
    // Its own patience, where it has one, is longer.
    expect(seconds).toBeLessThan(20);
    expect(again).toEqual(['found', 0]);
  });

  it('check 8: keeps its session when a call is over a limit', async () => {
    const slug = slugOf(version);
    const found = await tried(
      version,
      `
    async with opened("${slug}") as client:
        call = lambda: client.call_tool("echo", {"message": "hello"})
        first, second = await code_of(call()), await code_of(call())
        return [first[0], second[0], len((await client.list_tools()).tools)]`,
    );
    if (found) expect(found).toEqual(['hello', -31429, 3]);
  });
});
