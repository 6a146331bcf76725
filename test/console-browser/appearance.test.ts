import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import OpenAI from 'openai';
import type { Page } from 'playwright-core';
import { owner } from '../../seeds/demo/people.ts';
import { testedPages } from './pages.ts';
import { keyScreens, lockKeeper, opened } from './screens.ts';
import { barriersOn } from './support/axe.ts';
import { drawSheet } from './support/picture.ts';
import { keyWith, seeds, url } from './support/service.ts';
import { closeBrowser, narrow, type Theme, visit, wide } from './support/visitor.ts';

const folder = process.env.SCREENSHOTS ?? 'coverage/console';
mkdirSync(folder, { recursive: true });

/** Bytes of a picture that docs/console.md shows. */
const MAX_PICTURE = 300_000;

/** What the demo has none of: an assistant, and a log with bodies, in the workspace of the bootstrap. */
beforeAll(async () => {
  await new OpenAI({
    apiKey: await keyWith('search', 'completions.write'),
    baseURL: `${url}/v1`,
  }).beta.assistants.create({ model: '@mock/mock-1', name: lockKeeper });
  const targets = ['mock-error-503', 'mock-1'].map((model) => ({
    provider: '@mock',
    override_params: { model },
  }));
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-gateway-api-key': seeds.workspace_api_key,
      'x-gateway-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets }),
      'x-gateway-metadata': JSON.stringify({ team: 'appearance' }),
    },
    body: JSON.stringify({
      model: 'mock-1',
      messages: [
        { role: 'system', content: 'You answer people who visit a canal.' },
        { role: 'user', content: 'Why is a lock gate bent? It points up the water.' },
      ],
    }),
  });
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
});
afterAll(closeBrowser);

const looks = (['light', 'dark'] as Theme[]).flatMap((theme) =>
  [wide, narrow].map((size) => ({ theme, size, look: `${theme}-${size.width}` })),
);
const fileOf = (name: string, look: string) => join(folder, `${name}-${look}.png`);

/** Photographs what a page shows; everybody can use it, and nothing of it is beyond its edge. */
async function look(page: Page, name: string, as: string): Promise<void> {
  await page.screenshot({ path: fileOf(name, as) });
  expect([name, await barriersOn(page)]).toEqual([name, []]);
  const [whole, shown] = (await page.evaluate(
    '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
  )) as [number, number];
  expect([name, whole <= shown]).toEqual([name, true]);
}

it.each(looks)(
  'every page can be used by everybody: $look',
  async ({ theme, size, look: as }) => {
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
  },
  300_000,
);

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

it('the pictures that docs/console.md shows are small, and are those that there are', async () => {
  const { page, leave } = await visit({ as: null });
  const text = readFileSync(join(import.meta.dirname, '../../docs/console.md'), 'utf8');
  for (const { size, look: as } of looks) {
    const layout = size === wide ? { columns: 3, scale: 0.5 } : { columns: 6, scale: 2 / 3 };
    const sheet = await drawSheet(page, { files: keyScreens.map((name) => fileOf(name, as)), ...layout });
    writeFileSync(join(folder, `console-${as}.webp`), sheet);
    expect([as, sheet.length <= MAX_PICTURE]).toEqual([as, true]);
    expect(text).toContain(`(images/console-${as}.webp)`);
  }
  await leave();
});
