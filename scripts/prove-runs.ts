// Callers have assistants answer threads through gateways on one database, streamed and polled, with a function that they
// answer, while gateways are killed and stopped. Every run must come to one end, with one message and one step for each of its
// turns, its usage the sum of its steps, and its thread free; nothing may be left open.
//
// `-- --whole`: 1 and 3 gateways, and 40 kills; else less of each, within a minute. `-- --matrix`: at each operation by which a run
// is written, in turn, its gateway is killed, stopped, or has the operation fail; `--scenario polled,expired` and `--gateways 3` walk a
// part of that. With MONGODB_URI the gateways share a database there.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Fleet } from './prove-limits/fleet.ts';
import { startStore } from './prove-limits/store.ts';
import { Caller } from './prove-runs/caller.ts';
import { disturb } from './prove-runs/disturb.ts';
import { faultsOf, settled } from './prove-runs/judge.ts';
import { partOf, proveMatrix } from './prove-runs/whole-matrix.ts';

type Plan = { gateways: number; kills: number; stops: number };

const wholePlan: readonly Plan[] = [
  { gateways: 1, kills: 8, stops: 2 },
  { gateways: 3, kills: 32, stops: 8 },
];
const shortPlan: readonly Plan[] = [{ gateways: 2, kills: 4, stops: 1 }];
const CALLERS = 20;

const { values: asked } = parseArgs({
  options: {
    whole: { type: 'boolean' },
    matrix: { type: 'boolean' },
    scenario: { type: 'string' },
    gateways: { type: 'string' },
  },
});
const part = partOf(asked);

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-runs-'));
const store = await startStore(join(directory, 'store'), process.env.MONGODB_URI);
const fleet = new Fleet(directory, store.uri);
const faults: string[] = [];

async function prove({ gateways, kills, stops }: Plan): Promise<void> {
  await fleet.resize(gateways);
  const { workspace_api_key: key } = JSON.parse(await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'));
  const caller = new Caller(fleet, key);
  await caller.makeAssistant();
  const begun = performance.now();
  let isOver = false;
  const calling = Promise.all(
    Array.from({ length: CALLERS }, async (_none, at) => {
      while (!isOver) await caller.converse(at % 2 === 0);
    }),
  );
  await disturb(fleet, { kills, stops });
  isOver = true;
  await calling;
  const open = await settled(store.uri);
  const found = [...caller.faults, ...open, ...(await faultsOf(store.uri, caller.runIds))];
  faults.push(...found);
  const seconds = (performance.now() - begun) / 1000;
  const { worn, client } = caller;
  console.log(
    `${gateways} gateways, ${kills} kills, ${stops} stops: ${caller.runIds.size} runs in ${seconds.toFixed(1)} s, ` +
      `${client.repeated} requests repeated, ${worn} runs whose processes died again and again, ${found.length} faults.`,
  );
  if (caller.runIds.size < CALLERS) faults.push('Too few runs were begun to tell anything.');
}

try {
  if (asked.matrix) faults.push(...(await proveMatrix(directory, part, process.env.MONGODB_URI)));
  else for (const plan of asked.whole ? wholePlan : shortPlan) await prove(plan);
  if (!asked.matrix) for (const fault of faults) console.error(fault);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await fleet.stop();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
