import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { circles } from './circles.ts';
import { sourceFiles } from './source-files.ts';

/** Outermost first; a layer may import itself and what stands below it. */
const layers = [
  ['src/process'],
  ['src/assembly'],
  ['src/http'],
  ['src/console'],
  ['rest-compat'],
  ['src/graph'],
  ['src/subgraphs'],
  ['src/runs', 'src/mcp', 'src/batches'],
  ['src/dataplane', 'src/knowledge'],
  ['src/authentication'],
  ['src/directory'],
  ['src/routing-config'],
  ['src/limits'],
  ['src/recording', 'src/mail', 'src/webhooks', 'src/files'],
  ['src/secret-managers'],
  ['src/providers', 'src/guardrails', 'src/boxes'],
  ['src/storage'],
  ['src/auth'],
  ['src/settings'],
  ['src/formats'],
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
    const homeless = files.filter(({ path }) => layerOf(path) < 0 && path !== 'src/main.ts');
    expect(homeless.map(({ path }) => path)).toEqual([]);
  });

  it('point one way', () => {
    const wrong = pairs.filter(({ path, imported }) => {
      const from = layerOf(path);
      return from >= 0 && layerOf(imported) < from;
    });
    expect(shown(wrong)).toEqual([]);
  });

  it('reach another resource only through its index.ts', () => {
    const wrong = pairs.filter(({ path, imported }) => {
      const resource = resourceOf(imported);
      return (
        path.startsWith('src/subgraphs/') &&
        !path.endsWith('.generated.ts') &&
        resource !== undefined &&
        resource !== resourceOf(path) &&
        !imported.endsWith('/index.ts') &&
        !imported.endsWith('/resource.ts')
      );
    });
    expect(shown(wrong)).toEqual([]);
  });

  it('register a resource only in the index.ts of its subgraph', () => {
    const wrong = pairs.filter(({ path, imported }) => {
      const subgraph = /^(src\/subgraphs\/[\w-]+)\/[\w-]+\/resource\.ts$/.exec(imported)?.[1];
      return subgraph !== undefined && path !== `${subgraph}/index.ts`;
    });
    expect(shown(wrong)).toEqual([]);
  });

  it('form no circle within src/subgraphs, types included', () => {
    const own = new Map(
      files.flatMap(({ path, imports }) => (path.startsWith('src/subgraphs/') ? [[path, imports]] : [])),
    );
    // A file that is in no circle goes once everything that it imports is gone; what stays is a circle, or leads to one.
    for (let before = -1; before !== own.size; ) {
      before = own.size;
      for (const [path, imports] of own) if (!imports.some((imported) => own.has(imported))) own.delete(path);
    }
    expect([...own.keys()]).toEqual([]);
  });
});

const shownCircles = (found: string[][]) => found.map((circle) => circle.join('\n  imports '));

describe('circles of imports', () => {
  it('do not exist among files that load each other', () => {
    const found = circles(
      files,
      ({ valueImports }) => valueImports,
      () => true,
    );
    expect(shownCircles(found)).toEqual([]);
  });

  it('do not lead from one folder to another and back, types included', () => {
    const leavesItsFolder = (from: string, to: string) => dirname(from) !== dirname(to);
    const found = circles(files, ({ imports }) => imports, leavesItsFolder);
    expect(shownCircles(found)).toEqual([]);
  });
});

describe('a folder', () => {
  it('has fewer than 20 source files', () => {
    const sizes = Map.groupBy(files, ({ path }) => dirname(path));
    const full = [...sizes].filter(([, { length }]) => length >= 20);
    expect(full.map(([folder, { length }]) => `${folder}: ${length} files`)).toEqual([]);
  });
});

describe('the environment', () => {
  it('is read in src/settings alone', () => {
    const readers = files.filter(({ text }) => /\bprocess\.env\b/.test(text)).map(({ path }) => path);
    expect(readers.filter((path) => path !== 'src/settings/index.ts')).toEqual([]);
  });
});
