import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, Route } from 'playwright-core';

/** What the graph has answered to the key screens, a line an answer, after a line with the time at which it did. */
const file = join(import.meta.dirname, 'answers.ndjson');

type Answer = { screen: string; operation: string; data: unknown };
type Recording = { at: string; answers: Answer[] };

/** With it the answers of the running service are written down, in place of being taken from the file. */
export const isRecording = process.env.RECORD_ANSWERS === '1';

const recording = isRecording ? { at: new Date().toISOString(), answers: [] } : read();

function read(): Recording {
  if (!existsSync(file)) throw new Error(`${file} is missing: RECORD_ANSWERS=1 writes it.`);
  const [head = '', ...lines] = readFileSync(file, 'utf8').trim().split('\n');
  const { at } = JSON.parse(head) as { at: string };
  return { at, answers: lines.map((line) => JSON.parse(line) as Answer) };
}

/** Runs in the page: a stream of which nothing comes, so that the page is live and stays as it is. */
const silence = `
  const ask = window.fetch;
  window.fetch = (input, init) => String(input).endsWith('/graphql/stream')
    ? Promise.resolve(new Response(new ReadableStream(), { headers: { 'content-type': 'text/event-stream' } }))
    : ask(input, init);
`;

export type Stage = {
  /** The answers from now on are those of a screen. */
  set(screen: string): void;
  /** What a screen has asked that nobody has written down. */
  missing(): string[];
};

/** Has a page show the same at any time: its clock stands still, and each of its questions has one answer. */
export async function stage(page: Page): Promise<Stage> {
  let screen = '';
  const missing: string[] = [];
  await page.clock.setFixedTime(recording.at);
  await page.addInitScript(silence);
  await page.route(/\/console\/graphql$/, async (route) => {
    const operation = (route.request().postDataJSON() as { operationName?: string }).operationName ?? '';
    const known = recording.answers.find((one) => one.screen === screen && one.operation === operation);
    if (known) return route.fulfill({ json: { data: known.data } });
    if (!isRecording) missing.push(`${screen}: ${operation}`);
    return isRecording ? write(route, screen, operation) : route.abort();
  });
  return {
    set(name) {
      screen = name;
    },
    missing: () => missing,
  };
}

async function write(route: Route, screen: string, operation: string): Promise<void> {
  const response = await route.fetch();
  const { data } = (await response.json()) as { data: unknown };
  recording.answers.push({ screen, operation, data });
  const lines = [{ at: recording.at }, ...recording.answers].map((line) => JSON.stringify(line));
  writeFileSync(file, `${lines.join('\n')}\n`);
  await route.fulfill({ json: { data } });
}
