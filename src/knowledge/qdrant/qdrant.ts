import { z } from 'zod';
import type { KnowledgeDeps } from '../deps.ts';
import type { IndexedFile } from '../index/messages.ts';
import type { VectorIndex } from '../index/vector-index.ts';
import { createCollections } from './collections.ts';
import { createEngine, type QdrantPlace } from './engine.ts';
import { generationOf, pointsOf } from './points.ts';
import { createEngineSearch } from './search.ts';

/** Points that are sent together: some megabytes. */
const POINTS_AT_ONCE = 100;
/** Files, or stores, that are listed together. */
const PAGE = 1000;
/** Stores that one look can tell apart. */
const MOST_STORES = 100_000;
/** Milliseconds for what is written or listed. */
const WORK_MS = 60_000;
const anything = z.unknown();

const listed = z.object({
  points: z.array(z.object({ payload: z.object({ file: z.string(), generation: z.number() }) })),
  next_page_offset: z.union([z.string(), z.number()]).nullish(),
});
const facets = z.object({ hits: z.array(z.object({ value: z.string() })) });

/** The index of all processes in a Qdrant, for stores that one process cannot hold. */
export function createQdrantIndex(place: QdrantPlace, { files }: Pick<KnowledgeDeps, 'files'>): VectorIndex {
  const ask = createEngine(place);
  const collections = createCollections(ask, place.prefix);
  const post = <T>(name: string, what: string, body: object, shape: z.ZodType<T>) =>
    ask('POST', `/collections/${name}/${what}`, { body, shape, timeMs: WORK_MS });
  const ofStore = (store: string) => ({ key: 'store', match: { value: store } });

  async function remove(filter: object): Promise<void> {
    for (const name of await collections.all())
      await post(name, 'points/delete?wait=true', { filter }, anything);
  }

  async function filesIn(name: string, store: string): Promise<IndexedFile[]> {
    const filter = { must: [ofStore(store), { key: 'first', match: { value: true } }] };
    const found: IndexedFile[] = [];
    let offset: string | number | null | undefined;
    do {
      const body = {
        filter,
        limit: PAGE,
        with_payload: ['file', 'generation'],
        ...(offset != null && { offset }),
      };
      const page = await post(name, 'points/scroll', body, listed);
      for (const { payload } of page.points)
        found.push({ fileId: payload.file, version: `${payload.generation}.` });
      offset = page.next_page_offset;
    } while (offset != null);
    return found;
  }

  return {
    isShared: true,
    async files(store) {
      const all: IndexedFile[] = [];
      for (const name of await collections.all()) all.push(...(await filesIn(name, store)));
      return all;
    },
    /** The chunk by which a file is listed comes last: a file that is listed is there as a whole. */
    async add(store, file) {
      const dimensions = file.segments?.[0]?.vectors.dimensions;
      if (dimensions === undefined) return;
      const name = await collections.of(dimensions);
      const points = [...pointsOf(store, file)].reverse();
      for (let at = 0; at < points.length; at += POINTS_AT_ONCE) {
        const body = { points: points.slice(at, at + POINTS_AT_ONCE) };
        const path = `/collections/${name}/points?wait=true`;
        await ask('PUT', path, { body, shape: anything, timeMs: WORK_MS }).catch(collections.lost);
      }
      // Another process may have written a later version meanwhile.
      const older = { key: 'generation', range: { lt: generationOf(file.version) } };
      const own = { key: 'file', match: { value: file.fileId } };
      await post(
        name,
        'points/delete?wait=true',
        { filter: { must: [ofStore(store), own, older] } },
        anything,
      );
    },
    drop: (store, fileIds) => remove({ must: [ofStore(store), { key: 'file', match: { any: fileIds } }] }),
    search: createEngineSearch({ ask, collections, files }),
    forget: (stores) => remove({ must: [{ key: 'store', match: { any: stores } }] }),
    async stores() {
      const found = new Set<string>();
      for (const name of await collections.all()) {
        const { hits } = await post(name, 'facet', { key: 'store', limit: MOST_STORES, exact: true }, facets);
        for (const { value } of hits) found.add(value);
      }
      return [...found].map((store) => ({ store, writtenAt: Date.now() }));
    },
    tidy: async () => undefined,
    stop: async () => undefined,
  };
}
