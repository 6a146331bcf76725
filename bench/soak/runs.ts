// `npm run soak:runs -- <seconds> <runs a second>`: an hour of runs of ten kinds, five a second unless told otherwise, through one
// Sluice with the mock model: streamed and polled, with functions, searches and code, cancelled, left by their readers, deleted,
// failing, expiring. Each is followed to its end, and its thread asked for another run. Prints each minute what is held and open, and
// ends with 1 when memory is not flat, or a run ends otherwise than it should.
import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage, heldBy } from '../memory.ts';
import { type RunningSluice, startSluice } from '../processes.ts';
import { RunClient } from './run-client.ts';
import { type Assistants, type KindName, kinds } from './run-kinds.ts';
import { grownBy, type Point, type Sample, sampleOf } from './steady.ts';

const PORT = 18_094;
const DEBUGGER_PORT = 18_095;
const SECONDS = Number(process.argv[2] ?? 3600);
const RATE = Number(process.argv[3] ?? 5);
/** The first sixth fills caches and pools. */
const WARM_UP = SECONDS / 6;
const SAMPLE_EVERY = Math.min(10, SECONDS / 30);
const TELL_EVERY = 60;
/** Seconds between two looks at what objects last, which has all others collected, in every thread. */
const LASTING_EVERY = Math.min(300, SECONDS / 12);
/** What memory may grow by over the rest, of its middle. */
const MOST_GROWTH = 0.05;
/** Boxes of the code interpreter, one more that waits, and what reads files. */
const MOST_CHILDREN = 8;

type Lasting = { objects: Point; process: Point };
type Tally = { ended: Record<string, number>; open: number; mostOpen: number; problems: string[] };

async function makeAssistants(client: RunClient): Promise<Assistants> {
  const make = async (model: string, more: object = {}) =>
    (await client.json<{ id: string }>('POST', '/assistants', { model, ...more })).id;
  const form = new FormData();
  form.append('purpose', 'assistants');
  form.append('file', new File(['The weather in Paris is mild. '.repeat(200)], 'weather.txt'));
  const file = await client.json<{ id: string }>('POST', '/files', form);
  const store = await client.json<{ id: string }>('POST', '/vector_stores', { file_ids: [file.id] });
  return {
    plain: await make('@mock/mock-1'),
    slow: await make('@mock/mock-slow-50'),
    tool: await make('@mock/mock-1', { tools: [{ type: 'function', function: { name: 'look' } }] }),
    search: await make('@mock/mock-1', {
      tools: [{ type: 'file_search' }],
      tool_resources: { file_search: { vector_store_ids: [store.id] } },
    }),
    code: await make('@mock/mock-1', { tools: [{ type: 'code_interpreter' }] }),
  };
}

/** Begins runs at an even rate until `until`, each with a program of its own; resolves when all have ended. */
async function runAll(
  client: RunClient,
  assistants: Assistants,
  { until, tally }: { until: number; tally: Tally },
): Promise<void> {
  const names = (Object.keys(kinds) as KindName[]).flatMap((name) => Array(kinds[name].share).fill(name));
  const living = new Set<Promise<void>>();
  for (let next = Date.now(); next < until; next += 1000 / RATE) {
    await sleep(Math.max(0, next - Date.now()));
    const name: KindName = names[Math.floor(Math.random() * names.length)];
    const kind = kinds[name];
    if ('last' in kind && Date.now() > until - kind.last) continue;
    tally.mostOpen = Math.max(tally.mostOpen, ++tally.open);
    const life = kind
      .live({ client, assistants })
      .then(() => {
        tally.ended[name] = (tally.ended[name] ?? 0) + 1;
      })
      .catch((error: Error) => tally.problems.push(`${name}: ${error.message}`))
      .then(() => {
        tally.open--;
        living.delete(life);
      });
    living.add(life);
  }
  await Promise.all(living);
}

/**
 * What outlasts a collection: objects of the gateway's own thread, and the memory of the process. Between collections its memory
 * goes up and down with the pace of the collector, which would hide what grows.
 */
async function lastingOf(sluice: RunningSluice, second: number): Promise<Lasting> {
  await collectGarbage(DEBUGGER_PORT);
  const objects = { second, megabytes: (await heldBy(sluice)).heap };
  return { objects, process: await sampleOf(sluice.pid, second) };
}

