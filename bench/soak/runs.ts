// `npm run soak:runs -- <seconds> <runs a second>`: an hour of runs of ten kinds, five a second unless told otherwise, through one
// Sluice with the mock model: streamed and polled, with functions, searches and code, cancelled, left by their readers, deleted,
// failing, expiring. Each is followed to its end. Ends with 1 when memory is not flat, or a run ends otherwise than it should.
import { setTimeout as sleep } from 'node:timers/promises';
import { startSluice } from '../processes.ts';
import { RunClient } from './run-client.ts';
import { type Assistants, type KindName, kinds } from './run-kinds.ts';
import { grownBy, type Sample, sampleOf } from './steady.ts';

const PORT = 18_094;
const SECONDS = Number(process.argv[2] ?? 3600);
const RATE = Number(process.argv[3] ?? 5);
/** The first sixth fills caches and pools. */
const WARM_UP = SECONDS / 6;
const SAMPLE_EVERY = Math.min(10, SECONDS / 30);
/** What memory may grow by over the rest, of its middle. */
const MOST_GROWTH = 0.05;
/** Boxes of the code interpreter, one more that waits, and what reads files. */
const MOST_CHILDREN = 8;

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

function report(samples: Sample[], tally: Tally): void {
  const steady = samples.filter(({ second }) => second >= WARM_UP);
  const sorted = steady.map(({ megabytes }) => megabytes).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const grown = grownBy(steady);
  const files = steady.map((each) => each.files);
  const children = Math.max(...samples.map((each) => each.children));
  const count = Object.values(tally.ended).reduce((sum, each) => sum + each, 0);
  const checks: [string, string, boolean][] = [
    ['memory, growth after the first sixth', `${grown.toFixed(1)} MB`, grown <= median * MOST_GROWTH],
    ['memory, median and highest', `${median.toFixed(0)} and ${sorted.at(-1)?.toFixed(0)} MB`, true],
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

const sluice = await startSluice(PORT);
try {
  const tally: Tally = { ended: {}, open: 0, mostOpen: 0, problems: [] };
  const client = new RunClient(PORT, sluice.workspaceKey);
  const assistants = await makeAssistants(client);
  const startedAt = Date.now();
  let isOver = false;
  const until = startedAt + SECONDS * 1000;
  const running = runAll(client, assistants, { until, tally }).finally(() => {
    isOver = true;
  });
  const samples: Sample[] = [];
  while (!isOver) {
    await Promise.race([sleep(SAMPLE_EVERY * 1000), running]);
    samples.push(await sampleOf(sluice.pid, (Date.now() - startedAt) / 1000));
  }
  report(samples, tally);
} finally {
  await sluice.stop();
}
