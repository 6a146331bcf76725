// `npm run soak`: an hour of mixed traffic through one Sluice, with its memory, files and records watched. Ends with 1 when
// memory is not flat, a request is answered otherwise than it should be, or a record is missing.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Running, startHelper, startSluice } from '../processes.ts';
import { grownBy, type Sample, sampleOf } from './steady.ts';
import { runTraffic, type Tally } from './traffic.ts';

const SECONDS = Number(process.argv[2] ?? 3600);
const [UPSTREAM, SLUICE] = [18090, 18091];
/** The first sixth fills caches and pools. */
const WARM_UP = SECONDS / 6;
const SAMPLE_EVERY = Math.min(10, SECONDS / 30);
/** What memory may grow by over the rest, of its middle. */
const MOST_GROWTH = 0.05;
const MOST_MEGABYTES = 400;

async function request(path: string, key: string, body?: unknown): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${SLUICE}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${path}: ${response.status} ${text}`);
  return text;
}

const metric = (text: string, name: string) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1]);

async function main(): Promise<void> {
  const running: Running[] = [];
  try {
    running.push(await startHelper('upstream.ts', UPSTREAM));
    const sluice = await startSluice(SLUICE);
    running.push(sluice);
    const created = await request('/v1/configs', sluice.workspaceKey, {
      name: 'soak',
      config: {
        provider: 'openai',
        api_key: 'sk-soak',
        custom_host: `http://127.0.0.1:${UPSTREAM}/v1`,
      },
    });
    const { data } = JSON.parse(created) as { data: { id: string } };
    const headers = { 'x-gateway-api-key': sluice.workspaceKey, 'x-gateway-config': data.id };
    const tally: Tally = { answered: 0, failed: 0, leftEarly: 0, unexpected: [] };
    const startedAt = Date.now();
    const traffic = runTraffic(SLUICE, headers, startedAt + SECONDS * 1000, tally);
    const samples: Sample[] = [];
    while (Date.now() < startedAt + SECONDS * 1000) {
      await sleep(SAMPLE_EVERY * 1000);
      samples.push(await sampleOf(sluice.pid, (Date.now() - startedAt) / 1000));
    }
    await traffic;
    await sleep(3000);
    const text = await request('/metrics', sluice.workspaceKey);
    const written = metric(text, 'sluice_request_log_written');
    const dropped = metric(text, 'sluice_request_log_dropped');
    report({ samples, tally, written, dropped, after: await sampleOf(sluice.pid, SECONDS) });
  } finally {
    for (const process of running.reverse()) await process.stop();
  }
}

type Outcome = { samples: Sample[]; tally: Tally; written: number; dropped: number; after: Sample };

function report({ samples, tally, written, dropped, after }: Outcome): void {
  const steady = samples.filter(({ second }) => second >= WARM_UP);
  const sorted = steady.map(({ megabytes }) => megabytes).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const highest = sorted.at(-1) ?? 0;
  const grown = grownBy(steady);
  const expected = tally.answered + tally.failed + tally.leftEarly;
  const checks: [string, string, boolean][] = [
    ['memory, growth after the first sixth', `${grown.toFixed(1)} MB`, grown <= median * MOST_GROWTH],
    [
      'memory, median and highest',
      `${median.toFixed(0)} and ${highest.toFixed(0)} MB`,
      highest <= MOST_MEGABYTES,
    ],
    [
      'open files, first and last',
      `${steady[0]?.files} and ${after.files}`,
      after.files <= (steady[0]?.files ?? 0) + 10,
    ],
    ['requests with a record', `${written} of ${expected}`, written === expected && dropped === 0],
    ['answers that were not as expected', String(tally.unexpected.length), tally.unexpected.length === 0],
  ];
  const perSecond = expected / (samples.at(-1)?.second ?? 1);
  console.log(
    `\n${SECONDS} s, ${expected} requests (${perSecond.toFixed(0)}/s), ${tally.leftEarly} callers left early\n`,
  );
  console.log('| what | measured | as it should be |\n|---|--:|---|');
  for (const [what, measured, holds] of checks)
    console.log(`| ${what} | ${measured} | ${holds ? 'yes' : 'no'} |`);
  for (const problem of new Set(tally.unexpected)) console.log(`  ${problem}`);
  if (checks.some(([, , holds]) => !holds)) process.exitCode = 1;
}

await main();
