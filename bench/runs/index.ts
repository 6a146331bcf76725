// What runs of assistants take beside plain calls, against one real gateway with its embedded store and the mock model: how soon the
// first word comes, how many runs a second there are, and what runs hold that are open.
//
// `-- --whole`: 10,000 open runs in place of 1,000. The generator takes its part of the machine: trust ratios.
import { heldAtMost, heldBy, metricOf, metricsOf } from '../memory.ts';
import { startSluice } from '../processes.ts';
import { Talker } from './talker.ts';

const PORT = 18_931;
const TIMES = 200;
const CLIENTS = 32;
const SECONDS = 10;
const OPEN = process.argv.includes('--whole') ? 10_000 : 1000;
/** What open runs say, five seconds a word: the first is to be heard when the last has begun. */
const WORDS = 'one two three four five six seven eight nine ten eleven twelve';
/** Runs that are begun at a time until all are open. */
const AT_ONCE = 100;

const BUDGET = { first: { p50: 3, p99: 15 }, streamed: 300, polled: 400, openMegabytes: 1200 };

// All that is open is executed, though one workspace has made it with one key; each run has a call open.
const places = {
  RUN_SLOTS: String(OPEN),
  RUN_WORKSPACE_SLOTS: String(OPEN),
  MAX_OPEN_CALLS: String(OPEN),
  MAX_OPEN_CALLS_PER_KEY: String(OPEN),
};
const sluice = await startSluice(PORT, { env: places });
const talker = new Talker(`http://127.0.0.1:${PORT}`, sluice.workspaceKey);
const missed: string[] = [];

function row(what: string, measured: string, budget: string, isKept: boolean): void {
  console.log(`| ${what} | ${measured} | ${budget} |`);
  if (!isKept) missed.push(what);
}

/** Milliseconds of one call after the other. */
async function timesOf(call: () => Promise<number>): Promise<{ p50: number; p99: number }> {
  const times: number[] = [];
  for (let count = 0; count < TIMES; count++) times.push(await call());
  times.sort((a, b) => a - b);
  return { p50: times[TIMES / 2] ?? 0, p99: times[Math.floor(TIMES * 0.99)] ?? 0 };
}

const cpuSeconds = async (): Promise<number> =>
  metricOf(await metricsOf(PORT), 'sluice_process_cpu_seconds_total');

/** Calls a second, and the milliseconds of a processor that each takes in the gateway, which a crowded machine changes least. */
async function rateOf(call: () => Promise<void>): Promise<{ rate: number; cpuMs: number }> {
  const before = await cpuSeconds();
  const until = performance.now() + SECONDS * 1000;
  let count = 0;
  const client = async () => {
    for (; performance.now() < until; count++) await call();
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  return { rate: count / SECONDS, cpuMs: (((await cpuSeconds()) - before) * 1000) / count };
}

async function openRuns(assistant: string): Promise<void> {
  const before = (await heldBy(sluice)).rss;
  let complete = 0;
  let open = 0;
  let mostOpen = 0;
  const reading: Promise<void>[] = [];
  /** Resolves when its answer has begun: more are begun only as fast as the gateway takes them. */
  const begin = () =>
    new Promise<void>((resolve, reject) => {
      const isOpen = () => {
        mostOpen = Math.max(mostOpen, ++open);
        resolve();
      };
      const read = talker.streamRun(assistant, WORDS, isOpen).then(({ isComplete }) => {
        open--;
        if (isComplete) complete++;
      });
      reading.push(read);
      read.catch(reject);
    });
  const all = async () => {
    for (let begun = 0; begun < OPEN; begun += AT_ONCE)
      await Promise.all(Array.from({ length: AT_ONCE }, begin));
    await Promise.all(reading);
  };
  const most = (await heldAtMost(sluice, all())).rss;
  const perRun = ((most - before) * 1024) / OPEN;
  row(
    `${OPEN} streamed runs`,
    `${mostOpen} open at a time, ${complete} complete, ${most.toFixed(0)} MB at most, ${perRun.toFixed(0)} kB a run`,
    `all, ${BUDGET.openMegabytes} MB`,
    complete === OPEN && mostOpen === OPEN && most <= BUDGET.openMegabytes,
  );
}

try {
  const assistant = await talker.makeAssistant('@mock/mock-1');
  const slow = await talker.makeAssistant('@mock/mock-slow-5000');
  // Code that runs for the first time is slow.
  for (let count = 0; count < 300; count++) await talker.streamRun(assistant, 'Hello there');
  await timesOf(() => talker.firstWordOfCall());
  console.log('| what | measured | budget |\n|---|--:|--:|');
  const direct = await timesOf(() => talker.firstWordOfCall());
  const run = await timesOf(async () => (await talker.streamRun(assistant, 'Hello there')).firstWordMs);
  const whole = await timesOf(async () => (await talker.streamRun(assistant, 'Hello there')).wholeMs);
  const shown = ({ p50, p99 }: { p50: number; p99: number }) => `${p50.toFixed(2)} / ${p99.toFixed(1)} ms`;
  row('first word of a plain stream, p50 / p99', shown(direct), '', true);
  row(
    'first word of a streamed run, p50 / p99',
    shown(run),
    `+${BUDGET.first.p50} / +${BUDGET.first.p99} ms`,
    run.p50 - direct.p50 <= BUDGET.first.p50 && run.p99 - direct.p99 <= BUDGET.first.p99,
  );
  row('whole streamed run, p50 / p99', shown(whole), '', true);
  const streamed = await rateOf(async () => {
    if (!(await talker.streamRun(assistant, 'Hello there')).isComplete)
      throw new Error('A streamed run did not end.');
  });
  const shownRate = ({ rate, cpuMs }: { rate: number; cpuMs: number }) =>
    `${rate.toFixed(0)}/s, ${cpuMs.toFixed(1)} ms of a processor each`;
  const kept = (least: number, { rate }: { rate: number }) => rate >= least;
  row(
    `streamed runs, ${CLIENTS} clients`,
    shownRate(streamed),
    `${BUDGET.streamed}/s`,
    kept(BUDGET.streamed, streamed),
  );
  const polled = await rateOf(() => talker.pollRun(assistant, 'Hello there'));
  row(
    `polled runs, ${CLIENTS} clients`,
    shownRate(polled),
    `${BUDGET.polled}/s`,
    kept(BUDGET.polled, polled),
  );
  await openRuns(slow);
  if (missed.length > 0) console.log(`\nOver its budget: ${missed.join('; ')}.`);
} finally {
  await talker.close();
  await sluice.stop();
}
