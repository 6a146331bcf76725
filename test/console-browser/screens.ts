import type { Page } from 'playwright-core';

type Opened = {
  as: string;
  /** What stands behind the address of the page. */
  query?: string;
  open(page: Page): Promise<void>;
};

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
