import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { owner } from '../../seeds/demo/people.ts';
import { testedPages } from './pages.ts';
import { closeBrowser, type Visitor, visit } from './support/visitor.ts';

const place = `keyboard-${randomUUID().slice(0, 8)}`;
/** Presses of Tab after which somebody gives up; a page has fewer places that take the focus. */
const MOST_TABS = 150;

let ada: Visitor;
beforeAll(async () => {
  ada = await visit({ as: owner });
});
afterAll(async () => {
  await ada.leave();
  await closeBrowser();
});

/** Goes on with Tab until the focus is where it is meant to be. */
async function reach(target: Locator): Promise<void> {
  const { page } = ada;
  await target.first().waitFor();
  for (let tabs = 0; tabs < MOST_TABS; tabs++) {
    if ((await target.first().and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${target}.`);
}

async function press(target: Locator): Promise<void> {
  await reach(target);
  await ada.page.keyboard.press('Enter');
}

async function type(label: string | RegExp, text: string): Promise<void> {
  await reach(ada.page.getByLabel(label, { exact: true }));
  await ada.page.keyboard.press('ControlOrMeta+a');
  await ada.page.keyboard.type(text);
}

const button = (name: string | RegExp, within: Page | Locator = ada.page) =>
  within.getByRole('button', { name, exact: true });
const inDialog = (name: string) => button(name, ada.page.getByRole('dialog'));
const heading = (name: string) => ada.page.getByRole('heading', { level: 1, name }).waitFor();

/** Makes something that has a page of its own in the end. */
async function make(what: string, verb: string, name: string): Promise<void> {
  await press(button(what));
  await type('Name', name);
  await press(inDialog(verb));
  await heading(name);
}

/** What people come to a page for, by its path: in the new workspace, or in the one that is named. */
const deeds: Record<string, { in?: string; at?: string; act(): Promise<void> }> = {
  access: {
    in: '_',
    at: 'access?view=workspaces',
    async act() {
      await press(button('New workspace'));
      await type('Name', place);
      await type('Slug', place);
      await press(inDialog('Create'));
      await press(button(place));
      await ada.page.getByRole('dialog').getByText(place).first().waitFor();
    },
  },
  home: {
    in: '_',
    async act() {
      await press(ada.page.locator('#content').getByRole('link', { name: /Requests/ }));
      await heading('Logs');
    },
  },
  logs: {
    in: '_',
    async act() {
      await reach(ada.page.getByRole('combobox', { name: 'Filter' }));
      await ada.page.keyboard.type('status:200');
      await ada.page.keyboard.press('Enter');
      await ada.page.waitForURL(/q=status/);
    },
  },
  spend: {
    in: '_',
    async act() {
      await press(ada.page.getByRole('region', { name: 'Cost by model' }).getByRole('button'));
      await heading('Logs');
    },
  },
  playground: {
    in: 'research',
    async act() {
      await type('Prompt', 'Hello');
      await press(button('Run'));
      await ada.page.getByRole('region', { name: 'answer of A' }).waitFor();
    },
  },
  providers: {
    async act() {
      await press(button('Add a provider'));
      await press(button('OpenAI'));
      await type('Name', `Provider ${place}`);
      await reach(ada.page.locator('input[type=password]'));
      await ada.page.keyboard.type('sk-typed-0123456789');
      await press(inDialog('Save'));
      await heading(`Provider ${place}`);
    },
  },
  // A new one begins with @mock, which the new workspace has not.
  configs: { in: 'research', act: () => make('New config', 'Create', `Config ${place}`) },
  keys: {
    async act() {
      await press(button('New key'));
      await type('Name', `Key ${place}`);
      await button('Application').and(ada.page.locator('[aria-pressed=true]')).waitFor();
      await press(button('Create'));
      await press(button('I have kept it'));
      await press(button(`Key ${place}`));
      await heading(`Key ${place}`);
    },
  },
  guardrails: {
    async act() {
      await press(button('New guardrail'));
      await type('Name', `Guardrail ${place}`);
      await press(button('Add a check'));
      await reach(ada.page.getByRole('searchbox', { name: 'Search' }));
      await ada.page.keyboard.type('default.contains');
      await press(ada.page.getByRole('button', { name: /^default\.contains / }));
      await type('words (required)', 'hunter2');
      await press(button('Save'));
      await heading(`Guardrail ${place}`);
      // Other files count those that there are.
      await press(button('Delete'));
      await press(inDialog('Delete'));
      await heading('Guardrails');
    },
  },
  mcp: {
    async act() {
      await press(button('Add a server'));
      await type('Name', `Server ${place}`);
      await type('Address', 'mock://server');
      await press(inDialog('Add'));
      await heading(`Server ${place}`);
    },
  },
  assistants: { act: () => make('New assistant', 'Create', `Assistant ${place}`) },
  limits: {
    async act() {
      await press(button('New limit'));
      await type('Amount', '5');
      await type('Name', `Limit ${place}`);
      await press(inDialog('Create'));
      await press(button(/^\$5\.00 a month/));
      await heading(`Limit ${place}`);
    },
  },
  audit: {
    in: '_',
    async act() {
      await press(ada.page.getByRole('region', { name: 'Changes' }).getByRole('button'));
      await ada.page.getByText('Place in the chain').waitFor();
    },
  },
  settings: {
    at: 'settings?view=own',
    async act() {
      await press(button('Shortcuts off'));
      await button('Shortcuts off').and(ada.page.locator('[aria-pressed=true]')).waitFor();
    },
  },
};

it.each(Object.entries(deeds))(
  'what people come to the page for is done by keys alone: %s',
  async (path, { in: workspace = place, at = path, act }) => {
    const title = testedPages.find((page) => page.path === path)?.title ?? '';
    await ada.open(`${workspace}/${at}`, title);
    await act();
  },
);

it('no page is left out, and nothing was in trouble', () => {
  const paths = testedPages.map(({ path }) => path).filter((path) => !path.includes('?'));
  expect(Object.keys(deeds).sort()).toEqual([...paths].sort());
  expect(ada.trouble.seen()).toEqual([]);
});
