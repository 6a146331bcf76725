// `npm run bench:mcp`: calls of MCP tools through Sluice and through a bare relay to the same server, in one run. Prints figures;
// nothing here asserts.
import { readFile } from 'node:fs/promises';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Contestant, compare, logged, median } from '../compare.ts';
import type { LoadResult, Request } from '../load.ts';
import { type RunningSluice, startHelper, startSluice } from '../processes.ts';

const seconds = Number(process.argv[2] ?? 5);
const [UPSTREAM, PIPE, SLUICE, LISTED, SMALL] = [18180, 18181, 18182, 18183, 18184];
const MODERN = '2026-07-28';
const STREAMS = 1000;
const SERVERS = 50;

const meta = (name: string, value: unknown) => [`io.modelcontextprotocol/${name}`, value] as const;
const _meta = Object.fromEntries([
  meta('protocolVersion', MODERN),
  meta('clientInfo', { name: 'bench', version: '1' }),
  meta('clientCapabilities', {}),
]);

/** A request as clients of the modern era send it. */
function asked(path: string, key: string, method: string, params: object = {}): Request {
  const { name } = params as { name?: string };
  return {
    path,
    headers: {
      ...{ accept: 'application/json, text/event-stream', 'x-gateway-api-key': key },
      ...{ 'mcp-protocol-version': MODERN, 'mcp-method': method },
      ...(name !== undefined && { 'mcp-name': name }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } }),
  };
}

const call = { name: 'tool-0', arguments: { query: 'a fox and a dog' } };
const fixed = (value: number) => value.toFixed(2);

/** The members of answers that are read here. */
type RestAnswer = { sync_status: string; sync_error: string | null; key: string; data: { id: string }[] };

