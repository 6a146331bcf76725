import type { Collection } from 'mongodb';
import { z } from 'zod';
import { formOf, generationIn, searchableIn, type VectorStoreFileDocument } from '../documents.ts';
import type { Near } from '../index/best.ts';
import { bestOf, fused, type Ranking } from '../index/fuse.ts';
import type { Hit, IndexQuestion } from '../index/messages.ts';
import { holdsFor } from '../search/holds-for.ts';
import type { Collections } from './collections.ts';
import type { AskEngine } from './engine.ts';
import { denseOf, sparseQuestion } from './points.ts';

/** Chunks of each kind of search that are fused. */
const CANDIDATES = 50;
/** Milliseconds for the answer to one search. */
const SEARCH_MS = 10_000;

const payload = z.object({
  file: z.string(),
  generation: z.number(),
  start: z.number(),
  end: z.number(),
  text: z.string(),
});
const found = z.array(
  z.object({ points: z.array(z.object({ id: z.string(), score: z.number(), payload })) }),
);
type Found = z.infer<typeof found>;
type FoundPayload = z.infer<typeof payload>;

type Deps = {
  ask: AskEngine;
  collections: Collections;
  files(): Collection<VectorStoreFileDocument>;
};

export type EngineSearch = (store: string, question: IndexQuestion) => Promise<Hit[]>;

/** Searches one store in the engine. What it answers counts as far as the database knows the file in that very version. */
export function createEngineSearch({ ask, collections, files }: Deps): EngineSearch {
  /** The files that a filter holds for; null where there is no filter. */
  async function allowedFiles(store: string, filter: IndexQuestion['filter']): Promise<string[] | null> {
    if (filter === null) return null;
    const allowed: string[] = [];
    const projection = { fileId: 1, attributes: 1 };
    for await (const { fileId, attributes } of files().find(searchableIn(formOf(store).storeId), {
      projection,
    }))
      if (holdsFor(filter, attributes)) allowed.push(fileId);
    return allowed;
  }

  async function asked(dimensions: number, searches: Search[]): Promise<Found> {
    const path = `/collections/${collections.nameOf(dimensions)}/points/query/batch`;
    const body = { searches: searches.map((search) => search.body) };
    // A store without files may be the first one of its kind.
    await collections.of(dimensions);
    return ask('POST', path, { body, shape: found, timeMs: SEARCH_MS }).catch(collections.lost);
  }

  /** The best of a ranking that are still what the database has. */
  async function present(store: string, ranked: (FoundPayload & { score: number })[]): Promise<Hit[]> {
    const fileIds = [...new Set(ranked.map(({ file }) => file))];
    const projection = { fileId: 1, filename: 1, attributes: 1, generation: 1, sign: 1, prepared: 1 };
    const { storeId, sign } = formOf(store);
    const known = await files()
      .find({ ...searchableIn(storeId), fileId: { $in: fileIds } }, { projection })
      .toArray();
    const byId = new Map(known.map((file) => [file.fileId, file]));
    return ranked.flatMap(({ file: fileId, generation, score, start, end, text }) => {
      const file = byId.get(fileId);
      if (!file || generationIn(file, sign) !== generation) return [];
      return [{ fileId, filename: file.filename, attributes: file.attributes, score, start, end, text }];
    });
  }

  return async (store, question) => {
    const dimensions = question.queries[0]?.vector.dimensions;
    const allowed = await allowedFiles(store, question.filter);
    if (dimensions === undefined || allowed?.length === 0) return [];
    const searches = searchesFor(store, allowed, question);
    const ranked = rankedBy(searches, await asked(dimensions, searches), question);
    const hits = await present(
      store,
      ranked.filter(({ score }) => score >= question.threshold),
    );
    return hits.slice(0, question.most);
  };
}

type Search = { by: Ranking['by']; body: object };

function searchesFor(
  store: string,
  allowed: readonly string[] | null,
  { queries, ranking, most }: IndexQuestion,
): Search[] {
  const must = [
    { key: 'store', match: { value: store } },
    ...(allowed ? [{ key: 'file', match: { any: allowed } }] : []),
  ];
  const rest = { filter: { must }, limit: Math.max(CANDIDATES, most), with_payload: true };
  return queries.flatMap(({ text, vector }): Search[] => {
    const near: Search = { by: 'vectors', body: { query: denseOf(vector, 0), using: 'dense', ...rest } };
    const words = sparseQuestion(text);
    if (ranking === 'vectors' || words.indices.length === 0) return [near];
    return [near, { by: 'words', body: { query: words, using: 'words', ...rest } }];
  });
}

/** The chunks of all answers in one ranking, fused as those of the local index are. */
function rankedBy(
  searches: readonly Search[],
  lists: Found,
  { ranking, weights }: Pick<IndexQuestion, 'ranking' | 'weights'>,
): (FoundPayload & { score: number })[] {
  const numbers = new Map<string, number>();
  const payloads: FoundPayload[] = [];
  const near = lists.map(({ points }) =>
    points
      .filter(({ score }) => score > 0)
      .map(({ id, score, payload }): Near => {
        const chunk = numbers.get(id) ?? payloads.push(payload) - 1;
        numbers.set(id, chunk);
        return { chunk, similarity: score };
      }),
  );
  const ranked =
    ranking === 'vectors'
      ? bestOf(near)
      : fused(
          near.map((list, at) => ({
            by: searches[at]?.by ?? 'vectors',
            chunks: list.map(({ chunk }) => chunk),
          })),
          weights,
        );
  return ranked.flatMap(({ chunk, similarity: score }) => {
    const payload = payloads[chunk];
    return payload ? [{ ...payload, score }] : [];
  });
}
