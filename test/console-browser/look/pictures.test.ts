import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { owner } from '../../../seeds/demo/people.ts';
import { testedPages } from '../pages.ts';
import { closeBrowser, type Visitor, visit, wide } from '../support/visitor.ts';
import { fileOf, folder, looks } from './looks.ts';
import { makeSeen } from './made.ts';
import { isRecording, stage } from './recorded.ts';
import { keyScreens, opened } from './screens.ts';
import { compareSheets, drawSheet } from './sheet.ts';

const docs = join(import.meta.dirname, '../../../docs');
/** Bytes of a picture that docs/console.md shows. */
const MAX_PICTURE = 300_000;
/** Share of the pixels of a screen that may differ from its picture. */
const MAX_CHANGE = 0.002;

beforeAll(async () => {
  if (isRecording) await makeSeen();
});
afterAll(closeBrowser);

/** Where a key screen is: on a page, or behind something on it that is to be opened. */
function placeOf(screen: string) {
  const page = testedPages.find(({ path }) => path === screen || opened[path]?.as === screen);
  if (!page) throw new Error(`No page shows ${screen}.`);
  return { page, inside: page.path === screen ? undefined : opened[page.path] };
}

async function show({ page, open }: Visitor, screen: string): Promise<void> {
  const { page: tested, inside } = placeOf(screen);
  const { path, workspace = '_', title, filled } = tested;
  await open(`${inside?.workspace ?? workspace}/${path}${inside?.query ?? ''}`, title);
  if (inside) await inside.open(page);
  else await page.getByText(filled).first().waitFor();
  await page.getByRole('status', { name: 'Loading' }).waitFor({ state: 'detached' });
  await page.evaluate('document.fonts.ready');
}

it.each(looks)(
  'the key screens look as docs/console.md shows them: $look',
  async ({ theme, size, look }) => {
    const visitor = await visit({ as: owner, theme, size });
    const scene = await stage(visitor.page);
    const files: string[] = [];
    for (const screen of keyScreens) {
      scene.set(screen);
      await show(visitor, screen).catch((error: unknown) => {
        expect(scene.missing()).toEqual([]);
        throw error;
      });
      const path = fileOf(`shown-${screen}`, look);
      await visitor.page.screenshot({ path });
      files.push(path);
    }
    expect(scene.missing()).toEqual([]);
    expect(visitor.trouble.seen()).toEqual([]);
    await visitor.leave();

    const { page, leave } = await visit({ as: null });
    const layout = size === wide ? { columns: 3, scale: 0.5 } : { columns: 6, scale: 2 / 3 };
    const sheet = await drawSheet(page, files, layout);
    const name = `images/console-${look}.webp`;
    writeFileSync(join(folder, `console-${look}.webp`), sheet);
    expect(sheet.length).toBeLessThanOrEqual(MAX_PICTURE);
    expect(readFileSync(join(docs, 'console.md'), 'utf8')).toContain(`(${name})`);
    const shown = isRecording ? sheet : readFileSync(join(docs, name));
    const changes = await compareSheets(page, { sheets: [shown, sheet], count: keyScreens.length, layout });
    await leave();
    // Whoever has meant to change it copies the new picture.
    expect(keyScreens.filter((_, index) => (changes[index] ?? 1) > MAX_CHANGE)).toEqual([]);
  },
  300_000,
);