async function rest(sluice: RunningSluice, method: string, path: string, body?: object): Promise<RestAnswer> {
  const response = await fetch(`http://127.0.0.1:${sluice.port}/v1/${path}`, {
    method,
    headers: { 'x-gateway-api-key': sluice.adminKey, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = (await response.json()) as RestAnswer;
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

/** Makes an MCP server on a port, and waits until it was read. */
async function serve(sluice: RunningSluice, slug: string, port: number): Promise<void> {
  const url = `http://127.0.0.1:${port}/mcp`;
  const given = { name: slug, slug, url, auth_type: 'none', transport: 'http' };
  await rest(sluice, 'POST', 'mcp-integrations', given);
  const workspace_id = await workspaceOf(sluice);
  await rest(sluice, 'POST', 'mcp-servers', { name: slug, slug, mcp_integration_id: slug, workspace_id });
  for (;;) {
    const { sync_status: status, sync_error: error } = await rest(
      sluice,
      'GET',
      `mcp-integrations/${slug}/metadata`,
    );
    if (status === 'success') return;
    if (status === 'failed') throw new Error(`${slug}: ${error}`);
    await sleep(50);
  }
}

let workspaceId: string | null = null;
async function workspaceOf(sluice: RunningSluice): Promise<string> {
  workspaceId ??= (await rest(sluice, 'GET', 'admin/workspaces')).data[0]?.id ?? '';
  return workspaceId;
}

/** Of each contestant the round in the middle, by its name. */
async function compared(contestants: Contestant[], connections: number): Promise<Map<string, LoadResult>> {
  const results = await compare(contestants, connections, { seconds });
  const inTheMiddle = (rounds: LoadResult[]) =>
    rounds.toSorted((a, b) => a.perSecond - b.perSecond)[Math.floor(rounds.length / 2)] as LoadResult;
  return new Map([...results].map(([name, rounds]) => [name, inTheMiddle(rounds)]));
}

function print(title: string, results: Map<string, LoadResult>): void {
  console.log(`\n${title}`);
  for (const [name, { perSecond, p50, p99, failures }] of results)
    console.log(
      `  ${name.padEnd(22)} ${String(Math.round(perSecond)).padStart(6)}/s  p50 ${fixed(p50)} ms  p99 ${fixed(p99)} ms  failures ${failures}`,
    );
}

const residentMiB = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Memory without and with open streams. */
async function streamMemory(sluice: RunningSluice, keys: string[]): Promise<string> {
  const before = await residentMiB(sluice.pid);
  const abort = new AbortController();
  for (let index = 0; index < STREAMS; index += 1) {
    const key = keys[index % keys.length] ?? '';
    const { path, headers, body } = asked('/one/mcp', key, 'subscriptions/listen', {
      notifications: { toolsListChanged: true },
    });
    const response = await fetch(`http://127.0.0.1:${sluice.port}${path}`, {
      ...{ method: 'POST', body, signal: abort.signal },
      headers: { ...headers, 'content-type': 'application/json' },
    });
    if (response.status !== 200 || !response.headers.get('content-type')?.includes('event-stream'))
      throw new Error(`A stream was answered with ${response.status}: ${await response.text()}`);
  }
  await sleep(1000);
  const after = await residentMiB(sluice.pid);
  abort.abort();
  return `${fixed(before)} MiB before, ${fixed(after)} MiB with them`;
}

async function aggregateMs(sluice: RunningSluice): Promise<number> {
  const times: number[] = [];
  const { path, headers, body } = asked('/mcp', sluice.workspaceKey, 'tools/list');
  for (let round = 0; round < 50; round += 1) {
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${sluice.port}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    });
    await response.text();
    times.push(performance.now() - began);
  }
  return median(times);
}

const upstream = await startHelper('mcp/upstream.ts', UPSTREAM, 1);
const listed = await startHelper('mcp/upstream.ts', LISTED, 100);
const small = await startHelper('mcp/upstream.ts', SMALL, 20);
const pipe = await startHelper('pipe.ts', PIPE, UPSTREAM);
const sluice = await startSluice(SLUICE);
try {
  await serve(sluice, 'one', UPSTREAM);
  await serve(sluice, 'listed', LISTED);
  const key = sluice.workspaceKey;
  const ours = {
    name: 'Sluice',
    port: SLUICE,
    pid: sluice.pid,
    settled: async () => void (await logged(SLUICE)),
  };
  const through = { ...ours, request: asked('/one/mcp', key, 'tools/call', call) };
  const request = asked('/mcp', key, 'tools/call', call);
  const relay = { name: 'bare relay', port: PIPE, pid: pipe.pid, request };
  const direct = { name: 'direct', port: UPSTREAM, request };
  const many = await compared([relay, through], 32);
  print('tools/call, 32 connections', many);
  const ratio = (many.get(through.name)?.perSecond ?? 0) / (many.get(relay.name)?.perSecond ?? 1);
  console.log(`  Sluice has ${fixed(ratio)} of the bare relay`);
  const one = await compared([direct, relay, through], 1);
  print('tools/call, 1 connection', one);
  const added = (name: string) => (one.get(name)?.p50 ?? 0) - (one.get(direct.name)?.p50 ?? 0);
  console.log(
    `  the bare relay adds ${fixed(added(relay.name))} ms to the median, Sluice ${fixed(added(through.name))} ms`,
  );
  const list = { ...ours, request: asked('/listed/mcp', key, 'tools/list') };
  print('tools/list of 100 tools, 32 connections', await compared([list], 32));
  for (let index = 0; index < SERVERS; index += 1) await serve(sluice, `server-${index}`, SMALL);
  await small.stop();
  console.log(
    `\ntools/list of ${SERVERS} servers with 20 tools together, all of them down: ${fixed(await aggregateMs(sluice))} ms`,
  );
  const keys = [key];
  const workspace_id = await workspaceOf(sluice);
  // One caller may have fifty streams at a server.
  for (let index = 1; index < STREAMS / 50; index += 1) {
    const made = await rest(sluice, 'POST', 'api-keys/workspace/service', {
      ...{ name: `bench-${index}`, workspace_id, scopes: ['mcp.invoke'] },
    });
    keys.push(made.key);
  }
  console.log(`${STREAMS} open streams: ${await streamMemory(sluice, keys)}`);
} finally {
  for (const each of [sluice, pipe, upstream, listed]) await each.stop();
}
