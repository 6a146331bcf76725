import { expect, test } from '@jest/globals';
import { sourceFiles } from './source-files.ts';

/** Names that still mean two things; the place where each is meant otherwise is being renamed. */
const KNOWN_DOUBLES =
  'Scope Place Settings Reading Circuit Question Span Ending Usage Part Fields Asked End Counts Given Report Vendor'.split(
    ' ',
  );

const exportedType = /^export (?:declare )?(?:abstract )?(?:type|interface|class) (\w+)/gm;

/** Folders of vendors repeat each other's names on purpose, so that whoever knows one knows them all. */
const homeOf = (path: string) => (path.startsWith('src/providers/vendors/') ? 'src/providers/vendors' : path);

test('an exported type has a name that no other file exports', () => {
  const homes = new Map<string, Set<string>>();
  for (const { path, text } of [...sourceFiles('src'), ...sourceFiles('rest-compat')]) {
    if (path.endsWith('.generated.ts')) continue;
    for (const [, name = ''] of text.matchAll(exportedType)) {
      homes.set(name, (homes.get(name) ?? new Set()).add(homeOf(path)));
    }
  }
  const doubles = [...homes].filter(([name, { size }]) => size > 1 && !KNOWN_DOUBLES.includes(name));
  expect(doubles.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([]);
});
