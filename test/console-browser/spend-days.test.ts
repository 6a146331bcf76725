import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { costOf, dollars, logsOf } from './support/logs.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

const DAY_MS = 24 * 3_600_000;
/** Days of the past, to which no other test adds, from noon to noon. */
const noon = (Math.floor(Date.now() / DAY_MS) + 0.5) * DAY_MS;
const within = {
  from: new Date(noon - 20 * DAY_MS).toISOString(),
  to: new Date(noon - 3 * DAY_MS).toISOString(),
};

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

const spent = () => ada.page.getByText(/: \$.*; .* is \d/);
const spentDollars = async () => dollars(/\$[\d.,]*\d/.exec(await spent().innerText())?.[0]);

/** Opens the days, and chooses the second bar of the chart, a whole day; answers its edges as the address then has them. */
async function secondDay(): Promise<{ from: string; to: string }> {
  const { page, open } = ada;
  await open(`_/spend?${new URLSearchParams(within)}`, 'Spend');
  const plot = page.getByRole('figure', { name: /^Cost over the time/ }).locator('svg');
  const box = await plot.boundingBox();
  const bars = await plot.locator('g').count();
  await plot.click({
    position: { x: ((box?.width ?? 0) * 1.5) / bars, y: (box?.height ?? 0) / 2 },
    // Over the bars lies what shows their values.
    force: true,
  });
  await page.waitForURL((url) => url.searchParams.get('from') !== within.from);
  const { searchParams } = new URL(page.url());
  return { from: searchParams.get('from') ?? '', to: searchParams.get('to') ?? '' };
}

/** The hour of a moment on the clocks of a place. */
const hourAt = (moment: string, timeZone: string) =>
  new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(moment));

it('days begin and end at midnight of the zone, and another zone moves their edges', async () => {
  const { page } = ada;
  const berlin = await secondDay();
  expect([hourAt(berlin.from, 'Europe/Berlin'), hourAt(berlin.to, 'Europe/Berlin')]).toEqual([
    '00:00',
    '00:00',
  ]);
  expect(hourAt(berlin.from, 'UTC')).not.toBe('00:00');
  const ofBerlin = costOf(await logsOf(berlin));
  await eventually(async () => expect(await spentDollars()).toBeCloseTo(ofBerlin, 2), PATIENCE);

  await page.getByRole('button', { name: 'Times are in Europe/Berlin; switch to UTC' }).click();
  await page.getByRole('button', { name: 'Times are in UTC; switch to local time' }).waitFor();
  const utc = await secondDay();
  expect([hourAt(utc.from, 'UTC'), hourAt(utc.to, 'UTC')]).toEqual(['00:00', '00:00']);
  const ofUtc = costOf(await logsOf(utc));
  expect(ofUtc).not.toBeCloseTo(ofBerlin, 2);
  await eventually(async () => expect(await spentDollars()).toBeCloseTo(ofUtc, 2), PATIENCE);
});

it('nothing of that was in trouble', () => {
  expect(ada.trouble.seen()).toEqual([]);
});
