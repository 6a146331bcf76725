// `npm run bench`: Sluice, the bare limit and a peer in one run on one machine. Prints a table; nothing here asserts.
import { readFile } from 'node:fs/promises';
import { type Contestant, compare, logged, median } from './compare.ts';
import { makeGuardrails, setFiveLimits } from './governed.ts';
import { type LoadResult, load } from './load.ts';
import {
  machineNode,
  type Running,
  type RunningSluice,
  startHelper,
  startPortkey,
  startSluice,
} from './processes.ts';
import { streams } from './streams.ts';

const RUNS = { seconds: Number(process.argv[2] ?? 5) };
/** Of one run at full load, longer than logs may wait: they are then worked out beside the requests. */
const SUSTAINED_SECONDS = Number(process.argv[3] ?? 90);
/** With one connection, where a round's last hundredth is much a matter of luck. */
const ROUNDS_OF_ONE = 9;
const [UPSTREAM, PIPE, SLUICE, TWO_WORKERS] = [18080, 18081, 18082, 18083];
const [LIMITED, GUARDED] = [18086, 18087];
/** Only what limits and guardrails cost, without the peers. */
const isGovernedOnly = process.argv[4] === 'governed';
const PORTKEYS = [18084, 18085];

const body = JSON.stringify({
  model: 'gpt-bench',
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers in one sentence.' },
    { role: 'user', content: 'Please tell me something about a fox and a dog. '.repeat(4) },
  ],
});

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

async function sustained({ name, port, request }: Contestant): Promise<void> {
  const { perSecond, p50, p99, failures } = await load(port, request, {
    connections: 32,
    seconds: SUSTAINED_SECONDS,
  });
  const { waiting, seconds } = await logged(port);
  console.log(
    `\n${name}, 32 connections for ${SUSTAINED_SECONDS} s: ${Math.round(perSecond)} requests/s, p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms, ${failures} failures; the ${waiting} logs that waited at the end were worked out in ${seconds.toFixed(1)} s.`,
  );
}

const milliseconds = (value: number) => value.toFixed(value < 1 ? 3 : 2);

function printTable(title: string, results: Map<string, LoadResult[]>): void {
  console.log(`\n${title}\n`);
  console.log('| what | requests/s | p50 ms | p99 ms | failures |\n|---|--:|--:|--:|--:|');
  for (const [name, rounds] of results) {
    const of = (read: (result: LoadResult) => number) => median(rounds.map(read));
    const failures = rounds.reduce((sum, round) => sum + round.failures, 0);
    console.log(
      `| ${name} | ${Math.round(of((r) => r.perSecond))} | ${milliseconds(of((r) => r.p50))} | ${milliseconds(of((r) => r.p99))} | ${failures} |`,
    );
  }
}

const host = `http://127.0.0.1:${UPSTREAM}/v1`;
const path = '/v1/chat/completions';

async function contestantOf(
  name: string,
  { port, pid, workspaceKey }: RunningSluice,
  more: object = {},
): Promise<Contestant> {
  const config = await createConfig(port, workspaceKey, {
    name: 'bench',
    config: { provider: 'openai', api_key: 'sk-bench', custom_host: host, retry: { attempts: 2 }, ...more },
  });
  const headers = { 'x-gateway-api-key': workspaceKey, 'x-gateway-config': config };
  return {
    name,
    port,
    pid,
    request: { path, headers, body },
    settled: async () => void (await logged(port)),
  };
}

/** The peer on our Node.js and, where that is another, on the machine's own. */
async function portkeys(): Promise<{ process: Running; contestant: Contestant }[]> {
  const nodes = [{ path: process.execPath, version: process.version }, machineNode()];
  const headers = {
    'x-portkey-provider': 'openai',
    'x-portkey-custom-host': host,
    authorization: 'Bearer sk-bench',
  };
  const peers: { process: Running; contestant: Contestant }[] = [];
  for (const [index, node] of nodes.entries()) {
    const port = PORTKEYS[index] ?? 0;
    const started = node && (await startPortkey(port, node.path));
    if (!started) continue;
    const name = `Portkey 1.15.2 on Node.js ${node.version} (no auth, no log)`;
    peers.push({
      process: started,
      contestant: { name, port, pid: started.pid, request: { path, headers, body } },
    });
  }
  return peers;
}

/** What five limits and what guardrails take of the throughput: each beside a process that has none. */
async function governed(ours: Contestant, running: Running[]): Promise<void> {
  const limited = await startSluice(LIMITED);
  const guarded = await startSluice(GUARDED);
  running.push(limited, guarded);
  await setFiveLimits(limited);
  const { input, output } = await makeGuardrails(guarded);
  const contestants = [
    ours,
    await contestantOf('Sluice with five limits', limited),
    await contestantOf('Sluice with guardrails of five checks, in and out', guarded, {
      input_guardrails: input,
      output_guardrails: output,
    }),
  ];
  printTable('Governed, 32 connections', await compare(contestants, 32, RUNS));
  printTable('Governed, 1 connection', await compare(contestants, 1, { ...RUNS, rounds: ROUNDS_OF_ONE }));
}

async function main(): Promise<void> {
  const running: Running[] = [];
  try {
    running.push(await startHelper('upstream.ts', UPSTREAM));
    const barePipe = await startHelper('pipe.ts', PIPE, UPSTREAM);
    running.push(barePipe);
    const sluice = await startSluice(SLUICE);
    running.push(sluice);
    const ours = await contestantOf('Sluice (key, saved config, request log)', sluice);
    await governed(ours, running);
    if (isGovernedOnly) return;
    const pipe = {
      name: 'bare undici pipe',
      port: PIPE,
      pid: barePipe.pid,
      request: { path, headers: {}, body },
    };
    const contestants: Contestant[] = [
      { name: 'upstream itself', port: UPSTREAM, request: { path, headers: {}, body } },
      pipe,
      ours,
    ];
    for (const peer of await portkeys()) {
      running.push(peer.process);
      contestants.push(peer.contestant);
    }
    printTable('32 connections', await compare(contestants, 32, RUNS));
    printTable('256 connections', await compare(contestants, 256, RUNS));
    printTable('1 connection', await compare(contestants, 1, { ...RUNS, rounds: ROUNDS_OF_ONE }));
    await sustained(ours);
    const streamed = await streams(SLUICE, ours.request.headers, 1000);
    console.log(
      `\n1,000 concurrent streams through Sluice: ${streamed.complete} complete, ${streamed.broken} broken or stalled.`,
    );
    console.log(`Sluice's resident memory afterwards: ${await residentMemory(sluice.pid)}`);
    // By itself: its processes are three more that wake up now and then.
    const withTwoWorkers = await startSluice(TWO_WORKERS, { env: { WORKERS: '2' } });
    running.push(withTwoWorkers);
    // Its primary process alone would not stop its workers.
    const pair = [pipe, { ...(await contestantOf('Sluice with WORKERS=2', withTwoWorkers)), pid: undefined }];
    printTable('WORKERS=2, 32 connections', await compare(pair, 32, RUNS));
    printTable('WORKERS=2, 256 connections', await compare(pair, 256, RUNS));
  } finally {
    for (const process of running.reverse()) await process.stop();
  }
}

await main();
