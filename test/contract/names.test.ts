import { expect, test } from '@jest/globals';
import { sourceFiles } from './source-files.ts';

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
  const doubles = [...homes].filter(([, { size }]) => size > 1);
  expect(doubles.map(([name, paths]) => `${name}: ${[...paths].join(', ')}`)).toEqual([]);
});
