import { z } from 'zod';
import { IndexLost } from '../index/vector-index.ts';
import { type AskEngine, EngineError } from './engine.ts';

/** Milliseconds for what changes a collection. */
const CHANGE_MS = 30_000;
const anything = z.unknown();

export type Collections = {
  /** The collection of vectors of a length, made where it is missing. */
  of(dimensions: number): Promise<string>;
  nameOf(dimensions: number): string;
  /** All that there are. */
  all(): Promise<string[]>;
  /** What follows where one is missing that was there: all that it had is gone. */
  lost(error: unknown): never;
};

/** One collection for each length of vectors, with the stores of all tenants apart by an index that the engine keeps by store. */
export function createCollections(ask: AskEngine, prefix: string): Collections {
  const made = new Map<number, Promise<void>>();
  const nameOf = (dimensions: number) => `${prefix}_${dimensions}`;

  async function isThere(name: string): Promise<boolean> {
    const shape = z.object({ exists: z.boolean() });
    return (await ask('GET', `/collections/${name}/exists`, { shape, timeMs: CHANGE_MS })).exists;
  }

  async function make(name: string, dimensions: number): Promise<void> {
    if (await isThere(name)) return;
    const vectors = { dense: { size: dimensions, distance: 'Cosine' } };
    const body = { vectors, sparse_vectors: { words: { modifier: 'idf' } } };
    await ask('PUT', `/collections/${name}`, { body, shape: anything, timeMs: CHANGE_MS }).catch(
      async (error: unknown) => {
        // Another process may have been first.
        if (!(await isThere(name))) throw error;
      },
    );
    const indexes: [string, object][] = [
      ['store', { type: 'keyword', is_tenant: true }],
      ['file', { type: 'keyword' }],
      ['first', { type: 'bool' }],
    ];
    for (const [field_name, field_schema] of indexes)
      await ask('PUT', `/collections/${name}/index?wait=true`, {
        ...{ body: { field_name, field_schema }, shape: anything, timeMs: CHANGE_MS },
      });
  }

  return {
    nameOf,
    async of(dimensions) {
      const name = nameOf(dimensions);
      const making = made.get(dimensions) ?? make(name, dimensions);
      made.set(dimensions, making);
      await making.catch((error: unknown) => {
        made.delete(dimensions);
        throw error;
      });
      return name;
    },
    async all() {
      const shape = z.object({ collections: z.array(z.object({ name: z.string() })) });
      const { collections } = await ask('GET', '/collections', { shape, timeMs: CHANGE_MS });
      const own = new RegExp(`^${prefix}_\\d+$`);
      return collections.map(({ name }) => name).filter((name) => own.test(name));
    },
    lost(error) {
      if (!(error instanceof EngineError && error.status === 404)) throw error;
      made.clear();
      throw new IndexLost();
    },
  };
}
