import { describe, expect, it } from '@jest/globals';
import { sourceFiles } from './source-files.ts';

/** Outermost first; a layer may import itself and what stands below it. */
const layers = [
  ['src/assembly'],
  ['rest-compat'],
  ['src/graph'],
  ['src/subgraphs'],
  ['src/dataplane', 'src/runs', 'src/mcp'],
  ['src/providers', 'src/guardrails'],
  ['src/storage', 'src/recording', 'src/auth'],
  ['src/lib', 'src/errors'],
];

const files = [...sourceFiles('src'), ...sourceFiles('rest-compat')];

const layerOf = (path: string) =>
  layers.findIndex((folders) => folders.some((folder) => path.startsWith(`${folder}/`)));

/** `src/subgraphs/identity/workspace/service.ts` -> `identity/workspace` */
const resourceOf = (path: string) => /^src\/subgraphs\/([\w-]+\/[\w-]+)\//.exec(path)?.[1];

const pairs = files.flatMap(({ path, imports }) => imports.map((imported) => ({ path, imported })));
const shown = (found: typeof pairs) => found.map(({ path, imported }) => `${path} -> ${imported}`);

describe('imports', () => {
  it('know every folder of src', () => {
    const homeless = files.filter(({ path }) => layerOf(path) < 0 && !/^src\/[\w-]+\.ts$/.test(path));
    expect(homeless.map(({ path }) => path)).toEqual([]);
  });

  it('point one way', () => {
    const wrong = pairs.filter(({ path, imported }) => {
      const from = layerOf(path);
      // main, app and server stand above everything; the type of the settings is everybody's.
      return from >= 0 && layerOf(imported) < from && imported !== 'src/settings.ts';
    });
    expect(shown(wrong)).toEqual([]);
  });

  it('reach another resource only through its index.ts', () => {
    const wrong = pairs.filter(({ path, imported }) => {
      const resource = resourceOf(imported);
      return (
        path.startsWith('src/subgraphs/') &&
        resource !== undefined &&
        resource !== resourceOf(path) &&
        !imported.endsWith('/index.ts')
      );
    });
    expect(shown(wrong)).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read in src/settings.ts alone', () => {
    const readers = files.filter(({ text }) => /\bprocess\.env\b/.test(text)).map(({ path }) => path);
    expect(readers.filter((path) => path !== 'src/settings.ts')).toEqual([]);
  });
});
