import { type Browser, type BrowserContext, chromium as chrome, type Page } from 'playwright-core';
import { watchMutations, withoutEntry } from './mutations.ts';
import { watchSecrets } from './secrets.ts';
import { chromium, linkFor, url } from './service.ts';
import { type Trouble, watch } from './trouble.ts';

/** Milliseconds within which what a test waits for has to come, on a machine that has other work. */
export const PATIENCE = 45_000;

export const wide = { width: 1440, height: 900 };
export const narrow = { width: 390, height: 844 };

export type Theme = 'light' | 'dark';

/** A person with a browser of their own. */
export type Visitor = {
  page: Page;
  /** What went wrong on the page; the test says in the end that nothing did. */
  trouble: Trouble;
  /** Opens an address below `/console/`, and waits for its title. */
  open(path: string, title: string | RegExp): Promise<void>;
  /** Throws where a change has left no entry in the audit trail, or a secret is left in the browser. */
  leave(): Promise<void>;
};

let browser: Promise<Browser> | null = null;

const launch = () =>
  chrome.launch({
    executablePath: chromium,
    // The sandbox needs rights that containers do not give; every page here is our own.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--font-render-hinting=none'],
  });

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = null;
}

type VisitorOptions = {
  /** Signs in with a person's link, with a key, or as a service account; null stays outside. */
  as:
    | { email: string }
    | { link: string }
    | { key: string }
    | { client_id: string; client_secret: string }
    | null;
  /** Where the service is that the page may ask; the one that all tests share unless given. */
  at?: string;
  size?: { width: number; height: number };
  theme?: Theme;
};

/** A browser in which somebody is signed in. */
export async function visit({
  as,
  at = url,
  size = wide,
  theme = 'light',
}: VisitorOptions): Promise<Visitor> {
  browser ??= launch();
  const context = await (await browser).newContext({
    viewport: size,
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
  });
  context.setDefaultTimeout(PATIENCE);
  if (as) await signIn(context, at, 'email' in as ? { link: await linkFor(as.email) } : as);
  const page = await context.newPage();
  const trouble = await watch(page, at);
  const mutations = watchMutations(page);
  const secrets = await watchSecrets(page, at);
  return {
    page,
    trouble,
    async open(path, title) {
      await page.goto(`${at}/console/${path}`);
      await page.getByRole('heading', { level: 1, name: title }).waitFor();
    },
    async leave() {
      const wrong = [...(await secrets.left()), ...(await withoutEntry(mutations))];
      await context.close();
      if (wrong.length > 0) throw new Error(wrong.join('\n'));
    },
  };
}

async function signIn(context: BrowserContext, at: string, shown: object): Promise<void> {
  const response = await context.request.post(`${at}/console/sign-in`, {
    headers: { 'sec-fetch-site': 'same-origin' },
    data: shown,
  });
  if (!response.ok()) throw new Error(`No sign-in: ${response.status()} ${await response.text()}`);
}
