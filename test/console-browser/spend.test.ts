import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { barriersOn } from './support/axe.ts';
import { costOf, dollars, logsOf } from './support/logs.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const DAY_MS = 24 * 3_600_000;
/** Whole days of the past, so that no other test adds to them, and sums know them without a log. */
const today = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const within = {
  from: new Date(today - 20 * DAY_MS).toISOString(),
  to: new Date(today - 3 * DAY_MS - 1).toISOString(),
};
const address = `_/spend?${new URLSearchParams(within)}`;

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

/** The lines of the file that the button gives. */
async function csv(): Promise<string[][]> {
  const [download] = await Promise.all([
    ada.page.waitForEvent('download'),
    ada.page.getByRole('button', { name: 'CSV', exact: true }).click(),
  ]);
  const text = await readFile(await download.path(), 'utf8');
  return text
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','));
}

it('the sum that is shown is that of the logs, and of the rows, on the page and in the file', async () => {
  const { page, open } = ada;
  const logs = await logsOf(within);
  const whole = costOf(logs);
  expect(logs.length).toBeGreaterThan(500);
  await open(address, 'Spend');
  const answer = await page.getByText(/: \$.*; .* is \d/).innerText();
  expect(dollars(/\$[\d.,]*\d/.exec(answer)?.[0])).toBeCloseTo(whole, 1);

  const rows = await csv();
  expect(rows.reduce((sum, [, cost]) => sum + Number(cost), 0)).toBeCloseTo(whole, 2);
  expect(rows.reduce((sum, [, , , requests]) => sum + Number(requests), 0)).toBe(logs.length);
  const table = page.getByRole('region', { name: 'Cost by model' });
  expect(rows.length).toBe((await table.getByRole('row').count()) - 1);
  for (const [name = '', cost] of rows) {
    const line = table.getByRole('row').filter({ has: page.getByRole('cell', { name, exact: true }) });
    const shown = await line.getByRole('cell').nth(2).innerText();
    if (!shown.startsWith('unknown')) expect(dollars(shown)).toBeCloseTo(Number(cost), 1);
  }
  expect(await barriersOn(page)).toEqual([]);
});

it('a row leads to the logs that make it', async () => {
  const { page, open } = ada;
  await open(address, 'Spend');
  const [most] = await csv();
  const model = most?.[0] ?? '';
  await page
    .getByRole('region', { name: 'Cost by model' })
    .getByRole('cell', { name: model, exact: true })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  const { searchParams } = new URL(page.url());
  expect(searchParams.get('from')).toBe(within.from);
  expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toContain(model);
  await page.getByText(new RegExp(`${Number(most?.[3]).toLocaleString('en')} requests`)).waitFor();
});

it('a row whose logs cannot be asked for is no button, and a workspace leads to its own', async () => {
  const { page, open } = ada;
  await open(`${address}&by=prompt`, 'Spend');
  const byPrompt = page.getByRole('region', { name: 'Cost by prompt' });
  await byPrompt.getByRole('cell', { name: 'none', exact: true }).click();
  expect(await byPrompt.getByRole('button').count()).toBe(0);
  expect(page.url()).toContain('/_/spend');

  await open(`${address}&by=workspace`, 'Spend');
  await page
    .getByRole('region', { name: 'Cost by workspace' })
    .getByRole('button', { name: 'search', exact: true })
    .click();
  await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/\/search\/logs$/);
});

const course = () => ada.page.getByRole('figure', { name: /^Cost over the time/ });

it('the figures of the chart are a table too, for keys and for other programs', async () => {
  const { page, open } = ada;
  await open(address, 'Spend');
  const button = course().getByRole('button', { name: 'Table', exact: true });
  expect(await button.getAttribute('aria-expanded')).toBe('false');
  await button.focus();
  await page.keyboard.press('Enter');
  expect(await button.getAttribute('aria-expanded')).toBe('true');
  const table = course().getByRole('region', { name: /^Cost over the time/ });
  expect(await button.getAttribute('aria-controls')).toBe(await table.locator('..').getAttribute('id'));
  await page.keyboard.press('Tab');
  expect(await table.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
  const days = await table.getByRole('rowheader').count();
  expect(days).toBe(await course().locator('svg > g').count());
  const cells = await table.getByRole('cell').allInnerTexts();
  const whole = costOf(await logsOf(within));
  expect(cells.reduce((sum, text) => sum + dollars(text), 0)).toBeCloseTo(whole, 0);
  expect(await barriersOn(page)).toEqual([]);

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await course().getByRole('button', { name: 'Copy as CSV', exact: true }).click();
  await course().getByRole('button', { name: 'Copied', exact: true }).waitFor();
  const lines = ((await page.evaluate('navigator.clipboard.readText()')) as string).trim().split('\n');
  expect(lines).toHaveLength(days + 1);
  expect(lines[0]).toMatch(/^time,/);
});

it('the day that runs is hatched, and the month goes on as until now', async () => {
  const { page, open } = ada;
  const hatched = course().locator('svg rect[fill^="url("]');
  await open(address, 'Spend');
  await course().waitFor();
  expect(await hatched.count()).toBe(0);
  expect(await page.getByText(/by its end at this pace/).count()).toBe(0);

  await open('_/spend', 'Spend');
  await course()
    .getByText(/, so far$/)
    .first()
    .waitFor();
  await course().getByRole('button', { name: 'Table', exact: true }).click();
  const today = course().getByRole('row').last();
  expect(await today.getByRole('rowheader').innerText()).toMatch(/, so far$/);
  const figures = await today.getByRole('cell').allInnerTexts();
  // Each part of the bar has its hatches; in the first minutes of a day there may be none.
  expect(await hatched.count()).toBe(figures.filter((text) => dollars(text) > 0).length);
  const now = new Date();
  const length = new Date(now.getFullYear(), now.getMonth() + 1, 0).getDate();
  const elapsed = now.getDate() - 1 + now.getHours() / 24;
  // Of the first day of a month nothing can be told; the zones of the browser and of this test differ by hours.
  if (elapsed < 1.5) return;
  const said = await page.getByText(/by its end at this pace/).innerText();
  const [, soFar, forecast] = /so far: (\$[\d.,]+), and (\$[\d.,]+) by its end/.exec(said) ?? [];
  expect(dollars(soFar)).toBeGreaterThan(0);
  expect(dollars(forecast) / dollars(soFar)).toBeCloseTo(length / elapsed, elapsed < 5 ? 0 : 1);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
