import type { BrowserContext } from 'playwright-core';

/** Columns that the playground has at most, and how each answers: a word every 50 milliseconds. */
const COLUMNS = ['A', 'B', 'C', 'D'];
const MODEL = '@mock/mock-slow-50';
const WORDS = 200;
/** For all four answers, on a machine that has other work. */
const PATIENCE_MS = 90_000;

/** Runs before the page: notes frames for which the page has worked longer than 50 milliseconds; the browser tells of no others. */
const watching = `
  window.longFrames = [];
  new PerformanceObserver((found) => found.getEntries().forEach(({ startTime, duration }) =>
    longFrames.push({ startTime, duration }))).observe({ type: 'long-animation-frame' });
`;

/** Has four models answer at once, and says how long the longest frame took in milliseconds; 0 where none took 50. */
export async function measurePlayground(context: BrowserContext, address: string): Promise<number> {
  const page = await context.newPage();
  page.setDefaultTimeout(PATIENCE_MS);
  await page.addInitScript(watching);
  await page.goto(address);
  for (const column of COLUMNS) {
    if (column !== 'A') await page.getByRole('button', { name: 'Compare with another' }).click();
    await page.getByRole('combobox', { name: `Model of ${column}` }).fill(MODEL);
  }
  await page.getByLabel('Prompt', { exact: true }).fill(`/long ${WORDS}`);
  await page.getByRole('button', { name: 'Run', exact: true }).click();
  for (const column of COLUMNS) await page.getByRole('region', { name: `answer of ${column}` }).waitFor();
  // What is drawn before the first words is the page, not the stream.
  const since = (await page.evaluate('performance.now()')) as number;
  await page
    .getByRole('link', { name: 'Log', exact: true })
    .nth(COLUMNS.length - 1)
    .waitFor();
  const frames = (await page.evaluate('longFrames')) as { startTime: number; duration: number }[];
  const answers = page.getByRole('region', { name: /^answer of / });
  const whole = (await answers.allInnerTexts()).filter((text) => text.includes(`word${WORDS}`));
  if (whole.length !== COLUMNS.length)
    throw new Error(`${whole.length} of ${COLUMNS.length} answers are whole.`);
  await page.close();
  return Math.max(0, ...frames.filter(({ startTime }) => startTime >= since).map(({ duration }) => duration));
}
