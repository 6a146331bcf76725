import type { BrowserContext, CDPSession, Page } from 'playwright-core';

const RATE = 1000;
/** Milliseconds after which the page holds as many rows as it ever does. */
const SETTLED = 10_000;
const BETWEEN = 400;
const MEGABYTE = 1_000_000;
/** Milliseconds of an interaction that the browser does not tell of. */
const QUICK = 16;

const watching = `
  window.interactions = [];
  new PerformanceObserver((found) => found.getEntries().forEach(({ interactionId, duration }) =>
    interactionId && interactions.push(duration))).observe({ type: 'event', durationThreshold: 16 });
`;

type Given = {
  /** Logs that the page knows of when it is opened. */
  known: number;
  seconds: number;
  feed(rate: number): Promise<{ stored: number; took: number }>;
};

/** Works on the page of logs while logs arrive. */
export async function measureTail(context: BrowserContext, address: string, { known, seconds, feed }: Given) {
  const page = await context.newPage();
  await page.addInitScript(watching);
  await page.goto(address);
  await page.getByText('Live', { exact: true }).first().waitFor();
  await page.getByRole('grid', { name: 'Logs' }).getByRole('row').nth(3).waitFor();
  const devtools = await context.newCDPSession(page);
  const fed = feed(RATE);
  const endsAt = Date.now() + seconds * 1000;
  const settledAt = Date.now() + SETTLED;
  let early: number | null = null;
  while (Date.now() < endsAt) {
    await work(page);
    if (early === null && Date.now() > settledAt) early = await heapOf(devtools);
  }
  const { stored, took } = await fed;
  // The last ones are drawn a quarter of a second later, and some more on a busy machine.
  await page.waitForTimeout(3000);
  const counted = await countOn(page);
  const interactions = ((await page.evaluate('interactions')) as number[]).sort((a, b) => a - b);
  const heap = await heapOf(devtools);
  await page.close();
  return {
    rate: Math.round(stored / took),
    interaction: interactions[Math.floor(interactions.length * 0.98)] ?? QUICK,
    heap,
    growth: heap - (early ?? heap),
    uncounted: known + stored - counted,
  };
}

/** A row is opened, the next one too, and the list is looked at again. */
async function work(page: Page): Promise<void> {
  for (const key of ['j', 'j', 'Escape']) {
    await page.keyboard.press(key);
    await page.waitForTimeout(BETWEEN);
  }
}

/** MB that are in use after what is not has been collected. */
async function heapOf(devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  return usedSize / MEGABYTE;
}

/** Requests, as the chart above the list counts them. */
async function countOn(page: Page): Promise<number> {
  const title = await page
    .getByText(/requests over the time/)
    .first()
    .textContent();
  return Number(/([\d,]+) requests/.exec(title ?? '')?.[1]?.replaceAll(',', ''));
}
