import type { Page } from 'playwright-core';

type Opened = {
  as: string;
  /** What stands behind the address of the page. */
  query?: string;
  /** Where there is something to open, if that is not where the page is shown. */
  workspace?: string;
  open(page: Page): Promise<void>;
};

/** Opens what has a page of its own, by its name in the list. */
async function openDetail(page: Page, name: string): Promise<void> {
  await page.getByText(name, { exact: true }).first().click();
  await page.getByRole('heading', { level: 1, name }).waitFor();
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
}

/** The assistant that is there to be opened. */
export const lockKeeper = 'Lock keeper';

/** What a page shows once something on it was opened, by the path of the page. */
export const opened: Readonly<Record<string, Opened>> = {
  logs: {
    as: 'log',
    query: '?q=meta.team:appearance',
    async open(page) {
      await page.getByRole('grid', { name: 'Logs' }).getByText('mock-1').first().waitFor();
      await page.keyboard.press('j');
      await page.getByRole('article').getByText('Why is a lock gate bent?').first().waitFor();
    },
  },
  keys: { as: 'key', open: (page) => openDetail(page, 'search-api') },
  mcp: { as: 'mcp-server', open: (page) => openDetail(page, 'Search tools') },
  guardrails: { as: 'guardrail', open: (page) => openDetail(page, 'No passwords') },
  providers: { as: 'provider', open: (page) => openDetail(page, 'OpenAI, main account') },
  limits: { as: 'limit', open: (page) => openDetail(page, 'Search, a month') },
  assistants: {
    as: 'assistant',
    workspace: 'search',
    async open(page) {
      await openDetail(page, lockKeeper);
      await page.getByLabel('Begin a thread').fill('How high is the water?');
      await page.getByRole('button', { name: 'Send', exact: true }).click();
      await page.getByText('wrote a message').waitFor();
      await page.getByText('completed').first().waitFor();
    },
  },
  configs: {
    as: 'config',
    async open(page) {
      await page.getByText('Search, cheap answers').first().click();
      await page.getByRole('textbox', { name: 'Config as JSON' }).waitFor();
      await page.getByText('Valid', { exact: true }).waitFor();
    },
  },
};

/** The twelve screens that docs/console.md shows, in the order in which they stand there. */
export const keyScreens = [
  'home',
  'logs',
  'log',
  'spend',
  'playground',
  'providers',
  'config',
  'keys',
  'guardrails',
  'limits',
  'mcp',
  'access',
] as const;
