import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../../seeds/demo/people.ts';
import { ask } from '../support/service.ts';
import { closeBrowser, type Visitor, visit } from '../support/visitor.ts';

const DAY_MS = 24 * 3_600_000;
/** Whole days of the past, to which no other test adds. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const from = new Date(today - 20 * DAY_MS).toISOString();
const to = new Date(today - 3 * DAY_MS - 1).toISOString();
const within = new URLSearchParams({ from, to });

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const row = () => ada.page.getByRole('grid', { name: 'Logs' }).getByRole('row').nth(1);
const paramOf = (url: URL, name: string) => url.searchParams.get(name) ?? '';

it('a pasted id of a log opens it, however long ago it was, and one of a trace finds its logs', async () => {
  const { page, open } = ada;
  const { logHistory } = await ask<{ logHistory: { data: { id: string; traceId: string }[] } }>(
    'query ($filters: LogFilters) { logHistory(filters: $filters, limit: 1) { data { id traceId } } }',
    { filters: { timeOfGenerationMax: to } },
  );
  const [old] = logHistory.data;
  const paste = async (text = '', option: RegExp) => {
    await open('_/logs?range=1h', 'Logs');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /Search pages/ }).fill(text);
    await page.getByRole('option', { name: option }).click();
  };
  await paste(old?.id, /^Log /);
  await page.waitForURL(`**/logs/${old?.id}`);
  await page.getByRole('article').waitFor();
  await paste(old?.traceId, /^Logs of the trace/);
  await page.waitForURL((url) => paramOf(url, 'q') === `trace:${old?.traceId}`);
  await row().waitFor();
});

it('a click on a value narrows the list to it, and one with shift leaves it out', async () => {
  const { page, open } = ada;
  const model = () => row().getByTitle(/^Only model /);
  await open(`search/logs?${within}`, 'Logs');
  const first = (await model().innerText()).trim();
  await model().click();
  await page.waitForURL((url) => paramOf(url, 'q').includes(first) && paramOf(url, 'q').startsWith('model:'));
  await open(`search/logs?${within}`, 'Logs');
  await model().click({ modifiers: ['Shift'] });
  await page.waitForURL((url) => paramOf(url, 'q').startsWith('-model:'));
  await row()
    .getByTitle(/^Only model /)
    .filter({ hasNotText: first })
    .waitFor();
});

it('a drag over the chart chooses that time, and the way back leads to the one before', async () => {
  const { page, open } = ada;
  await open(`search/logs?${within}`, 'Logs');
  const chart = page
    .getByRole('figure', { name: /over the time/ })
    .locator('svg')
    .first();
  const box = await chart.boundingBox();
  if (!box) throw new Error('The chart is nowhere.');
  const at = (share: number) => [box.x + box.width * share, box.y + box.height / 2] as const;
  await page.mouse.move(...at(0.3));
  await page.mouse.down();
  await page.mouse.move(...at(0.5), { steps: 4 });
  await page.mouse.up();
  await page.waitForURL((url) => paramOf(url, 'from') > from && paramOf(url, 'to') < to);
  await row().waitFor();
  await page.goBack();
  await page.waitForURL((url) => paramOf(url, 'from') === from);
});

it('the columns that are chosen are in the address, and a colleague sees the same', async () => {
  const { page, open } = ada;
  await open(`search/logs?${within}`, 'Logs');
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('dialog', { name: 'Columns' }).getByLabel('cost').uncheck();
  await page.waitForURL(
    (url) => paramOf(url, 'cols') !== '' && !paramOf(url, 'cols').split(',').includes('cost'),
  );
  await page.keyboard.press('Escape');
  const colleague = await visit({ as: owner });
  await colleague.page.goto(page.url());
  const headers = colleague.page.getByRole('grid', { name: 'Logs' }).getByRole('columnheader');
  await headers.filter({ hasText: /^model$/i }).waitFor();
  expect(await headers.filter({ hasText: /^cost$/i }).count()).toBe(0);
  expect(colleague.trouble.seen()).toEqual([]);
  await colleague.leave();
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
