import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const rules = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];

type Found = { violations: { id: string; help: string; nodes: { html: string }[] }[] };

/** What keeps people from using the page as it is now, by the rules of WCAG 2.2 AA; a line each. */
export async function barriersOn(page: Page): Promise<string[]> {
  await page.evaluate(source);
  const { violations } = (await page.evaluate(
    `axe.run(document, { runOnly: { type: 'tag', values: ${JSON.stringify(rules)} }, resultTypes: ['violations'] })`,
  )) as Found;
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html }) => `${id}: ${help}: ${html.slice(0, 300)}`),
  );
}
