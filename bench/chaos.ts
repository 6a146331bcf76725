// `npm run bench:chaos`: a thousand streams at once through one Sluice, from a provider that misbehaves and to callers of whom
// some leave, three times. Ends with 1 when a stream ends as if it were whole and is not, when a request has no record, or when
// memory and connections do not come back.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { serialise } from './load.ts';
import { collectGarbage, type Held, heldAtMost, heldBy, metricOf, metricsOf } from './memory.ts';
import { type RunningSluice, startSluice } from './processes.ts';

const STREAMS = Number(process.argv[2] ?? 1000);
const ROUNDS = Number(process.argv[3] ?? 3);
/** Seconds after each round before what is left is measured. */
const REST = Number(process.argv[4] ?? 60);
const [SLUICE, DEBUGGER] = [18095, 18096];
/** What memory may have grown by from the end of the first round to that of the last, of the first. */
const MOST_GROWTH = 0.05;
/** Sockets more than after the first round that mean nothing: the pools of the database's client breathe. */
const SPARE_SOCKETS = 10;
const FRAMES = 20;
/** Every tenth caller leaves in the middle. */
const LEAVES = 10;
const DEADLINE = 60_000;

const frame = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'word ' }, finish_reason: null }] })}\n\n`;
const DONE = 'data: [DONE]\n\n';

type Behaviour = (response: ServerResponse, number: number) => boolean;

/** What may happen instead of a frame; true ends the stream. */
const behaviours: Behaviour[] = [
  () => false,
  () => false,
  () => false,
  (response, number) => number === 9 && Boolean(response.destroy()),
  (response, number) => number === 12 && Boolean(response.end()),
  (response, number) =>
    number === 0 && Boolean(response.end('data: {"error":{"message":"busy","code":529}}\n\n')),
  (response, number) => number === 0 && Boolean(response.destroy()),
  (response, number) => number === 15 && !response.write('data: {"cut') && false,
];

let turn = 0;
let open = 0;

const provider = createServer((request, response) => {
  const behaves = behaviours[turn++ % behaviours.length] ?? (() => false);
  open++;
  response.on('close', () => open--);
  request.resume().on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let sent = 0;
    const timer = setInterval(() => {
      if (response.destroyed || behaves(response, sent)) return clearInterval(timer);
      response.write(frame);
      if (++sent < FRAMES) return;
      clearInterval(timer);
      response.end(DONE);
    }, 50);
  });
});

type Outcome = 'whole' | 'failed' | 'left' | 'lied' | 'stalled';

function stream(request: Buffer, leavesAfter: number | null): Promise<Outcome> {
  return new Promise((resolve) => {
    const socket = connect({ port: SLUICE, host: '127.0.0.1' }, () => socket.write(request));
    let text = '';
    let hasLeft = false;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      socket.destroy();
    }, DEADLINE);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (leavesAfter === null || text.length < leavesAfter) return;
      hasLeft = true;
      socket.destroy();
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(isLate ? 'stalled' : hasLeft ? 'left' : outcomeOf(text));
    });
  });
}

function outcomeOf(text: string): Outcome {
  if (text.includes('"error"')) return text.includes(DONE.trim()) ? 'lied' : 'failed';
  const words = text.split('"word "').length - 1;
  return words === FRAMES && text.includes(DONE.trim()) ? 'whole' : 'lied';
}

type Tally = Map<Outcome, number>;

/** All streams at once. */
async function round(request: Buffer, tally: Tally): Promise<void> {
  const outcomes = await Promise.all(
    Array.from({ length: STREAMS }, (_, index) => stream(request, index % LEAVES === 0 ? 1000 : null)),
  );
  for (const outcome of outcomes) tally.set(outcome, (tally.get(outcome) ?? 0) + 1);
}

/** What is left once nothing is going on. */
async function atRest(sluice: RunningSluice): Promise<Held> {
  await sleep(REST * 1000);
  await collectGarbage(DEBUGGER);
  await sleep(1000);
  return heldBy(sluice);
}

type Measured = { before: Held; rounds: { height: Held; after: Held }[] };

async function measure(sluice: RunningSluice, request: Buffer, tally: Tally): Promise<Measured> {
  await collectGarbage(DEBUGGER);
  const before = await heldBy(sluice);
  const rounds: Measured['rounds'] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const height = await heldAtMost(sluice, round(request, tally));
    rounds.push({ height, after: await atRest(sluice) });
  }
  return { before, rounds };
}

/** Prints what was held when; answers whether it came back. */
function reportMemory({ before, rounds }: Measured): boolean {
  const line = (when: string, { rss, heap, sockets, handles }: Held) =>
    console.log(`| ${when} | ${rss.toFixed(1)} | ${heap.toFixed(1)} | ${sockets} | ${handles} |`);
  console.log('\n| when | RSS, MB | heap in use, MB | sockets | handles |\n|---|--:|--:|--:|--:|');
  line('before', before);
  for (const [index, { height, after }] of rounds.entries()) {
    line(`round ${index + 1}, at its height`, height);
    line(`${REST} s after round ${index + 1}`, after);
  }
  const [first, last] = [rounds[0]?.after ?? before, rounds.at(-1)?.after ?? before];
  const growth = (name: 'rss' | 'heap') => last[name] / first[name] - 1;
  const percent = (name: 'rss' | 'heap') => `${(100 * growth(name)).toFixed(1)} %`;
  console.log(`\nfrom the first end to the last: RSS ${percent('rss')}, heap ${percent('heap')}`);
  const isFlat = growth('rss') <= MOST_GROWTH && growth('heap') <= MOST_GROWTH;
  return isFlat && last.sockets <= first.sockets + SPARE_SOCKETS;
}

async function main(): Promise<void> {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const { port } = provider.address() as AddressInfo;
  const sluice = await startSluice(SLUICE, { flags: [`--inspect=127.0.0.1:${DEBUGGER}`] });
  try {
    const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'go' }], stream: true });
    const headers = {
      'x-gateway-api-key': sluice.workspaceKey,
      'x-gateway-provider': 'openai',
      'x-gateway-custom-host': `http://127.0.0.1:${port}/v1`,
      authorization: 'Bearer sk-chaos',
      connection: 'close',
    };
    const request = serialise(SLUICE, { path: '/v1/chat/completions', headers, body });
    const tally: Tally = new Map();
    const isBack = reportMemory(await measure(sluice, request, tally));
    await sleep(3000);
    const written = metricOf(await metricsOf(SLUICE), 'sluice_request_log_written');
    console.log(
      `\n${ROUNDS} rounds of ${STREAMS} streams at once: ${JSON.stringify(Object.fromEntries(tally))}`,
    );
    console.log(
      `records: ${written} of ${STREAMS * ROUNDS}; connections still open at the provider: ${open}`,
    );
    const isWhole = written === STREAMS * ROUNDS && open === 0 && !tally.has('lied') && !tally.has('stalled');
    if (!isBack || !isWhole) process.exitCode = 1;
  } finally {
    await sluice.stop();
    provider.close();
    provider.closeAllConnections();
  }
}

await main();
