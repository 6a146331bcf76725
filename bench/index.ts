// `npm run bench`: Sluice, the bare limit and a peer in one run on one machine. Prints a table; nothing here asserts.
import { readFile } from 'node:fs/promises';
import { type LoadResult, load, type Request } from './load.ts';
import { type Running, startHelper, startPortkey, startSluice } from './processes.ts';
import { streams } from './streams.ts';

const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = 3;
const [UPSTREAM, PIPE, SLUICE, PORTKEY] = [18080, 18081, 18082, 18083];

const body = JSON.stringify({
  model: 'gpt-bench',
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers in one sentence.' },
    { role: 'user', content: 'Please tell me something about a fox and a dog. '.repeat(4) },
  ],
});

type Contestant = { name: string; port: number; request: Request };

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

async function createConfig(port: number, key: string, adminBody: unknown): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/v1/configs`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(adminBody),
  });
  const answer = (await response.json()) as { data: { id: string } };
  if (!response.ok) throw new Error(`No config: ${JSON.stringify(answer)}`);
  return answer.data.id;
}

async function residentMemory(pid: number): Promise<string> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const kilobytes = /VmRSS:\s+(\d+)/.exec(status)?.[1];
  return kilobytes ? `${Math.round(Number(kilobytes) / 1024)} MB` : 'unknown';
}

async function compare(contestants: Contestant[], connections: number): Promise<Map<string, LoadResult[]>> {
  const results = new Map<string, LoadResult[]>(contestants.map(({ name }) => [name, []]));
  for (const { port, request } of contestants) await load(port, request, { connections, seconds: 2 });
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name, port, request } of contestants) {
      results.get(name)?.push(await load(port, request, { connections, seconds: SECONDS }));
    }
  }
  return results;
}

function printTable(title: string, results: Map<string, LoadResult[]>): void {
  console.log(`\n${title}\n`);
  console.log('| what | requests/s | p50 ms | p99 ms | failures |\n|---|--:|--:|--:|--:|');
  for (const [name, rounds] of results) {
    const of = (read: (result: LoadResult) => number) => median(rounds.map(read));
    const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
    console.log(
      `| ${name} | ${Math.round(of((r) => r.perSecond))} | ${of((r) => r.p50).toFixed(2)} | ${of((r) => r.p99).toFixed(2)} | ${failures} |`,
    );
  }
}

async function main(): Promise<void> {
  const running: Running[] = [];
  try {
    running.push(await startHelper('upstream.ts', UPSTREAM));
    running.push(await startHelper('pipe.ts', PIPE, UPSTREAM));
    const sluice = await startSluice(SLUICE);
    running.push(sluice);
    const portkey = await startPortkey(PORTKEY);
    if (portkey) running.push(portkey);

    const host = `http://127.0.0.1:${UPSTREAM}/v1`;
    const config = await createConfig(SLUICE, sluice.workspaceKey, {
      name: 'bench',
      config: { provider: 'openai', api_key: 'sk-bench', custom_host: host, retry: { attempts: 2 } },
    });
    const path = '/v1/chat/completions';
    const contestants: Contestant[] = [
      { name: 'upstream itself', port: UPSTREAM, request: { path, headers: {}, body } },
      { name: 'bare undici pipe', port: PIPE, request: { path, headers: {}, body } },
      {
        name: 'Sluice (key, saved config, request log)',
        port: SLUICE,
        request: {
          path,
          headers: { 'x-gateway-api-key': sluice.workspaceKey, 'x-gateway-config': config },
          body,
        },
      },
    ];
    if (portkey) {
      contestants.push({
        name: 'Portkey 1.15.2 (no auth, no log)',
        port: PORTKEY,
        request: {
          path,
          headers: {
            'x-portkey-provider': 'openai',
            'x-portkey-custom-host': host,
            authorization: 'Bearer sk-bench',
          },
          body,
        },
      });
    }
    printTable('32 connections', await compare(contestants, 32));
    printTable('1 connection', await compare(contestants, 1));
    const streamed = await streams(
      SLUICE,
      { 'x-gateway-api-key': sluice.workspaceKey, 'x-gateway-config': config },
      1000,
    );
    console.log(
      `\n1,000 concurrent streams through Sluice: ${streamed.complete} complete, ${streamed.broken} broken or stalled.`,
    );
    console.log(`Sluice's resident memory afterwards: ${await residentMemory(sluice.pid)}`);
  } finally {
    for (const process of running.reverse()) await process.stop();
  }
}

await main();
