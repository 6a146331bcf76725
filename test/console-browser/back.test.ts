import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator } from 'playwright-core';
import { owner } from '../../seeds/demo/people.ts';
import { eventually } from '../support/eventually.ts';
import { testedPages } from './pages.ts';
import { closeBrowser, PATIENCE, type Visitor, visit } from './support/visitor.ts';

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

/** A step to another state of a page: what shows the one before, and the one after. */
type Step = { before: Locator; after: Locator; act(): Promise<unknown> };

/** Chooses another tab. */
function tab(name: string): Step {
  const tabs = ada.page.getByRole('tab');
  const chosen = ada.page.locator('[aria-selected=true]');
  const named = tabs.filter({ hasText: name });
  return { before: tabs.first().and(chosen), after: named.and(chosen), act: () => named.click() };
}

/** Chooses another value of a select. */
function choice(label: string, from: string, to: string): Step {
  const select = ada.page.getByRole('combobox', { name: label, exact: true });
  return {
    before: select.filter({ hasText: from }),
    after: select.filter({ hasText: to }),
    async act() {
      await select.click();
      await ada.page.getByRole('option', { name: to }).click();
    },
  };
}

/** Opens what is in a list, on a page of its own. */
function detail(title: string, name: string): Step {
  const heading = (text: string) => ada.page.getByRole('heading', { level: 1, name: text, exact: true });
  return {
    before: heading(title),
    after: heading(name),
    act: () => ada.page.getByText(name, { exact: true }).first().click(),
  };
}

/** The states of each page that are in the address; the way back from the logs is told in logs.test.ts. */
const steps: Record<string, () => Step> = {
  home: () => choice('Time range', 'Last 24 hours', 'Last 7 days'),
  spend: () => choice('Told apart by', 'By model', 'By key'),
  keys: () => choice('State', 'Every state', 'Active'),
  audit: () => choice('Outcome', 'Any outcome', 'Done'),
  guardrails: () => tab('Enforced'),
  assistants: () => tab('Files'),
  access: () => tab('Workspaces'),
  settings: () => tab('Yours'),
  providers: () => detail('Providers', 'OpenAI, main account'),
  configs: () => detail('Configs', 'Search, cheap answers'),
  mcp: () => detail('MCP', 'Search tools'),
  limits: () => detail('Limits', 'Search, a month'),
};

it.each(Object.keys(steps))('back and forward lead to what was shown: %s', async (path) => {
  const tested = testedPages.find((page) => page.path === path);
  await ada.open(`${tested?.workspace ?? '_'}/${path}`, tested?.title ?? '');
  const step = steps[path];
  if (!step) throw new Error(`There is no step on ${path}.`);
  const { before, after, act } = step();
  await before.waitFor();
  const first = ada.page.url();
  await act();
  await after.waitFor();
  const second = ada.page.url();
  expect(second).not.toBe(first);
  await ada.page.goBack();
  await before.waitFor();
  expect(ada.page.url()).toBe(first);
  await ada.page.goForward();
  await after.waitFor();
  expect(ada.page.url()).toBe(second);
});

it('a page that is come back to is where it was left', async () => {
  const { page, open } = ada;
  await page.setViewportSize({ width: 1440, height: 500 });
  await open('_/home', 'Home');
  const content = page.locator('#content');
  const top = () => content.evaluate(({ scrollTop }) => scrollTop);
  await page.getByRole('heading', { name: 'Changes' }).waitFor();
  await content.evaluate((element) => {
    element.scrollTop = 150;
  });
  await page.getByRole('link', { name: 'Access' }).click();
  await page.getByRole('heading', { level: 1, name: 'Access' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
  await eventually(async () => expect(await top()).toBe(150), PATIENCE);
});

it('no page is left out that has states in its address, and nothing was in trouble', () => {
  // Those of the logs are tried in logs.test.ts; what somebody writes in the playground is in the browser.
  const paths = testedPages.map(({ path }) => path).filter((path) => !path.includes('?'));
  expect([...Object.keys(steps), 'logs', 'playground'].sort()).toEqual([...paths].sort());
  expect(ada.trouble.seen()).toEqual([]);
});
