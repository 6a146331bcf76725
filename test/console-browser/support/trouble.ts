import type { Page } from 'playwright-core';

export type Trouble = {
  /** Errors on the page's console, violations of its policy, requests to other places; each in a line. */
  seen(): string[];
};

/** Answers that a test has provoked are no trouble: the browser writes a line for each. */
const isAnswer = (text: string) => text.startsWith('Failed to load resource: the server responded with');

/** Runs in the page. */
const reporting = `document.addEventListener('securitypolicyviolation', (event) =>
  reportViolation(event.violatedDirective + ' ' + event.blockedURI))`;

/** Collects what no page of the console at an address may do. */
export async function watch(page: Page, url: string): Promise<Trouble> {
  const lines: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !isAnswer(text)) lines.push(`console: ${text}`);
  });
  page.on('pageerror', (error) => lines.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const asked = request.url();
    if (!asked.startsWith(url) && !/^(data|blob):/.test(asked)) lines.push(`request: ${asked}`);
  });
  await page.exposeFunction('reportViolation', (text: string) => void lines.push(`policy: ${text}`));
  await page.addInitScript(reporting);
  return { seen: () => lines };
}
