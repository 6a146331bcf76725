import type { BrowserContext } from 'playwright-core';

/** Runs before the page: notes what the browser says of its paints, tasks and shifts. */
const watching = `
  window.seen = { paints: [], tasks: [], shifts: [] };
  const note = (type, list, of) => new PerformanceObserver((found) =>
    found.getEntries().forEach((entry) => list.push(of(entry)))).observe({ type, buffered: true });
  note('largest-contentful-paint', seen.paints, ({ startTime }) => startTime);
  note('longtask', seen.tasks, ({ duration }) => duration);
  note('layout-shift', seen.shifts, ({ value, hadRecentInput }) => hadRecentInput ? 0 : value);
`;

type Seen = { paints: number[]; tasks: number[]; shifts: number[] };

/** Milliseconds of a task in which nobody notices that the page does not answer. */
const UNNOTICED = 50;
const MEGABIT = 125_000;

/** Opens a page for the first time, on a processor four times as slow and a line of 10 Mbit/s and 40 ms. */
export async function measureLoad(context: BrowserContext, address: string) {
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true });
  await devtools.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 40,
    downloadThroughput: 10 * MEGABIT,
    uploadThroughput: 10 * MEGABIT,
  });
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(watching);
  let asked = 0;
  page.on('request', (request) => {
    if (/\/console\/graphql/.test(request.url())) asked++;
  });
  // Whoever looks for the sentence meanwhile takes time of the page.
  const answered = page.waitForResponse(
    (response) => response.request().postData()?.includes('"Home"') ?? false,
  );
  await page.goto(address);
  await answered;
  // What the browser tells of a paint comes after it.
  await page.waitForTimeout(2000);
  // Before anything looks for the sentence: what looks is a script in the page, whose task is none of the page's own.
  const { paints, tasks, shifts } = (await page.evaluate('seen')) as Seen;
  await page.getByText(/requests, .* errors/).waitFor();
  await page.close();
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0);
  return {
    largestPaint: paints.at(-1) ?? Number.NaN,
    blocked: sum(tasks.map((duration) => Math.max(0, duration - UNNOTICED))),
    shift: sum(shifts),
    asked,
  };
}
