import type { Page } from 'playwright-core';
import { url } from './service.ts';

const SECRET = /sl-[\w-]{43}/g;

export type Secrets = {
  /** Leaves the page, and names the places where a secret still is that was shown or typed in; a line each. */
  left(): Promise<string[]>;
};

/** All that a browser may keep of a page. */
const kept =
  'document.documentElement.outerHTML + JSON.stringify({ ...localStorage, ...sessionStorage }) + location.href + JSON.stringify(history.state)';

/** Collects the secrets that a page is shown, and what it says to others. */
export function watchSecrets(page: Page): Secrets {
  const secrets = new Set<string>();
  const said: string[] = [];
  const reading: Promise<void>[] = [];
  page.on('console', (message) => said.push(`console: ${message.text()}`));
  page.on('request', (request) => said.push(`address: ${request.url()}`));
  page.on('response', (response) => {
    if (response.url() !== `${url}/console/graphql`) return;
    const read = response.text().then(
      (text) => {
        for (const [secret] of text.matchAll(SECRET)) secrets.add(secret);
      },
      // The page was left before the answer was read.
      () => {},
    );
    reading.push(read);
  });
  return {
    async left() {
      await Promise.all(reading);
      if (secrets.size === 0) return [];
      await leavePage(page);
      const places = [...said, `page: ${(await page.evaluate(kept)) as string}`];
      return places
        .filter((place) => [...secrets].some((secret) => place.includes(secret)))
        .map((place) => `A secret is still in ${place.slice(0, 120)}`);
    },
  };
}

/** To another page of the console by its keys, so that what the program holds in memory stays. */
async function leavePage(page: Page): Promise<void> {
  for (let layer = 0; layer < 3; layer++) await page.keyboard.press('Escape');
  await page.evaluate('document.activeElement?.blur()');
  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await page
    .getByRole('heading', { level: 1, name: 'Spend' })
    .waitFor({ timeout: 10_000 })
    .catch(() => page.goto(`${url}/console/_/spend`));
}
