import { readdirSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@jest/globals';

const root = fileURLToPath(new URL('../../console/src/', import.meta.url));

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));

const pageOf = (path: string) => /^pages\/([\w-]+)\//.exec(path)?.[1];

const imports = files.flatMap(({ path, text }) =>
  [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, specifier = '']) => ({
    path,
    imported: normalize(join(path, '..', specifier)),
  })),
);
const shown = (found: typeof imports) => found.map(({ path, imported }) => `${path} -> ${imported}`);

test('a page of the console imports no other page', () => {
  expect(imports.length).toBeGreaterThan(100);
  const wrong = imports.filter(
    ({ path, imported }) => pageOf(path) && pageOf(imported) && pageOf(path) !== pageOf(imported),
  );
  expect(shown(wrong)).toEqual([]);
});

test('the parts of the console know no page, no frame and no document', () => {
  const wrong = imports.filter(({ path, imported }) => path.startsWith('ui/') && !imported.startsWith('ui/'));
  expect(shown(wrong)).toEqual([]);
});

test('nothing in the console makes HTML of a text', () => {
  const sinks = /dangerouslySetInnerHTML|\.(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write/;
  expect(files.filter(({ text }) => sinks.test(text)).map(({ path }) => path)).toEqual([]);
});
