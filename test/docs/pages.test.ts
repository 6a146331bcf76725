import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it, test } from '@jest/globals';
import { catalogue } from '../../src/errors/index.ts';
import { environmentOf } from '../../src/settings/environment.ts';
import { anyHouse } from '../../src/settings/house.ts';
import { blocksOf, type Page, pages, root } from './pages.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
};
const consoleManifest = JSON.parse(readFileSync(join(root, 'console/package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const settingNames = Object.keys(environmentOf(anyHouse).shape);

/** Names that look like settings and are none: variables of tests, of Node.js and of the C library, and values. */
const otherNames = new Set([
  'UPDATE_PRINTED',
  'RECORD_ANSWERS',
  'LONG_TESTS',
  'REQUIRE_BROWSER',
  'CONSOLE_PREFIX',
  'NODE_COMPILE_CACHE',
  'MALLOC_ARENA_MAX',
  'MALLOC_MMAP_THRESHOLD_',
  'MALLOC_TRIM_THRESHOLD_',
  'ON_DEMAND',
  'HOLD_LIMIT_MS',
  'SLUICE_URL',
  'SLUICE_API_KEY',
  'SLUICE_CLIENT_ID',
  'SLUICE_CLIENT_SECRET',
  'SLUICE_TSG_ID',
]);
const errorNames = new Set<string>(Object.keys(catalogue));

/** Kinds of fenced blocks: those that test/docs runs, configurations of other programs, and outputs. */
const languages = new Set(['sh', 'js', 'ts', 'graphql', 'diff', 'nginx', 'yaml', 'json', 'python', '']);

/** The anchors that GitHub makes of a page's headings. */
const anchorsOf = ({ text }: Page) =>
  [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );

const isGenerated = ({ path }: Page) => path.startsWith('docs/reference/');

describe.each(pages.map((page) => ({ page, path: page.path })))('$path', ({ page, path }) => {
  const { text } = page;

  it('names settings and scripts that there are', () => {
    const named = [...text.matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]*)+)(?:=[^`]*)?`/g)].map(
      ([, name]) => name ?? '',
    );
    const unknown = named.filter(
      (name) => !settingNames.includes(name) && !otherNames.has(name) && !errorNames.has(name),
    );
    expect(unknown).toEqual([]);
    const scripts = [...text.matchAll(/`(?:[A-Z_]+=\S+ )?npm (?:run )?([\w:-]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(scripts.filter((name) => !(name in manifest.scripts))).toEqual([]);
  });

  it('has links that lead somewhere', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)/g)];
    const dead = links.filter(([, file = '', anchor]) => {
      const target = file === '' ? path : normalize(join(dirname(path), file));
      if (!existsSync(join(root, target))) return true;
      const other = pages.find((one) => one.path === target);
      return anchor !== undefined && !(other && anchorsOf(other).includes(anchor));
    });
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  it('names files of the repository that there are', () => {
    const files = [
      ...text.matchAll(/`((?:src|test|scripts|schema|rest-compat|seeds|bench|docs)\/[\w./-]+)`/g),
    ];
    const missing = files.map(([, file = '']) => file).filter((file) => !existsSync(join(root, file)));
    expect(missing).toEqual([]);
  });

  it('fits: a page has at most 400 lines, and prose has no long ones', () => {
    const lines = text.split('\n');
    expect(lines.length).toBeLessThanOrEqual(path === 'README.md' ? 200 : 400);
    const prose = text.replace(/^```[\s\S]*?^```$/gm, '').split('\n');
    const long = prose.filter((line) => line.length > 132 && !line.startsWith('|') && !isGenerated(page));
    expect(long).toEqual([]);
  });

  it('has blocks of known kinds', () => {
    const kinds = blocksOf(page).map(({ info }) => info.split(' ')[0] ?? '');
    expect(kinds.filter((kind) => !languages.has(kind))).toEqual([]);
  });
});

test('every page is reached from the README', () => {
  const reached = new Set(['README.md', 'CONTRIBUTING.md']);
  for (const path of reached) {
    const text = pages.find((page) => page.path === path)?.text ?? '';
    for (const [, file = ''] of text.matchAll(/\]\((?!https?:)([^)#]+\.md)/g)) {
      reached.add(normalize(join(dirname(path), file)));
    }
  }
  expect(pages.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

test('docs/contributing/libraries.md names every library with the version that is installed', () => {
  const { text } = pages.find(({ path }) => path === 'docs/contributing/libraries.md') ?? { text: '' };
  const [gateway = '', console = ''] = text.split('## The console');
  const listed = (table: string) =>
    Object.fromEntries(
      [...table.matchAll(/^\| `([^`]+)` \| ([\d.]+) \|/gm)].map(([, name, version]) => [name, version]),
    );
  expect(listed(gateway)).toEqual(manifest.dependencies);
  expect(listed(console)).toEqual(consoleManifest.dependencies);
});