async function watch(
  sluice: RunningSluice,
  tally: Tally,
  running: Promise<void>,
): Promise<{ samples: Sample[]; lasting: Lasting[] }> {
  const startedAt = Date.now();
  const samples: Sample[] = [];
  const lasting: Lasting[] = [];
  let isOver = false;
  void running.finally(() => {
    isOver = true;
  });
  let [tellAt, lastingAt] = [0, WARM_UP];
  while (!isOver) {
    await Promise.race([sleep(SAMPLE_EVERY * 1000), running]);
    const second = (Date.now() - startedAt) / 1000;
    const sample = await sampleOf(sluice.pid, second);
    samples.push(sample);
    if (second >= lastingAt) {
      lasting.push(await lastingOf(sluice, second));
      lastingAt += LASTING_EVERY;
    }
    if (second < tellAt) continue;
    tell(sample, lasting.at(-1), tally);
    tellAt += TELL_EVERY;
  }
  return { samples, lasting };
}

function tell({ second, megabytes }: Sample, lasting: Lasting | undefined, tally: Tally): void {
  const held = `${megabytes.toFixed(0)} MB, of it objects that last ${lasting?.objects.megabytes.toFixed(1) ?? '-'} MB`;
  const ended = `${endedIn(tally)} runs ended, ${tally.open} open, ${tally.problems.length} problems`;
  console.log(`${second.toFixed(0)} s: ${held}; ${ended}`);
}

const endedIn = ({ ended }: Tally): number => Object.values(ended).reduce((sum, each) => sum + each, 0);

const anHour = (points: Point[]): string => {
  const seconds = (points.at(-1)?.second ?? 0) - (points[0]?.second ?? 0);
  return `${((grownBy(points) * 3600) / seconds).toFixed(1)} MB an hour`;
};

const mostOf = (points: Point[]): number => Math.max(...points.map(({ megabytes }) => megabytes));

function flat(what: string, points: Point[]): [string, string, boolean] {
  const [first, last] = [points[0]?.megabytes ?? 0, points.at(-1)?.megabytes ?? 0];
  const shown = `${first.toFixed(1)} and ${last.toFixed(1)} MB, ${anHour(points)}`;
  return [`${what}, first and last`, shown, grownBy(points) <= first * MOST_GROWTH];
}

function report({ samples, lasting }: { samples: Sample[]; lasting: Lasting[] }, tally: Tally): void {
  const steady = samples.filter(({ second }) => second >= WARM_UP);
  const begun = samples.filter(({ second }) => second < WARM_UP);
  const grown = grownBy(steady);
  const median = steady.map(({ megabytes }) => megabytes).sort((a, b) => a - b)[steady.length >> 1] ?? 0;
  const files = steady.map((each) => each.files);
  const children = Math.max(...samples.map((each) => each.children));
  const count = endedIn(tally);
  const checks: [string, string, boolean][] = [
    [
      'memory, growth after the first sixth',
      `${grown.toFixed(1)} MB, ${anHour(steady)}`,
      grown <= median * MOST_GROWTH,
    ],
    flat(
      'memory after a collection',
      lasting.map((each) => each.process),
    ),
    flat(
      'objects that last',
      lasting.map((each) => each.objects),
    ),
    [
      'memory at most, in the first sixth and afterwards',
      `${mostOf(begun).toFixed(0)} and ${mostOf(steady).toFixed(0)} MB`,
      mostOf(steady) <= mostOf(begun) * (1 + MOST_GROWTH),
    ],
    [
      'open files, first and last',
      `${files[0]} and ${files.at(-1)}`,
      (files.at(-1) ?? 0) <= (files[0] ?? 0) + 50,
    ],
    ['child processes at most', String(children), children <= MOST_CHILDREN],
    [
      'runs that came to their end',
      `${count}, ${tally.mostOpen} open at most`,
      count > 0 && tally.open === 0,
    ],
    [
      'runs that ended otherwise than they should',
      String(tally.problems.length),
      tally.problems.length === 0,
    ],
  ];
  const shown = Object.entries(tally.ended).map(([name, each]) => `${name} ${each}`);
  console.log(`\n${SECONDS} s, ${count} runs (${(count / SECONDS).toFixed(1)}/s): ${shown.join(', ')}\n`);
  console.log('| what | measured | as it should be |\n|---|--:|---|');
  for (const [what, measured, holds] of checks)
    console.log(`| ${what} | ${measured} | ${holds ? 'yes' : 'no'} |`);
  for (const problem of new Set(tally.problems)) console.log(`  ${problem}`);
  if (checks.some(([, , holds]) => !holds)) process.exitCode = 1;
}

const sluice = await startSluice(PORT, { flags: [`--inspect=127.0.0.1:${DEBUGGER_PORT}`] });
try {
  const tally: Tally = { ended: {}, open: 0, mostOpen: 0, problems: [] };
  const client = new RunClient(PORT, sluice.workspaceKey);
  const assistants = await makeAssistants(client);
  // The first cell of an installation waits until its snapshot is made.
  await kinds.code.live({ client, assistants });
  const until = Date.now() + SECONDS * 1000;
  report(await watch(sluice, tally, runAll(client, assistants, { until, tally })), tally);
} finally {
  await sluice.stop();
}
