import type { Page, Response } from 'playwright-core';

const SECRET = /sl-[\w-]{43}/g;

export type Secrets = {
  /** Leaves the page, and names the places where a secret still is that was shown or typed in; a line each. */
  left(): Promise<string[]>;
};

/** Runs in the page: tells what is typed where nobody is to read along. */
const telling = `addEventListener('input', ({ target }) =>
  target instanceof HTMLInputElement && target.type === 'password' && tellSecret(target.value), true)`;

/** Shorter texts stand on pages by chance. */
const MIN_LENGTH = 8;

/** All that a browser may keep of a page. */
const kept =
  'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + JSON.stringify(history.state)';

/** What a page has said to others and heard from them. */
type Said = {
  /** Lines of the browser's console, and addresses: no secret may ever be in one. */
  open: string[];
  /** Bodies of requests, but for those by which somebody signs in. */
  sent: string[];
  heard: string[];
};

/** Collects the secrets that a page of the console at an address is shown, and what it says to others. */
export async function watchSecrets(page: Page, at: string): Promise<Secrets> {
  const typed = new Set<string>();
  const said: Said = { open: [], sent: [], heard: [] };
  const reading: Promise<unknown>[] = [];
  page.on('console', (message) => said.open.push(`console: ${message.text()}`));
  page.on('framenavigated', (frame) => said.open.push(`history: ${frame.url()}`));
  page.on('request', (request) => {
    said.open.push(`address: ${request.url()}`);
    if (request.url() !== `${at}/console/sign-in`) said.sent.push(`request: ${request.postData() ?? ''}`);
  });
  page.on('response', (response) => void reading.push(hear(response, at, said)));
  await page.exposeFunction('tellSecret', (text: string) => {
    if (text.length >= MIN_LENGTH) typed.add(text);
  });
  await page.addInitScript(telling);
  return {
    async left() {
      await Promise.all(reading);
      const shown = new Set(said.heard.flatMap((answer) => answer.match(SECRET) ?? []));
      if (shown.size + typed.size === 0) return [];
      const before = { sent: said.sent.length, heard: said.heard.length };
      await leavePage(page, at);
      await Promise.all(reading);
      const later = [...said.sent.slice(before.sent), ...said.heard.slice(before.heard)];
      const places = [...said.open, ...later, `page: ${(await page.evaluate(kept)) as string}`];
      return [
        ...placesOf([...shown, ...typed], places),
        // One answer shows a secret, and nobody sends it back; what somebody has typed in is sent, and is in no answer.
        ...placesOf([...shown], said.sent),
        ...[...shown].flatMap((secret) => placesOf([secret], said.heard).slice(1)),
        ...placesOf([...typed], said.heard),
      ];
    },
  };
}

const placesOf = (secrets: readonly string[], places: readonly string[]): string[] =>
  places
    .filter((place) => secrets.some((secret) => place.includes(secret)))
    .map((place) => `A secret is still in ${place.slice(0, 120)}`);

/** Notes an answer of the graph, or of the door for inference; streams end with the page. */
async function hear(response: Response, at: string, { heard }: Said): Promise<void> {
  const isAnswer =
    response.url().startsWith(`${at}/console/graphql`) || response.url().startsWith(`${at}/console/v1`);
  if (!isAnswer || !(response.headers()['content-type'] ?? '').includes('json')) return;
  try {
    heard.push(`answer: ${await response.text()}`);
  } catch {
    // The page was left before the answer was read.
  }
}

/** To another page of the console by its keys, so that what the program holds in memory stays. */
async function leavePage(page: Page, at: string): Promise<void> {
  const isIn = (await page.getByRole('link', { name: 'Spend', includeHidden: true }).count()) > 0;
  if (!isIn) return void (await page.goto(`${at}/console/_/spend`));
  for (let layer = 0; layer < 3; layer++) await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement?.blur()');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page
    .getByRole('heading', { level: 1, name: 'Spend' })
    .waitFor({ timeout: 10_000 })
    .catch(() => page.goto(`${at}/console/_/spend`));
}
