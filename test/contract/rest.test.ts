import { describe, expect, it } from '@jest/globals';
import { createRest, operationFiles } from '../../rest-compat/index.ts';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { smallContext, somebody } from '../graph/small-graph.ts';

const graph = createGraph(readSources(subgraphs));
const context = smallContext();

const mount = (operations: ReturnType<typeof operationFiles>) => {
  const surface = (prefix: string) => ({ prefix, authenticate: async () => somebody() });
  return createRest({
    graph,
    operations,
    surfaces: {
      V1: surface('/v1'),
      V2: surface('/v2'),
      ADMIN_V2: surface('/admin/v2'),
      IAM_V1: surface('/iam/v1'),
      V0_1: surface('/v0.1'),
      ROOT: surface(''),
    },
    createContext: () => context,
    log: context.log,
  });
};

describe('rest-compat/operations', () => {
  it.each(operationFiles().map((file) => [file.path, file] as const))('%s is valid', (_path, file) => {
    expect(() => mount([file])).not.toThrow();
  });

  it('mounts no two operations at one place', () => {
    expect(() => mount(operationFiles())).not.toThrow();
  });
});
