// Fifty clients call a tool through three gateways on one database, behind a load balancer that sends each request to the next
// one, while one gateway is killed every five seconds, and another one that stands by takes its place. Half of the clients have a
// session for all of that time. No session may be lost, no call may be executed twice or be called off by an error that was not
// true, and each call that was answered must stand in the log once.
//
// `-- --whole`: for two minutes; else for 20 seconds. With MONGODB_URI the gateways share a database there.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import { Fleet, type Gateway } from './prove-limits/fleet.ts';
import { startStore } from './prove-limits/store.ts';
import { Client, type Outcome } from './prove-mcp/client.ts';
import { faultsOf } from './prove-mcp/judge.ts';
import { startProxy } from './prove-mcp/proxy.ts';
import { type Seeds, serveThrough, until } from './prove-mcp/serve.ts';
import { startCountingServer } from './prove-mcp/upstream.ts';

const SECONDS = process.argv.includes('--whole') ? 120 : 20;
const GATEWAYS = 3;
/** Gateways that stand by: one takes the place of each that is killed, while that one starts again. */
const STANDING_BY = 2;
const CLIENTS = 50;
const PAUSE_MS = 5000;
const LOOK_MS = 100;

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-mcp-'));
const store = await startStore(join(directory, 'store'), process.env.MONGODB_URI);
const fleet = new Fleet(directory, store.uri);
const upstream = await startCountingServer();
let kills = 0;
const nameOf = ({ pid }: { pid: number }): string => String(pid);
const proxy = await startProxy(() =>
  serving().flatMap(({ running }) =>
    running ? [{ name: nameOf(running.process), url: running.process.url }] : [],
  ),
);

/** Gateways that get requests: those behind them in the row stand by. */
const serving = (): Gateway[] => fleet.gateways.filter(({ running }) => running !== null).slice(0, GATEWAYS);

/** Kills one gateway after the other, as soon as there are as many as shall be; each starts again meanwhile. */
async function disturb(end: number): Promise<void> {
  const starting: Promise<void>[] = [];
  for (let turn = 0; ; turn++) {
    await wait(PAUSE_MS);
    while (serving().length < GATEWAYS && performance.now() < end) await wait(LOOK_MS);
    const victim = serving()[turn % GATEWAYS];
    if (performance.now() >= end || !victim?.running) break;
    await fleet.kill(victim);
    kills += 1;
    const started = fleet.start(victim);
    started.catch(() => undefined);
    starting.push(started);
  }
  await Promise.all(starting);
}

/** Rows of the log by the id of their request, once each call that must be there is, or it is late. */
async function logged(outcomes: readonly Outcome[]): Promise<Map<string, number>> {
  const client = await MongoClient.connect(store.uri);
  try {
    let counts = new Map<string, number>();
    await until(async () => {
      counts = new Map();
      const rows = client
        .db()
        .collection('logs')
        .find({ endpoint: 'mcp' }, { projection: { mcp: 1 } });
      for await (const { mcp } of rows) {
        const { method, requestId } = JSON.parse(mcp);
        if (method === 'tools/call') counts.set(requestId, (counts.get(requestId) ?? 0) + 1);
      }
      const none = new Map<string, number>();
      return faultsOf({ outcomes, executed: none, logged: counts }).every(
        (fault) => !fault.endsWith('does not have it.'),
      );
    });
    return counts;
  } finally {
    await client.close();
  }
}

try {
  await fleet.resize(GATEWAYS + STANDING_BY);
  const seeds: Seeds = JSON.parse(await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'));
  await serveThrough(fleet.urls()[0] ?? '', seeds, 'counting', upstream.url);
  const clients = Array.from(
    { length: CLIENTS },
    (_none, at) => new Client(`client-${at}`, proxy.url, seeds.workspace_api_key),
  );
  const withSessions = clients.filter((_client, at) => at % 2 === 0);
  await Promise.all(withSessions.map((client) => client.open()));
  const end = performance.now() + SECONDS * 1000;
  const calling = clients.map((client) => client.callUntil(() => performance.now() > end));
  await Promise.all([disturb(end), ...calling]);
  // What was opened at the beginning works to the end, at every gateway.
  const last = await Promise.all(
    withSessions.flatMap((client) => [client.call(), client.call(), client.call()]),
  );
  const outcomes = clients.flatMap((client) => client.outcomes);
  const findings = { outcomes, executed: upstream.executed, logged: await logged(outcomes) };
  const faults = faultsOf(findings);
  for (const { mark, kind } of last)
    if (kind !== 'answered') faults.push(`${mark}: ${kind}, after everything was calm again.`);
  if (kills < SECONDS / 10) faults.push(`Only ${kills} gateways were killed.`);
  if (outcomes.length < CLIENTS * SECONDS) faults.push('Too few calls were made to tell anything.');
  const countOf = (kind: Outcome['kind']) => outcomes.filter((outcome) => outcome.kind === kind).length;
  console.log(
    `${outcomes.length} calls of ${CLIENTS} clients in ${SECONDS} s through ${GATEWAYS} gateways, ${kills} killed: ` +
      `${countOf('answered')} answered, ${countOf('refused')} refused, ${countOf('broken')} broken off and told so, ` +
      `${withSessions.length} sessions from beginning to end, ${faults.length} faults.`,
  );
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await fleet.stop();
  await proxy.stop();
  await upstream.stop();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
