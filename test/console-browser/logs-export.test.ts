import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const DAY_MS = 24 * 3_600_000;
/** Whole days of the past, to which no other test adds. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const within = new URLSearchParams({
  from: new Date(today - 20 * DAY_MS).toISOString(),
  to: new Date(today - 3 * DAY_MS - 1).toISOString(),
});

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const opener = () => ada.page.getByRole('button', { name: 'Export', exact: true });

type Line = { id: string; ai_model: string; response_status_code: number; request?: object };

/** Exports what the list shows; answers the lines of the file, and the requests that the page counts. */
async function exported(filter: string): Promise<{ lines: Line[]; counted: number }> {
  const { page, open } = ada;
  await open(`search/logs?${within}&q=${encodeURIComponent(filter)}`, 'Logs');
  const title = page.getByText(/requests? over the time/);
  // A filter that the sums do not know waits for a click.
  const draw = page.getByRole('button', { name: 'Draw it' });
  await title.or(draw).waitFor();
  if (await draw.isVisible()) await draw.click();
  const [, shown] = /^([\d,]+) request/.exec(await title.innerText()) ?? [];
  await opener().click();
  const dialog = page.getByRole('dialog', { name: 'Export logs' });
  await dialog.getByRole('button', { name: 'Export', exact: true }).click();
  const file = dialog.getByRole('link', { name: /^Download [\d,]+ lines?$/ });
  await file.waitFor();
  expect(await barriersOn(page)).toEqual([]);
  const [download] = await Promise.all([page.waitForEvent('download'), file.click()]);
  const text = await readFile(await download.path(), 'utf8');
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  return { lines, counted: Number(shown?.replaceAll(',', '')) };
}

it('an export has as many lines as the page counts requests, each log once', async () => {
  const { lines, counted } = await exported('');
  expect(counted).toBeGreaterThan(200);
  expect(lines.length).toBe(counted);
  expect(new Set(lines.map(({ id }) => id)).size).toBe(counted);
  expect(lines[0]?.request).toBeUndefined();
});

it('so has one under a filter, and it has no others', async () => {
  const { lines, counted } = await exported('model:gpt-4o status:200,429');
  expect(counted).toBeGreaterThan(20);
  expect(lines.length).toBe(counted);
  expect([...new Set(lines.map((line) => line.ai_model))]).toEqual(['gpt-4o']);
  expect(lines.every((line) => [200, 429].includes(line.response_status_code))).toBe(true);
});

it.each([
  ['a key', 'key:search-api'],
  ['a path', 'path:chatComplete'],
  ['a status of the cache', 'cache:hit'],
  ['words', 'status:4xx "provider answered 429"'],
])('so has one by %s', async (_what, filter) => {
  const { lines, counted } = await exported(filter);
  expect(counted).toBeGreaterThan(0);
  expect(lines.length).toBe(counted);
});

it('an export is of one workspace, and the button says so', async () => {
  await ada.open(`_/logs?${within}`, 'Logs');
  expect(await opener().getAttribute('title')).toBe('An export is of one workspace: choose one.');
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
