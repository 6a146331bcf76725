// How much later the first word of a streamed answer comes with a guardrail on it: `npm run bench:first-word`.
//
// A model that says five characters every five milliseconds. What it has said when the caller hears the first word is what the
// gateway holds back, and at the pace of a real model it is most of the delay.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { median } from '../compare.ts';
import { startSluice } from '../processes.ts';

const PORT = 18_191;
const ROUNDS = 15;
const FRAMES = 300;
const WORD = 'word ';
/** Characters that a model says in a second: fifty tokens. */
const PACE = 200;

const words = Array.from({ length: 200 }, (_, index) => `forbidden${index}`);
type Row = { name: string; checks: { id: string; parameters: object }[]; stream: string };
const row = (id: string, parameters: object = {}, stream = 'window'): Row => ({
  name: `${id}, ${stream}`,
  checks: [{ id, parameters }],
  stream,
});
const contains = { words, operator: 'none' };
const pii = { categories: ['EMAIL_ADDRESS', 'CREDIT_CARD', 'SSN', 'IP_ADDRESS', 'PHONE_NUMBER', 'IBAN'] };
const rule = '\\b(?:secret|internal)-\\d{4}\\b';
const rows: Row[] = [
  row('default.contains', contains),
  row('default.regexMatch', { rule, not: true }),
  row('default.regexReplace', { rule }),
  row('gateway.pii', pii),
  row('gateway.secrets'),
  row('gateway.promptInjectionHeuristic', {}, 'hold'),
  {
    name: 'the first five together, window',
    stream: 'window',
    checks: [
      { id: 'default.contains', parameters: contains },
      { id: 'default.regexMatch', parameters: { rule, not: true } },
      { id: 'default.regexReplace', parameters: { rule } },
      { id: 'gateway.pii', parameters: pii },
      { id: 'gateway.secrets', parameters: {} },
    ],
  },
  row('default.contains', contains, 'hold'),
  row('default.contains', contains, 'report'),
];

let said = 0;
const frame = `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: WORD } }] })}\n\n`;
const model = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  said = 0;
  const timer = setInterval(() => {
    if (response.destroyed) return clearInterval(timer);
    response.write(frame);
    said += WORD.length;
    if (said < FRAMES * WORD.length) return;
    clearInterval(timer);
    response.end('data: [DONE]\n\n');
  }, 5);
});
await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
const custom_host = `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`;
const sluice = await startSluice(PORT);
const headers = { 'x-gateway-api-key': sluice.workspaceKey, 'content-type': 'application/json' };

async function write(path: string, body: object): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1${path}`, {
    ...{ method: 'POST', headers },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
}

/** Milliseconds until the first word, and the characters that the model had said by then. */
async function firstWord(guardrail: string | null): Promise<{ ms: number; held: number }> {
  const config = {
    ...{ provider: 'openai', api_key: 'sk-bench', custom_host },
    ...(guardrail !== null && { output_guardrails: [guardrail] }),
  };
  const abort = new AbortController();
  const began = performance.now();
  const answer = await fetch(`http://127.0.0.1:${PORT}/v1/chat/completions`, {
    ...{ method: 'POST', signal: abort.signal },
    headers: { ...headers, 'x-gateway-config': JSON.stringify(config) },
    body: JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'go' }] }),
  });
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`The call answered ${answer.status}: ${await answer.text()}`);
  let text = '';
  for await (const chunk of answer.body) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('"content":"')) break;
  }
  abort.abort();
  return { ms: performance.now() - began, held: said };
}

async function measured(guardrail: string | null): Promise<{ ms: number; held: number }> {
  const rounds: { ms: number; held: number }[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await firstWord(guardrail));
  return { ms: median(rounds.map(({ ms }) => ms)), held: median(rounds.map(({ held }) => held)) };
}

try {
  await measured(null);
  const plain = await measured(null);
  console.log(
    '| guardrail | first word | characters held back | at fifty tokens a second |\n|---|--:|--:|--:|',
  );
  console.log(`| none | ${plain.ms.toFixed(1)} ms | 0 | |`);
  for (const [index, { name, checks, stream }] of rows.entries()) {
    const slug = `first-word-${index}`;
    await write('/guardrails', { name: slug, slug, checks, actions: { deny: stream !== 'report', stream } });
    const { ms, held } = await measured(slug);
    const more = Math.max(0, held - plain.held);
    console.log(
      `| ${name} | ${ms.toFixed(1)} ms | ${more} | ${((more / PACE) * 1000).toFixed(0)} ms later |`,
    );
  }
} finally {
  await sluice.stop();
  model.closeAllConnections();
  model.close();
}
