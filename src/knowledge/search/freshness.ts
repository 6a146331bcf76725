import { grownCache } from '../../lib/grown-cache.ts';
import type { KnowledgeDeps } from '../deps.ts';
import {
  formOf,
  generationIn,
  indexNameOf,
  searchableIn,
  type VectorStoreDocument,
  type VectorStoreFileDocument,
} from '../documents.ts';
import type { AddedFile } from '../index/messages.ts';
import { IndexLost, type VectorIndex } from '../index/vector-index.ts';
import { chunksIn, vectorsIn } from '../segments/pack.ts';
import type { Segments } from '../segments/segments.ts';

/** Milliseconds after which the files of a store are compared again though its revision is the same: a process may have died before it changed that. */
const TRUSTED_MS = 30_000;
const MOST_KNOWN = 10_000;
/** What is read of a file. */
const projection = {
  ...{ fileId: 1, filename: 1, generation: 1, sign: 1, prepared: 1, attributes: 1, attributesVersion: 1 },
} as const;

type Known = { revision: number; comparedAt: number; versions: Map<string, string> };
type Found = Pick<
  VectorStoreFileDocument,
  'fileId' | 'filename' | 'generation' | 'sign' | 'prepared' | 'attributes' | 'attributesVersion'
>;

type Deps = Pick<KnowledgeDeps, 'files' | 'stores'>;

export type Freshness = ReturnType<typeof createFreshness>;

/** Keeps the index at what the stores have. */
export function createFreshness(deps: Deps, segments: Segments, index: VectorIndex) {
  const known = grownCache<Known>(MOST_KNOWN);
  const turns = new Map<string, Promise<void>>();

  async function compare(store: VectorStoreDocument): Promise<void> {
    const name = indexNameOf(store);
    const last = known.get(name);
    if (last?.revision === store.revision && Date.now() - last.comparedAt < TRUSTED_MS) return;
    const state = await stateOf(name);
    const comparedAt = Date.now();
    const present = new Set<string>();
    for await (const file of deps.files().find(searchableIn(store._id), { projection }))
      if (await put(name, file, state.versions)) present.add(file.fileId);
    // Files leave a form that is not searched any more: who was about to search it begins anew.
    if (!(await isSearched(store))) throw new IndexLost();
    await dropOthers(name, present, state.versions);
    known.set(name, { ...state, revision: store.revision, comparedAt });
  }

  async function isSearched({ _id, sign }: VectorStoreDocument): Promise<boolean> {
    const now = await deps.stores().findOne({ _id }, { projection: { sign: 1 } });
    return now === null || now.sign === sign;
  }

  async function dropOthers(store: string, present: Set<string>, versions: Known['versions']): Promise<void> {
    const gone = [...versions.keys()].filter((fileId) => !present.has(fileId));
    if (gone.length > 0) await index.drop(store, gone);
    for (const fileId of gone) versions.delete(fileId);
  }

  async function dropRemoved(store: string): Promise<void> {
    const state = await stateOf(store);
    const found = deps.files().find(searchableIn(formOf(store).storeId), { projection: { fileId: 1 } });
    const present = new Set(await found.map(({ fileId }) => fileId).toArray());
    await dropOthers(store, present, state.versions);
  }

  /** One after the other for each store. What fails is not known to be in the index any more. */
  async function inTurn(store: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(store) ?? Promise.resolve()).catch(() => undefined).then(work);
    turns.set(store, turn);
    try {
      await turn;
    } catch (error) {
      known.delete(store);
      throw error;
    } finally {
      if (turns.get(store) === turn) turns.delete(store);
    }
  }

  /** What the index has; it is asked again each time where other processes write to it as well. */
  async function stateOf(store: string): Promise<Known> {
    const last = index.isShared ? undefined : known.get(store);
    if (last) return last;
    const files = await index.files(store);
    return {
      revision: Number.NaN,
      comparedAt: 0,
      versions: new Map(files.map(({ fileId, version }) => [fileId, version])),
    };
  }

  /** False where the file has left the store meanwhile, or has not the form that the index is of. */
  async function put(name: string, file: Found, versions: Map<string, string>): Promise<boolean> {
    const { fileId, filename, attributes } = file;
    const { storeId, sign } = formOf(name);
    const generation = generationIn(file, sign);
    if (generation === null) return false;
    const version = `${generation}.${file.attributesVersion}`;
    const before = versions.get(fileId);
    if (before === version) return true;
    const hasSegments = before !== undefined && before.split('.')[0] === String(generation);
    const read = hasSegments ? null : await segmentsOf({ storeId, fileId }, generation);
    if (read !== null) {
      // A generation is dropped after the next one counts: what was read while it still counts is whole.
      const now = await deps.files().findOne({ ...searchableIn(storeId), fileId }, { projection });
      if (now === null || generationIn(now, sign) !== generation)
        return now !== null && put(name, now, versions);
    }
    const added: AddedFile = { fileId, version, filename, attributes, segments: read };
    await index.add(name, added);
    versions.set(fileId, version);
    return true;
  }

  async function segmentsOf(file: { storeId: string; fileId: string }, generation: number) {
    const read: NonNullable<AddedFile['segments']> = [];
    for await (const segment of segments.read(file, generation))
      read.push({ chunks: await chunksIn(segment), vectors: vectorsIn(segment) });
    return read;
  }

  return {
    /** Resolves when the index has what the store had when it was read. */
    ensure: (store: VectorStoreDocument): Promise<void> => inTurn(indexNameOf(store), () => compare(store)),
    /** Takes out of the index what a store does not have any more, without adding what it has. */
    shed: (store: string): Promise<void> => inTurn(store, () => dropRemoved(store)),
    knows: (store: string): boolean => known.has(store),
    forget: (store: string) => void known.delete(store),
    /** The thread has ended: nothing is known of what its files have. */
    forgetAll: () => known.clear(),
  };
}
