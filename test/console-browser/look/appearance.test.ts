import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { owner } from '../../../seeds/demo/people.ts';
import { testedPages } from '../pages.ts';
import { barriersOn } from '../support/axe.ts';
import { url } from '../support/service.ts';
import { closeBrowser, visit } from '../support/visitor.ts';
import { fileOf, looks } from './looks.ts';
import { makeSeen } from './made.ts';
import { opened } from './screens.ts';

// All pages, four times.
jest.setTimeout(300_000);

beforeAll(makeSeen);
afterAll(closeBrowser);

/** Photographs what a page shows; everybody can use it, and nothing of it is beyond its edge. */
async function look(page: Page, name: string, as: string): Promise<void> {
  await page.screenshot({ path: fileOf(name, as) });
  expect([name, await barriersOn(page)]).toEqual([name, []]);
  const [whole, shown] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  expect([name, whole <= shown]).toEqual([name, true]);
}

it.each(looks)('every page can be used by everybody: $look', async ({ theme, size, look: as }) => {
  const { page, open, trouble, leave } = await visit({ as: owner, theme, size });
  for (const { path, workspace = '_', title, filled } of testedPages) {
    await open(`${workspace}/${path}`, title);
    await page.getByText(filled).first().waitFor();
    await look(page, path, as);
    const inside = opened[path];
    if (!inside) continue;
    await open(`${inside.workspace ?? workspace}/${path}${inside.query ?? ''}`, title);
    await inside.open(page);
    await look(page, inside.as, as);
  }
  expect(trouble.seen()).toEqual([]);
  await leave();
});

/** Whoever opens them is not signed in; what is behind the sign is a link that nobody has made. */
const outside = [
  { name: 'sign-in', path: '', shown: 'Sign in' },
  { name: 'welcome', path: `welcome#sl-${'a'.repeat(43)}`, shown: /Three steps/ },
  { name: 'invite', path: `invite#sl-${'a'.repeat(43)}`, shown: 'You are invited' },
];

it.each(looks)('so can those of whoever is not signed in: $look', async ({ theme, size, look: as }) => {
  for (const { name, path, shown } of outside) {
    const { page, trouble, leave } = await visit({ as: null, theme, size });
    await page.goto(`${url}/console/${path}`);
    await page.getByRole('heading', { name: shown }).waitFor();
    await look(page, name, as);
    expect(trouble.seen()).toEqual([]);
    await leave();
  }
});
