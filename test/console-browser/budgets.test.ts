import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from '@jest/globals';

const dist = join(import.meta.dirname, '../../console/dist');
const KB = 1000;

const zipped = (name: string): number => gzipSync(readFileSync(join(dist, name))).length;
const sum = (names: readonly string[]): number => names.reduce((total, name) => total + zipped(name), 0);

const index = readFileSync(join(dist, 'index.html'), 'utf8');
const named = [...index.matchAll(/(?:src|href)="\.\/([^"]+)"/g)].map(([, name = '']) => name);
const initial = (extension: string) => named.filter((name) => name.endsWith(extension));

it('the first page loads at most 250 kB of scripts and 25 kB of styles', () => {
  expect(initial('.js').length).toBeGreaterThan(0);
  expect(sum(initial('.js'))).toBeLessThanOrEqual(250 * KB);
  expect(sum(initial('.css'))).toBeLessThanOrEqual(25 * KB);
});

it('what a page loads beside that is at most 100 kB, and 140 kB for an editor', () => {
  const first = new Set(initial('.js'));
  const later = readdirSync(join(dist, 'assets'))
    .map((name) => `assets/${name}`)
    .filter((name) => name.endsWith('.js') && !first.has(name));
  const tooLarge = later
    .map((name) => ({ name, size: zipped(name) }))
    .filter(({ name, size }) => size > (/editor/.test(name) ? 140 : 100) * KB);
  expect(tooLarge).toEqual([]);
});

it('the scripts of the first page are evaluated one by one, each after those that it imports', () => {
  const parts = [...index.matchAll(/<script type="module" crossorigin src="\.\/(assets\/[^"]+)"/g)];
  const names = parts.map(([, name = '']) => name);
  expect(names).toEqual(initial('.js').filter((name) => name.startsWith('assets/')));
  expect(names.length).toBeGreaterThan(4);
  for (const [place, name] of names.entries()) {
    const text = readFileSync(join(dist, name), 'utf8');
    const imported = [...text.matchAll(/(?:from|import)"\.\/([^"]+\.js)"/g)].map(
      ([, one]) => `assets/${one}`,
    );
    expect({ name, late: imported.filter((one) => !names.slice(0, place).includes(one)) }).toEqual({
      name,
      late: [],
    });
  }
});

it('at most two fonts are loaded at once, of 90 kB together', () => {
  const fonts = initial('.woff2');
  expect(fonts.length).toBeLessThanOrEqual(2);
  const bytes = fonts.reduce((total, name) => total + readFileSync(join(dist, name)).length, 0);
  expect(bytes).toBeLessThanOrEqual(90 * KB);
});

it('the first page names the scripts of each page, so that a browser need not wait for others to ask for them', () => {
  const given = /data-scripts='([^']+)'/.exec(index)?.[1] ?? '{}';
  const scripts = Object.entries(JSON.parse(given) as Record<string, string[]>);
  const pages = readdirSync(join(dist, '../src/pages'));
  expect(scripts.map(([page]) => page).sort()).toEqual(pages.sort());
  const there = new Set(readdirSync(join(dist, 'assets')).map((name) => `assets/${name}`));
  expect(scripts.flatMap(([, own]) => own).filter((name) => !there.has(name))).toEqual([]);
  expect(scripts.filter(([, own]) => own.length === 0)).toEqual([]);
});
