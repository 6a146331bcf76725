import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from '@jest/globals';
import { owner } from '../../seeds/demo/people.ts';
import { testedPages } from './pages.ts';
import { barriersOn } from './support/axe.ts';
import { closeBrowser, narrow, type Theme, visit, wide } from './support/visitor.ts';

const folder = process.env.SCREENSHOTS ?? 'coverage/console';
mkdirSync(folder, { recursive: true });

afterAll(closeBrowser);

const looks = (['light', 'dark'] as Theme[]).flatMap((theme) =>
  [wide, narrow].map((size) => ({ theme, size, look: `${theme}-${size.width}` })),
);

it.each(looks)('every page can be used by everybody: $look', async ({ theme, size, look }) => {
  const { page, open, trouble, leave } = await visit({ as: owner, theme, size });
  for (const { path, workspace = '_', title, filled } of testedPages) {
    await open(`${workspace}/${path}`, title);
    await page.getByText(filled).first().waitFor();
    await page.screenshot({ path: join(folder, `${path}-${look}.png`) });
    expect([path, await barriersOn(page)]).toEqual([path, []]);
    const [whole, shown] = (await page.evaluate(
      '[document.documentElement.scrollWidth, document.documentElement.clientWidth]',
    )) as [number, number];
    expect([path, whole <= shown]).toEqual([path, true]);
  }
  expect(trouble.seen()).toEqual([]);
  await leave();
});
